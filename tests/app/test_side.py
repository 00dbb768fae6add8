"""The whole bot with its HTTP server: a webhook of Alertmanager becomes a thread in Slack, and figures tell of it."""

import asyncio
from pathlib import Path

import aiohttp
import pytest

from bot.logs import set_up
from config.alerts import AlertSettings, HoldSettings, RouteSettings
from config.watch import SideSettings
from tests.slack.conversing import the_whole

ALERT = {"alertname": "QueueGrows", "severity": "critical", "node": "gpu-1"}


def payload(status: str) -> dict[str, object]:
    summary = {"summary": "The queue of glm grows <!channel>"}
    return {"version": "4", "alerts": [{"status": status, "labels": ALERT, "annotations": summary}]}


async def test_a_webhook_becomes_a_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    set_up("error", json_lines=True)
    token = tmp_path / "token"
    token.write_text("hush", encoding="utf-8")
    side = SideSettings(port=0, webhook_token_file=str(token))
    alerts = AlertSettings(routes=(RouteSettings(channel="C0OPS"),), critical=HoldSettings(looks=1))
    async with the_whole(tmp_path, side=side, alerts=alerts) as whole, aiohttp.ClientSession() as session:
        assert whole.app.side is not None
        base = f"http://127.0.0.1:{whole.app.side.port}"
        headers = {"Authorization": "Bearer hush"}
        for _ in range(3):
            async with session.post(f"{base}/webhooks/alertmanager", json=payload("firing"), headers=headers) as told:
                assert (told.status, await told.text()) == (200, "Taken: 1 alert firing, 0 resolved.\n")
        root = await whole.seen("U0BEN", lambda one: "The queue of glm grows" in one.text)
        assert "<!channel>" not in root.text
        async with asyncio.timeout(10):
            while len(whole.workspace.messages("C0OPS", "U0BEN", thread_ts=root.ts)) < 2:
                await whole.workspace.next_message("C0OPS", "U0BEN", after=root.ts)
        async with asyncio.timeout(10):
            while "_waiting 0" not in (figures := await asked(session, f"{base}/metrics")):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert 'gpubot_posts_total{what="posted"} 2' in figures
        assert await asked(session, f"{base}/readyz") == "ready\n"


async def asked(session: aiohttp.ClientSession, url: str) -> str:
    async with session.get(url) as answer:
        return await answer.text()

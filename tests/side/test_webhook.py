"""Alertmanager's webhook over real HTTP: what is taken, and the one sentence for each thing that is wrong."""

import contextlib
import io
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.alerts.outside import from_alertmanager
from bot.domain.errors import ConfigError, UpstreamError
from bot.side.metrics import Metric, text
from bot.side.server import PATH, SideServer
from bot.side.webhook import Webhook

TOKEN = "hush-hush"
PAYLOAD = {"version": "4", "alerts": [{"status": "firing", "labels": {"alertname": "A"}, "annotations": {}}]}


@dataclass
class Side:
    """The server, and what it handed on."""

    server: SideServer
    session: aiohttp.ClientSession
    token_file: Path
    heard: list[tuple[str, Any]] = field(default_factory=list)
    trouble: str = ""
    ready: str = ""

    async def hear(self, cluster: str, payload: Any) -> str:
        if self.trouble:
            raise UpstreamError(self.trouble, retryable=True)
        from_alertmanager(payload)
        self.heard.append((cluster, payload))
        return "Taken: 1 alert firing."

    async def post(self, body: bytes, path: str = PATH, token: str | None = TOKEN) -> tuple[int, str]:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        async with self.session.post(
            f"http://127.0.0.1:{self.server.port}{path}", data=io.BytesIO(body), headers=headers
        ) as answer:
            return answer.status, await answer.text()

    async def get(self, path: str) -> tuple[int, str]:
        async with self.session.get(f"http://127.0.0.1:{self.server.port}{path}") as answer:
            return answer.status, await answer.text()


@pytest.fixture
async def side(tmp_path: Path) -> AsyncIterator[Side]:
    token = tmp_path / "token"
    token.write_text(f"{TOKEN}\n", encoding="utf-8")
    async with aiohttp.ClientSession() as session:
        made = Side(None, session, token)  # type: ignore[arg-type]  # set below

        async def ready() -> str:
            return made.ready

        async def figures() -> list[Metric]:
            return [Metric("gpubot_up", "gauge", "The process answers.", samples={"": 1})]

        webhook = Webhook(made.hear, {"prod": 1, "dev": 1}, "prod", str(token))
        made.server = SideServer("127.0.0.1", 0, ready=ready, figures=figures, webhook=webhook)
        await made.server.start()
        yield made
        await made.server.stop()


def body(payload: Any = None) -> bytes:
    return json.dumps(PAYLOAD if payload is None else payload).encode()


async def test_a_webhook_is_taken_and_handed_on(side: Side) -> None:
    assert await side.post(body()) == (200, "Taken: 1 alert firing.\n")
    assert await side.post(body(), f"{PATH}?cluster=dev") == (200, "Taken: 1 alert firing.\n")
    assert side.heard == [("prod", PAYLOAD), ("dev", PAYLOAD)]


@pytest.mark.parametrize(
    ("sent", "status", "says"),
    [
        pytest.param(b"", 400, "no JSON", id="nothing"),
        pytest.param(b"\xff\xfe rubbish", 400, "no JSON", id="rubbish"),
        pytest.param(b"[" * 100_000, 400, "no JSON", id="brackets without end"),
        pytest.param(b"[]", 400, "no JSON object", id="a list"),
        pytest.param(body({"alerts": []}), 400, "no webhook of Alertmanager", id="no version"),
        pytest.param(body({"version": "3", "alerts": []}), 400, "Version 3", id="another version"),
        pytest.param(body({"version": "4", "alerts": [{"labels": 7}]}), 400, "no webhook", id="wrong shapes"),
        pytest.param(b"x" * (10 * 1024 * 1024), 413, "longer than 1,048,576 bytes", id="ten megabytes"),
    ],
)
async def test_what_is_wrong_is_said_in_one_sentence(side: Side, sent: bytes, status: int, says: str) -> None:
    code, answer = await side.post(sent)
    assert (code, answer.count("\n")) == (status, 1)
    assert says in answer
    assert side.heard == []


async def test_a_body_that_hides_its_length_is_cut_off(side: Side) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b"x" * 65_536

    headers = {"Authorization": f"Bearer {TOKEN}"}
    url = f"http://127.0.0.1:{side.server.port}{PATH}"
    with contextlib.suppress(aiohttp.ClientError, OSError):  # it may be cut off while it still sends
        async with side.session.post(url, data=endless(), headers=headers) as answer:
            assert answer.status == 413
    assert side.heard == []


@pytest.mark.parametrize("token", [None, "", "wrong", "hush", "hush-hush-and-more", "hüsh"])
async def test_a_wrong_token_is_refused_before_the_body_is_read(side: Side, token: str | None) -> None:
    code, answer = await side.post(b"x" * 2_000_000, token=token)
    assert (code, answer) == (401, "The bearer token is missing or wrong.\n")


async def test_a_token_can_be_changed_and_none_lets_nobody_in(side: Side) -> None:
    side.token_file.write_text("new", encoding="utf-8")
    assert (await side.post(body()))[0] == 401
    assert (await side.post(body(), token="new"))[0] == 200
    side.token_file.write_text("\n", encoding="utf-8")
    assert (await side.post(body(), token=""))[0] == 404
    side.token_file.unlink()
    assert (await side.post(body(), token=""))[0] == 503


async def test_what_cannot_be_kept_is_to_be_sent_again(side: Side) -> None:
    side.trouble = "the disk is full"
    code, answer = await side.post(body())
    assert (code, answer) == (503, "It cannot be kept now; send it again.\n")


async def test_a_cluster_that_is_not_known(side: Side) -> None:
    assert (await side.post(body(), f"{PATH}?cluster=nowhere"))[0] == 404


async def test_health_and_figures(side: Side) -> None:
    assert await side.get("/healthz") == (200, "alive\n")
    assert await side.get("/readyz") == (200, "ready\n")
    side.ready = "no connection to Slack"
    assert await side.get("/readyz") == (503, "no connection to Slack\n")
    assert "gpubot_up 1\n" in (await side.get("/metrics"))[1]
    assert (await side.get(PATH))[0] == 405
    assert (await side.get("/secrets"))[0] == 404


async def test_a_port_that_is_taken_ends_the_start(side: Side) -> None:
    async def nothing() -> Any:
        return ""

    with pytest.raises(ConfigError, match="cannot be listened on"):
        await SideServer("127.0.0.1", side.server.port, ready=nothing, figures=nothing).start()


def test_figures_are_in_the_form_that_prometheus_reads() -> None:
    found = text([Metric("a_total", "counter", "What.", "why", {'x"\\\n': 2.0}), Metric("b", "gauge", "None.")])
    assert found == '# HELP a_total What.\n# TYPE a_total counter\na_total{why="x\\"\\\\\\n"} 2\n'

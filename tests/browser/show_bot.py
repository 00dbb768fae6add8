"""A small bot whose answers have the shapes that people will see: a card with a table, a modal, an incident."""

from __future__ import annotations

from typing import Any

from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

Json = dict[str, Any]


def mrkdwn(text: str) -> Json:
    return {"type": "mrkdwn", "text": text}


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text, "emoji": True}


def section(text: str) -> Json:
    return {"type": "section", "text": mrkdwn(text)}


def context(text: str) -> Json:
    return {"type": "context", "elements": [mrkdwn(text)]}


def button(action: str, label: str, **more: Any) -> Json:
    return {"type": "button", "action_id": action, "text": plain(label), **more}


def row(*cells: str) -> list[Json]:
    return [{"type": "raw_text", "text": cell} for cell in cells]


def status() -> list[Json]:
    right = [{"align": "left"}, *[{"align": "right"}] * 9]
    table = [
        row("product", "nodes", "total", "used", "free", "largest", "reserved", "cordoned", "lost", "idle"),
        row("H200", "12", "96", "68", "11", "4", "8", "8", "1", "6"),
        row("A10", "4", "32", "12", "20", "8", "0", "0", "0", "2"),
        row("MIG 1g.10gb", "1", "14", "9", "5", "–", "0", "0", "0", "–"),
    ]
    return [
        section("*H200: 11 of 96 free, at most 4 on one node. A10: 20 of 32 free. 1 GPU lost (gpu-9).*"),
        {"type": "table", "column_settings": right, "rows": table},
        section(
            "Reserved: free, but only for pods that tolerate `dedicated=train` (gpu-11).\n"
            "gpu-9 shows 7 of 8: XID 94 on GPU 3 at <!date^1800000000^{time}|10:02>, the plugin has marked it unhealthy."
        ),
        {
            "type": "actions",
            "block_id": "row",
            "elements": [
                button("share", "Share"),
                button("details", "Details", value="gpu-9"),
                {
                    "type": "static_select",
                    "action_id": "by",
                    "placeholder": plain("Group by…"),
                    "options": [{"text": plain("team"), "value": "team"}, {"text": plain("node"), "value": "node"}],
                },
                {
                    "type": "overflow",
                    "action_id": "more",
                    "options": [
                        {"text": plain("Silence…"), "value": "silence"},
                        {"text": plain("Export"), "value": "csv"},
                    ],
                },
            ],
        },
        context("0.8 s old · all 17 GPU nodes read · utilisation from DCGM, 20 s old"),
    ]


def why() -> list[Json]:
    return [
        section(
            "*llm/glm-0 waits 2 h 10 min: it needs 8 H200 on one node and no node has 8 free. "
            "11 are free, at most 4 together (gpu-3).*"
        ),
        section(
            "*Where it could run (12 H200 nodes)*\n"
            "9 nodes: too few GPUs free (4, 3, 2, 1, 1, 0, 0, 0, 0)\n"
            "1 node: cordoned, 8 free (gpu-7; by the driver upgrade since 11:20, not finished)\n"
            "2 nodes: taint `dedicated=train:NoSchedule`, 8 free on gpu-11"
        ),
        section(
            "*What helps (each tried on a copy of the cluster)*\n"
            "1. Wait for gpu-7: the upgrade usually takes 12 min here, it runs for 9.\n"
            "2. End dev/nb-ana and train/eval-17 (frees gpu-3):\n"
            "```kubectl -n dev delete pod nb-ana && kubectl -n train delete job eval-17```\n"
            "3. Tolerate `dedicated=train` and run on gpu-11, if train agrees."
        ),
        {
            "type": "container",
            "title": plain("Evidence"),
            "is_collapsible": True,
            "default_collapsed": True,
            "child_blocks": [section("0/16 nodes are available: 9 Insufficient nvidia.com/gpu, 1 unschedulable.")],
        },
        context("0.8 s old · Kueue not readable (needs `list workloads`)"),
    ]


def incident(actions: bool = True) -> list[Json]:
    buttons = [
        button("take", "Take it", style="primary"),
        button(
            "drain",
            "Drain gpu-9…",
            style="danger",
            confirm={
                "title": plain("Drain gpu-9?"),
                "text": mrkdwn("*12 pods* will be evicted; 3 of them lose work."),
                "confirm": plain("Look at the plan"),
                "deny": plain("Not now"),
                "style": "danger",
            },
        ),
        button("silence", "Silence…"),
    ]
    blocks = [
        {"type": "header", "text": plain(":red_circle: gpu-9 lost GPU 3 (XID 94), glm-prod has 3 of 4 replicas")},
        {
            "type": "section",
            "text": mrkdwn("Contained memory error: a reset clears it; replace after the third in 30 days."),
            "fields": [
                mrkdwn("*Since*\n10:02, 14 min"),
                mrkdwn("*Who*\nnobody yet" if actions else "*Who*\n<@U1>"),
                mrkdwn("*Effect*\n25 % less capacity for glm-prod"),
                mrkdwn("*Now*\ndrain, reset GPU 3, restart the plugin"),
            ],
        },
    ]
    return [*blocks, {"type": "actions", "block_id": "row", "elements": buttons}] if actions else blocks


def drain_modal(message_ts: str) -> Json:
    reason = {
        "type": "plain_text_input",
        "action_id": "text",
        "multiline": True,
        "placeholder": plain("What happened?"),
    }
    name = {"type": "plain_text_input", "action_id": "text", "placeholder": plain("gpu-9")}
    box = {
        "type": "checkboxes",
        "action_id": "boxes",
        "options": [{"text": plain("Also cordon the node's neighbours"), "value": "neighbours"}],
    }
    return {
        "type": "modal",
        "callback_id": "drain",
        "private_metadata": message_ts,
        "title": plain("Drain gpu-9"),
        "submit": plain("Drain"),
        "close": plain("Cancel"),
        "blocks": [
            {"type": "alert", "level": "warning", "text": mrkdwn("*12 pods* leave this node, 3 of them lose work.")},
            {"type": "input", "block_id": "why", "label": plain("Reason"), "element": reason},
            {"type": "input", "block_id": "name", "label": plain("Type the node's name"), "element": name,
             "hint": plain("So that nobody drains the wrong node.")},
            {"type": "input", "block_id": "also", "optional": True, "label": plain("Options"), "element": box},
        ],
    }  # fmt: skip


def show_bot(client: AsyncWebClient) -> AsyncApp:
    app = AsyncApp(client=client)

    @app.command("/gpu")
    async def gpu(ack: Any, respond: Any, command: Any) -> None:
        await ack()
        await respond(text="GPU status", blocks=why() if command["text"].startswith("why") else status())

    @app.command("/broken")
    async def broken() -> None:
        return

    @app.action("share")
    async def share(ack: Any, respond: Any) -> None:
        await ack()
        await respond(text="GPU status", blocks=status()[:2], response_type="in_channel")
        await respond(delete_original=True)

    @app.action("drain")
    async def drain(ack: Any, body: Any, client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=drain_modal(body["container"]["message_ts"]))

    @app.view("drain")
    async def drained(ack: Any, view: Any, client: AsyncWebClient) -> None:
        if view["state"]["values"]["name"]["text"]["value"] != "gpu-9":
            await ack(response_action="errors", errors={"name": "This is not the node's name: gpu-9"})
            return
        await ack()
        ts = view["private_metadata"]
        await client.chat_update(channel="C1", ts=ts, text="gpu-9 is being drained", blocks=incident(actions=False))
        await client.chat_postMessage(channel="C1", thread_ts=ts, text="Drained: 12 of 12 pods in 41 s.")

    @app.action("take")
    @app.action("details")
    @app.action("by")
    async def acked(ack: Any) -> None:
        await ack()

    @app.event("app_mention")
    async def mention(event: Any, say: Any) -> None:
        await say(text="Here: `/gpu help` lists what I can do.", thread_ts=event.get("thread_ts") or event["ts"])

    @app.event("message")
    async def message(ack: Any) -> None:
        await ack()

    @app.event("app_home_opened")
    async def home(event: Any, client: AsyncWebClient) -> None:
        blocks = [{"type": "header", "text": plain("Your GPUs")}, section("2 jobs run, 1 waits."), *incident()[2:]]
        await client.views_publish(user_id=event["user"], view={"type": "home", "blocks": blocks})

    return app

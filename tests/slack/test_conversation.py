"""What people do in Slack, and what they and the others see then: real Bolt, real sockets, a local Slack."""

import asyncio
import json

import pytest
from structlog.testing import capture_logs

from bot.local.workspace import Message
from tests.factories import a_node, a_pod, put
from tests.slack.conftest import Bot

HOSTILE = "<!channel> <https://evil.example|click> *bold* <@U0BEN> `code` :rocket: @here"


async def test_a_slash_command_is_answered_to_its_author_alone(bot: Bot) -> None:
    message = await bot.slash("/gpu status")
    assert message.text.startswith("H200: 5 of 8 free")
    assert message.ephemeral_to == "U0ANA"
    assert [seen.ts for seen in bot.workspace.messages("C0OPS", "U0BEN")] == []


async def test_a_mention_is_answered_in_its_thread(bot: Bot) -> None:
    ts = await bot.workspace.say("U0ANA", "C0OPS", f"<@{bot.workspace.bot_user_id}> gpu status —by team")
    reply = await bot.workspace.next_message("C0OPS", "U0BEN", after=ts)
    assert reply.thread_ts == ts
    assert "no team (llm)" in reply.text


async def test_a_mention_inside_a_thread_is_answered_in_that_thread(bot: Bot) -> None:
    root = await bot.workspace.say("U0ANA", "C0OPS", "who has GPUs?")
    ts = await bot.workspace.say("U0BEN", "C0OPS", f"<@{bot.workspace.bot_user_id}> status", thread_ts=root)
    assert (await bot.workspace.next_message("C0OPS", "U0ANA", after=ts)).thread_ts == root


async def test_a_direct_message_is_answered_there(bot: Bot) -> None:
    channel = bot.workspace.open_dm("U0BEN")
    ts = await bot.workspace.say("U0BEN", channel, "gpu status")
    reply = await bot.workspace.next_message(channel, "U0BEN", after=ts)
    assert reply.text.startswith("H200: 5 of 8 free")
    assert reply.ephemeral_to is None


async def test_a_channel_means_its_own_cluster(bot: Bot) -> None:
    assert "There is no GPU in this cluster" in (await bot.slash("/gpu status", where="C0PRIV")).text
    assert "H200" in (await bot.slash("/gpu status @prod-a", where="C0PRIV")).text


async def test_sharing_shows_the_same_answer_to_everybody_and_spends_the_button(bot: Bot) -> None:
    private = await bot.slash("/gpu status")
    put(bot.clusters["prod-a"].view, a_pod("other", gpus=5))  # the answer was about then, not about now
    await bot.workspace.click("U0ANA", private.ts, "share")
    shared = await bot.workspace.next_message("C0OPS", "U0BEN")
    assert shared.text.startswith("H200: 5 of 8 free")
    assert "@U0ANA asked `/gpu status`" in shared.text
    assert shared.ephemeral_to is None
    mine = await until(bot, private.ts)
    assert not [block for block in mine.blocks if block["type"] == "actions"]


async def until(bot: Bot, ts: str) -> Message:
    """The asker's own message once it has been changed."""
    async with asyncio.timeout(5):
        while True:
            found = next((seen for seen in bot.workspace.messages("C0OPS", "U0ANA") if seen.ts == ts), None)
            if found and "shared with the channel" in found.text:
                return found
            await asyncio.sleep(0.01)


async def test_sharing_after_a_restart_asks_anew(bot: Bot) -> None:
    private = await bot.slash("/gpu status")
    bot.desk.shelf.__init__()  # type: ignore[misc]  # as if the process had been restarted
    put(bot.clusters["prod-a"].view, a_pod("other", gpus=5))
    await bot.workspace.click("U0ANA", private.ts, "share")
    assert (await bot.workspace.next_message("C0OPS", "U0BEN")).text.startswith("H200: none of 8 free")


async def test_a_second_click_shares_nothing_more(bot: Bot) -> None:
    private = await bot.slash("/gpu status")
    await asyncio.gather(*(bot.workspace.click("U0ANA", private.ts, "share") for _ in range(3)))
    await until(bot, private.ts)
    assert len([seen for seen in bot.workspace.messages("C0OPS", "U0BEN") if "asked" in seen.text]) == 1


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("/gpu statsu", "There is no command “statsu”; did you mean `/gpu status`?"),
        ("/gpu status --by", "`by` needs a value, for example `/gpu status --by team`."),
        ("/gpu", "/gpu status"),
        ("/gpu help", "/gpu status"),
        ("/gpu status @nowhere", "No cluster is called “nowhere”"),
        ("/gpu <!channel>", "There is no command"),
    ],
)
async def test_a_mistake_gets_one_sentence_and_nothing_to_share(bot: Bot, typed: str, said: str) -> None:
    message = await bot.slash(typed)
    assert said in message.text
    assert not [block for block in message.blocks if block["type"] == "actions"]


async def test_a_fault_of_ours_is_one_sentence_with_an_id_that_stands_in_the_log(bot: Bot) -> None:
    bot.clusters["prod-a"] = None  # type: ignore[assignment]  # something that cannot be
    with capture_logs() as logs:
        message = await bot.slash("/gpu status")
    assert message.text.startswith("Something broke on my side (id ")
    name = message.text.split("(id ")[1][:8]
    assert [entry["log_level"] for entry in logs if entry.get("id") == name] == ["error"]


async def test_text_from_the_cluster_can_neither_ping_nor_link_nor_format(bot: Bot) -> None:
    view = bot.clusters["prod-a"].view
    put(view, a_node(HOSTILE[:60], healthy=7))
    put(view, a_pod("x", namespace=HOSTILE[:60], gpus=1))
    for line in ("/gpu status", "/gpu status --by namespace", "/gpu status --by node"):
        message = await bot.slash(line)
        assert "<" not in message.text, "Slack reads markup from an unescaped bracket"
        for block in message.blocks:
            assert block["type"] in ("rich_text", "table", "context", "actions")
            if block["type"] == "context":
                assert {element["type"] for element in block["elements"]} == {"plain_text"}
        kinds = types_in(message.blocks)
        assert not kinds & {"mrkdwn", "link", "user", "broadcast", "usergroup", "channel", "emoji"}


def types_in(blocks: object) -> set[str]:
    return {part.split('"')[0] for part in json.dumps(blocks).split('"type": "')[1:]}


async def test_the_bot_does_not_answer_itself_or_other_bots(bot: Bot) -> None:
    channel = bot.workspace.open_dm("U0BEN")
    ts = await bot.workspace.say("U0BEN", channel, "status")
    await bot.workspace.next_message(channel, "U0BEN", after=ts)
    await bot.workspace.say("U0BEN", channel, "help")
    async with asyncio.timeout(5):
        while len(seen := bot.workspace.messages(channel, "U0BEN")) < 4:
            await bot.workspace.next_message(channel, "U0BEN", after=seen[-1].changed)
    assert len(bot.workspace.messages(channel, "U0BEN")) == 4, "each message has one answer, and answers have none"


async def test_a_dropped_connection_is_back_within_two_pings(bot: Bot) -> None:
    await bot.workspace.faults.drop_connections()
    await bot.workspace.connected(8)
    assert (await bot.slash("/gpu status")).text.startswith("H200")

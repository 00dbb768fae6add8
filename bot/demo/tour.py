"""A short scripted visit through Slack's own wire: what is typed, what comes back, and whether it is what it should be.

Each step is done as a person would do it in the workspace; nothing calls the bot directly.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.demo.people import ANA, BEN, DORA, OPS, SERVING
from bot.demo.stage import Stage
from bot.domain.text import unescape
from bot.local.workspace import Message

ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that somebody does, and a pattern that the answer must hold."""

    who: str
    where: str
    typed: str
    do: Callable[[Stage], Awaitable[Message]]
    expects: str


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a step. `wrong` is empty where all is well."""

    step: Step
    text: str
    wrong: str


def steps(slash: str) -> list[Step]:
    """The visit: look, ask closer, ask in other ways, mistype, share."""
    return [
        _slash("ana", ANA, OPS, f"{slash} status", r"\b(free|no GPU)\b"),
        _slash("ana", ANA, OPS, f"{slash} status --by team", r"(?m)^team\b|Nobody holds|no GPU"),
        _slash("dora", DORA, OPS, f"{slash} status —by node", r"(?m)^product\b.*\bstate\b|no GPU"),
        _mention("ben", BEN, SERVING, "status", r"\b(free|no GPU)\b"),
        _direct("dora", DORA, "gpu status --by namespace", r"(?m)^namespace\b|Nobody holds|no GPU"),
        _slash("ben", BEN, SERVING, f"{slash} statsu", r"did you mean `/gpu status`"),
        _slash("ben", BEN, SERVING, f"{slash} help", r"/gpu status"),
        _slash("ben", BEN, SERVING, "/why pending", r"\bwaits? for a node\b|Nothing waits|do(es)? not run|lacks? pods"),
        _why("ben", BEN, SERVING),
        _slash("ana", ANA, OPS, f"{slash} node gpu-9", r"Bottom up|No node is called"),
        _share("ana", ANA, OPS, f"{slash} status", r"asked"),
    ]


async def visit(stage: Stage, slash: str, tell: Callable[[Done], None]) -> bool:
    """Goes through all steps, telling each; True where every answer was as it should be."""
    good = True
    for step in steps(slash):
        done = await _try(stage, step)
        tell(done)
        good = good and not done.wrong
    return good


async def _try(stage: Stage, step: Step) -> Done:
    try:
        message = await step.do(stage)
    except TimeoutError:
        return Done(step, "", f"no answer within {ANSWER_SECONDS:.0f} s")
    except FailedError as error:
        return Done(step, "", str(error))
    text = unescape(message.text)
    wrong = "" if re.search(step.expects, text) else f"the answer does not hold {step.expects!r}"
    return Done(step, text, wrong)


class FailedError(Exception):
    """Slack told the person that the command failed."""


def _newest(stage: Stage, channel: str, person: str) -> str:
    """When anything that this person sees there, replies included, last changed."""
    roots = stage.workspace.messages(channel, person)
    replies = [
        reply
        for root in roots
        for reply in stage.workspace.messages(channel, person, thread_ts=root.thread_ts or root.ts)
    ]
    return max((message.changed for message in (*roots, *replies)), default="")


def _slash(name: str, person: str, channel: str, typed: str, expects: str) -> Step:
    async def do(stage: Stage) -> Message:
        return await _run_slash(stage, person, channel, typed)

    return Step(name, f"#{_name(channel)}", typed, do, expects)


async def _run_slash(stage: Stage, person: str, channel: str, typed: str) -> Message:
    newest = _newest(stage, channel, person)
    outcome = await stage.workspace.slash(person, channel, typed)
    if outcome.error:
        raise FailedError(f"{typed} failed with {outcome.error}")
    return await stage.workspace.next_message(channel, person, after=newest, timeout_seconds=ANSWER_SECONDS)


def _mention(name: str, person: str, channel: str, words: str, expects: str) -> Step:
    async def do(stage: Stage) -> Message:
        ts = await stage.workspace.say(person, channel, f"<@{stage.workspace.bot_user_id}> {words}")
        return await stage.workspace.next_message(channel, person, after=ts, timeout_seconds=ANSWER_SECONDS)

    return Step(name, f"#{_name(channel)}", f"@gpubot {words}", do, expects)


def _direct(name: str, person: str, words: str, expects: str) -> Step:
    async def do(stage: Stage) -> Message:
        channel = stage.workspace.open_dm(person)
        ts = await stage.workspace.say(person, channel, words)
        return await stage.workspace.next_message(channel, person, after=ts, timeout_seconds=ANSWER_SECONDS)

    return Step(name, "direct message", words, do, expects)


def _why(name: str, person: str, channel: str) -> Step:
    """The pod that has waited longest, in full; where nothing waits, a pod that runs."""

    async def do(stage: Stage) -> Message:
        return await _run_slash(stage, person, channel, f"/why {_one(stage)}")

    return Step(name, f"#{_name(channel)}", "/why, and the pod that has waited longest", do, r"waits|runs|Nothing here")


def _one(stage: Stage) -> str:
    view = next(iter(stage.app.clusters.values())).view
    waiting = sorted(view.waiting, key=lambda pod: (pod.created, pod.key)) or sorted(
        view.pods.values(), key=lambda pod: pod.key
    )
    return waiting[0].key if waiting else "glm-0"


def _share(name: str, person: str, channel: str, typed: str, expects: str) -> Step:
    async def do(stage: Stage) -> Message:
        private = await _run_slash(stage, person, channel, typed)
        newest = _newest(stage, channel, BEN)  # somebody else, who cannot see the private answer
        outcome = await stage.workspace.click(person, private.ts, "share")
        if outcome.error:
            raise FailedError(f"the button failed with {outcome.error}")
        return await stage.workspace.next_message(channel, BEN, after=newest, timeout_seconds=ANSWER_SECONDS)

    return Step(name, f"#{_name(channel)}", f"{typed}, then the button Share with channel", do, expects)


def _name(channel: str) -> str:
    return {OPS: "gpu-ops", SERVING: "llm-serving"}[channel]

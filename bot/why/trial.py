"""`if …`: the same pod on a copy of the cluster that was changed as people say, through the same filters."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.domain.errors import NotFoundError, UsageError
from bot.domain.pod import Pod
from bot.domain.words import names
from bot.grammar import nearest, quoted
from bot.scheduling.evaluate import Verdict, evaluate
from bot.why import change as changes
from bot.why.case import Case
from bot.why.change import Change, World, all_of
from bot.why.placement.headline import headline
from bot.why.placement.nodes import main_resource, survey
from bot.why.placement.told import Headline
from bot.why.subject import find

FORMS = (
    "`uncordon NODE`, `tolerate KEY`, `untaint NODE KEY`, `request N gpus`, `ends THING`, `add node like NODE`, "
    "`drop selector KEY`, `priority CLASS`"
)
NODES_MOST = 100


@dataclass(frozen=True, slots=True)
class Trial:
    """`fits` are the nodes where the pod would then be placed; else `still` says what is in the way then."""

    case: Case
    pod: Pod
    changes: tuple[Change, ...]
    fits: tuple[str, ...]
    before: tuple[str, ...]
    still: Headline | None = None
    verdict: Verdict | None = None


def trial(case: Case, wanted: tuple[tuple[str, ...], ...]) -> Trial:
    """Raises UsageError for a change that is not understood, NotFoundError for a name that is not there."""
    pod = case.pod
    if pod is None:
        raise UsageError(
            f"{case.subject.title} has no pod that could be tried; name a pod that waits: `/why pending` lists them."
        )
    if pod.node:
        raise UsageError(f"{pod.key} has its place on {pod.node} already: `if` is for pods that wait.")
    world = World(pod, case.state)
    parsed = tuple(_change(words, case, world) for words in wanted)
    before = world.fits(at_most=3)
    changed = all_of(parsed, world)
    verdict = evaluate(changed.pod, changed.state)
    if verdict.feasible:
        return Trial(case, pod, parsed, verdict.feasible, before)
    still = (
        headline(survey(changed.pod, changed.state, verdict)) if verdict.nodes and verdict.prefilter is None else None
    )
    return Trial(case, pod, parsed, (), before, still, verdict)


def _change(words: tuple[str, ...], case: Case, world: World) -> Change:
    make = _FORMS.get(words[0].casefold().removesuffix("s"))
    if make is None:
        close = nearest(words[0], list(_FORMS))
        hint = f"did you mean `{close}`? " if close else ""
        raise UsageError(f"After `if`, {quoted(words[0])} is not understood: {hint}What can be tried: {FORMS}.")
    return make(words[1:], case, world)


def _node(word: str, case: Case) -> str:
    if word in case.view.nodes:
        return word
    close = nearest(word, list(case.view.nodes)[:5_000])
    hint = f"did you mean `{close}`?" if close else "`/gpu status --by node` lists them."
    raise NotFoundError(f"No node is called {quoted(word)}; {hint}")


def _one(rest: tuple[str, ...], example: str) -> str:
    if not rest:
        raise UsageError(f"Something is missing there; for example `if {example}`.")
    return rest[0]


def _uncordon(rest: tuple[str, ...], case: Case, world: World) -> Change:
    del world
    return changes.Uncordon(_node(_one(rest, "uncordon gpu-3"), case))


def _untaint(rest: tuple[str, ...], case: Case, world: World) -> Change:
    if len(rest) < 2:
        raise UsageError("Name the node and the taint's key, for example `if untaint gpu-3 dedicated`.")
    node = _node(rest[0], case)
    key = rest[1].partition("=")[0].partition(":")[0].rstrip("-")
    if not any(taint.key == key for taint in world.state.info(node).node.taints):
        keys = ", ".join(sorted({taint.key for taint in world.state.info(node).node.taints})) or "none"
        raise NotFoundError(f"{node} carries no taint {quoted(key)}; its taints: {keys}.")
    return changes.Untaint(node, key)


def _tolerate(rest: tuple[str, ...], case: Case, world: World) -> Change:
    del case, world
    text, _, effect = _one(rest, "tolerate dedicated").partition(":")
    key, _, value = text.partition("=")
    return changes.Tolerate(key, value, effect)


def _request(rest: tuple[str, ...], case: Case, world: World) -> Change:
    """`4 gpus`, `4`, `4 nvidia.com/gpu`."""
    del case
    number = re.fullmatch(r"(\d{1,5})(gpus?)?", _one(rest, "request 4 gpus").casefold())
    named = next((word for word in rest[1:] if "/" in word), "")
    resource = named or main_resource(world.pod)
    if number is None or not resource:
        raise UsageError(
            "How many of what should it ask for? For example `if request 4 gpus`, or `if request 2 nvidia.com/gpu`."
        )
    return changes.Request(resource, int(number[1]))


def _end(rest: tuple[str, ...], case: Case, world: World) -> Change:
    del world
    word = _one(rest, "ends job/train-7")
    found = find(case.view, word)
    pods = tuple(pod for one in found for pod in one.pods if pod.occupies)
    if not found:
        raise NotFoundError(
            f"Nothing here is called {quoted(word)}, so it cannot end; `/gpu status --by owner` lists who holds GPUs."
        )
    if len(found) > 1 and not all(one.pod for one in found):
        can = names([one.typed for one in found])
        raise UsageError(f"{quoted(word)} can mean {can}: say which, for example `if ends {found[0].typed}`.")
    if not pods:
        raise UsageError(f"{found[0].title} holds nothing on any node, so its end would change nothing.")
    return changes.End(pods, found[0].title)


def _add(rest: tuple[str, ...], case: Case, world: World) -> Change:
    """`node like gpu-1`, `2 nodes like gpu-1`."""
    del world
    number = next((int(word) for word in rest if word.isdecimal() and word.isascii() and len(word) < 4), 1)
    if "like" not in rest or rest.index("like") + 1 >= len(rest) or not 0 < number <= NODES_MOST:
        raise UsageError(
            f"Say how many nodes, {NODES_MOST} at most, and like which one: `if add node like gpu-1`, "
            "`if add 2 nodes like gpu-1`."
        )
    return changes.AddNode(_node(rest[rest.index("like") + 1], case), number)


def _drop(rest: tuple[str, ...], case: Case, world: World) -> Change:
    del case
    words = tuple(word for word in rest if word.casefold() not in ("selector", "label"))
    key = _one(words, "drop selector pool").partition("=")[0]
    asked = [
        *world.pod.spec.node_selector,
        *(one.key for term in world.pod.spec.node_terms or () for one in term.expressions),
    ]
    if key not in asked:
        there = ", ".join(dict.fromkeys(asked)) or "none"
        raise NotFoundError(f"{world.pod.key} does not ask for the label {quoted(key)}; it asks for: {there}.")
    return changes.DropSelector(key)


def _priority(rest: tuple[str, ...], case: Case, world: World) -> Change:
    del world
    name = _one(rest, "priority high")
    known = case.view.priorityclasses
    if name not in known:
        there = ", ".join(sorted(known)) or "none that could be read"
        raise NotFoundError(f"No priority class is called {quoted(name)}; there are: {there}.")
    return changes.Priority(known[name].value, name)


_FORMS: dict[str, Callable[[tuple[str, ...], Case, World], Change]] = {
    "uncordon": _uncordon,
    "untaint": _untaint,
    "tolerate": _tolerate,
    "request": _request,
    "end": _end,
    "add": _add,
    "drop": _drop,
    "priority": _priority,
}

"""What a sweep could not look at. It is said even where nothing fires: nobody looked there."""

from collections.abc import Iterable, Iterator

from bot.checks.finding import Finding, State
from bot.checks.scene import Reads, Scene
from bot.domain.evidence import Evidence, LogRef, Wanted
from bot.domain.source import Reading
from bot.domain.view import View
from bot.domain.words import count, names
from bot.gpu.stack.vendor import NVIDIA

NODES_NAMED = 3
_TELLING = frozenset("nodes pods events daemonsets deployments replicasets statefulsets jobs".split())
_FAILED = "the check itself failed"


def unseen(
    view: View, kinds: Iterable[str], scenes: list[Scene], findings: Iterable[Finding], wanted: Wanted, told: Evidence
) -> Iterator[str]:
    yield from _kinds(view, _TELLING)
    yield from _cards(scenes)
    yield from _agents(scenes)
    yield from _logs(wanted, told)
    if broken := failed(findings):
        yield f"checks that failed themselves, which is a bug: {names(broken, 5)}"
    yield from _kinds(view, set(kinds) - _TELLING)


def failed(findings: Iterable[Finding]) -> list[str]:
    """Checks that failed themselves, by name."""
    return sorted({one.check for one in findings if one.state is State.UNKNOWN and _is_bug(one)})


def _kinds(view: View, kinds: Iterable[str]) -> Iterator[str]:
    """Kinds that the server lacks are known to be empty."""
    silent = [view.source(kind) for kind in sorted(kinds)]
    missing = [one for one in silent if not one.known and one.reading is not Reading.ABSENT]
    by_reason: dict[str, list[str]] = {}
    for one in missing:
        by_reason.setdefault(one.detail or str(one.reading), []).append(one.name)
    for reason, those in by_reason.items():
        yield f"{names(those, 3)} ({reason})"


def _cards(scenes: list[Scene]) -> Iterator[str]:
    ours = [one for one in scenes if one.sight.vendor is NVIDIA]
    cards = [one.name for one in ours if not {Reads.AGENT, Reads.DCGM} & one.at_hand]
    if cards:
        yield f"the GPUs themselves on {_nodes(cards, ours)}: neither node agent nor DCGM exporter told"
    kernel = [one.name for one in ours if Reads.KERNEL not in one.at_hand]
    if kernel:
        yield f"kernel messages of {_nodes(kernel, ours)}"
    foreign = [one.name for one in scenes if one.sight.vendor is not NVIDIA]
    if foreign:
        yield f"the drivers of {_nodes(foreign, scenes)}, whose GPUs nobody here reads"


def _agents(scenes: list[Scene]) -> Iterator[str]:
    """Agents that are silent or odd among others that tell; where none tells, nobody has installed them."""
    if not any(Reads.AGENT in one.at_hand for one in scenes):
        return
    by_words: dict[str, list[str]] = {}
    for one in scenes:
        if words := one.oddness:
            by_words.setdefault(words, []).append(one.name)
    for words, nodes in by_words.items():
        yield f"node agent of {names(nodes, NODES_NAMED)}: {words}"


def _nodes(found: list[str], every: list[Scene]) -> str:
    if len(found) == len(every) > NODES_NAMED:
        return f"all {count(len(found), 'GPU node')}"
    return names(found, NODES_NAMED)


def _logs(wanted: Wanted, told: Evidence) -> Iterator[str]:
    asked = [ref for ref in wanted.refs if isinstance(ref, LogRef)]
    missing = [ref for ref in asked if ref not in told.texts and not ref.previous]
    if missing:
        pods = list(dict.fromkeys(f"{ref.namespace}/{ref.pod}" for ref in missing))
        yield f"logs of {count(len(pods), 'pod')}: {names(pods)}"


def _is_bug(one: Finding) -> bool:
    return bool(one.missing) and one.missing[0].startswith(_FAILED)

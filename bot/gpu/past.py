"""What changed on nodes since they were last looked at, and which change was a step back.

A version that nobody tells now is not a change: it was not told. A label is written by a pod and may be older than the
driver: it changes what an agent has told only where the agent was asked and is silent, and not to what ran before.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from bot.domain.node_past import VALUES_AT_MOST, FleetPast, Held, NodePast
from bot.domain.version import Version, version
from bot.gpu.versions import DRIVER, PLUGIN

AGENT, LABEL, LABEL_ALONE = "agent", "label", "label, no agent"
STEPS = (DRIVER, "CUDA", PLUGIN)  # the parts of which a step back is worth an alert


class Said(msgspec.Struct, frozen=True, gc=False):
    """One version as it is told now, and by whom."""

    value: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Moved:
    """One part of one node that runs another version than before."""

    node: str
    part: str
    before: Held
    now: Held

    @property
    def back(self) -> bool:
        """Whether that was a step back; versions that do not compare are none."""
        then, is_now = number(self.before.value), number(self.now.value)
        return then is not None and is_now is not None and is_now < then


def number(text: str) -> Version | None:
    """`v0.17.1`, `0.17.1-ubi9` and `580.95.05` as versions."""
    return version(text.strip().removeprefix("v"))


def looked(past: FleetPast, told: Mapping[str, Mapping[str, Said]], now: datetime) -> tuple[FleetPast, list[NodePast]]:
    """The past with what is told now, and the nodes of which something changed; `told`: node → part → version."""
    changed = []
    nodes = dict(past.nodes)
    for name, parts in told.items():
        before = nodes.get(name)
        nodes[name] = after = _node(name, before, parts, now)
        if before is None or before.parts != after.parts:
            changed.append(after)
    return msgspec.structs.replace(past, nodes=nodes, since=past.since or now), changed


def _node(name: str, before: NodePast | None, told: Mapping[str, Said], now: datetime) -> NodePast:
    parts = dict(before.parts) if before is not None else {}
    for part, said in told.items():
        held = parts.get(part, ())
        if said.value and not (held and _same(held, said)):
            parts[part] = _changed(held, said, now)
        elif held and said.by == AGENT and held[-1].by != AGENT:
            parts[part] = (*held[:-1], msgspec.structs.replace(held[-1], by=AGENT))
    return NodePast(node=name, parts=parts if before is None or parts != before.parts else before.parts, seen_at=now)


def _same(held: tuple[Held, ...], said: Said) -> bool:
    """Whether that is what runs already, or a label that the agent's word counts more than."""
    if held[-1].value == said.value or (said.by == LABEL and held[-1].by == AGENT):
        return True
    stale = said.by == LABEL_ALONE and held[-1].by == AGENT
    return stale and any(one.value == said.value for one in held)


def _changed(held: tuple[Held, ...], said: Said, now: datetime) -> tuple[Held, ...]:
    ended = tuple(msgspec.structs.replace(one, until=now) if one.until is None else one for one in held)
    return (*ended, Held(value=said.value, since=now, by=said.by))[-VALUES_AT_MOST:]


def moves(past: NodePast, parts: Iterable[str] = STEPS) -> Iterator[Moved]:
    """The last change of each of these parts."""
    for part in parts:
        before, now = past.before(part), past.now(part)
        if before is not None and now is not None:
            yield Moved(past.node, part, before, now)


def steps_back(past: NodePast) -> list[Moved]:
    """Driver, CUDA and plugin where they are older than they were, also where they have come a part of the way since.

    `now.since` is then when the newer version ended.
    """
    return [found for part in STEPS if (found := _step_back(past, part)) is not None]


def _step_back(past: NodePast, part: str) -> Moved | None:
    now = past.now(part)
    if now is None:
        return None
    for before in reversed(past.parts[part][:-1]):
        since = Held(value=now.value, since=before.until or now.since, by=now.by)
        if (found := Moved(past.node, part, before, since)).back:
            return found
    return None

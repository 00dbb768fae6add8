"""The GPUs of a node, one line each; the slices of a cut one under it."""

import re
from collections.abc import Iterator

from bot.checks.scene import Reads, Scene
from bot.domain.document import Bullets, Line, line
from bot.domain.gpu_reading import ClearedXid, GpuReading, MigDevice, NodeReading
from bot.domain.text import inert
from bot.domain.words import count, duration, names
from bot.gpu.kind import Kind
from bot.gpu.row import Holding
from bot.gpu.stack.pods import clock
from bot.views.gpu_node_cards import Card, holdings, marked_by_plugin

CARDS_SHOWN, HOLDERS_SHOWN, SLICES_SHOWN = 16, 6, 7
SAID_MAX = 70
_CLAUSE = re.compile(r"\s*[(:;,]")
_EMPTY_BYTES = 256 * 2**20  # what the driver itself keeps of a slice that nobody uses
_GIB = 2**30


def part(scene: Scene, cards: tuple[Card, ...]) -> Bullets | None:
    """None where there is nothing to say of any GPU."""
    lines = tuple(_lines(scene, cards))
    return Bullets(_title(scene), lines) if lines else None


def source(scene: Scene) -> NodeReading | None:
    """Whose numbers are shown; the agent's where both told."""
    if Reads.AGENT in scene.at_hand:
        return scene.agent
    return scene.dcgm.reading if scene.dcgm is not None else None


def _title(scene: Scene) -> str:
    told = source(scene)
    if told is None:
        return "GPUs"
    age = told.age_seconds(scene.now)
    when = f" {duration(age)} ago" if age is not None else ""
    return f"GPUs, read by the {told.source}{when}"


def _lines(scene: Scene, cards: tuple[Card, ...]) -> Iterator[Line]:
    held = holdings(scene)
    named: set[str] = set()
    for card in cards[:CARDS_SHOWN]:
        yield line(" · ".join(_facts(scene, card, held, named)))
        if slices := _slices(card.gpu, held, named):
            yield line(f"· MIG {slices}")
    if len(cards) > CARDS_SHOWN:
        yield line(f"and {count(len(cards) - CARDS_SHOWN, 'more GPU')}")
    if not cards:
        yield from (line(f"{inert(uuid, 60)}: marked unhealthy by the device plugin") for uuid in _marked(scene))
    yield from _others(held, named, told=bool(cards))


def _marked(scene: Scene) -> list[str]:
    return sorted(marked_by_plugin(scene))[:CARDS_SHOWN]


def _facts(scene: Scene, card: Card, held: dict[str, list[Holding]], named: set[str]) -> Iterator[str]:
    gpu = card.gpu
    yield f"GPU {gpu.index}"
    yield _health(scene, card)
    yield _users(card, held, named)
    if gpu.utilization_gpu_percent is not None:
        yield f"{gpu.utilization_gpu_percent} %"
    if gpu.memory_used_bytes is not None:
        yield _memory(gpu.memory_used_bytes, gpu.memory_total_bytes)
    if gpu.power_milliwatts is not None:
        limit = f" of {gpu.power_limit_milliwatts / 1000:.0f}" if gpu.power_limit_milliwatts else ""
        yield f"{gpu.power_milliwatts / 1000:.0f}{limit} W"
    if gpu.temperature_celsius is not None:
        yield f"{gpu.temperature_celsius} °C"
    if card.xid is not None:
        at = f" at {clock(card.xid.at)}" if card.xid.at else ""
        yield f"Xid {card.xid.code}{at}"
    elif card.cleared is not None:
        yield _over(card.cleared)


def _over(xid: ClearedXid) -> str:
    """`Xid 94 at 10:02, cleared at 10:39 (the GPU answers again)`."""
    at = f" at {clock(xid.at)}" if xid.at else ""
    when = f" at {clock(xid.cleared_at)}" if xid.cleared_at else ""
    return f"Xid {xid.code}{at}, cleared{when}{f' ({inert(xid.by, 60)})' if xid.by else ''}"


def _health(scene: Scene, card: Card) -> str:
    """A DCGM exporter tells less than the driver itself, so of its GPUs only what was seen is said."""
    match card.health:
        case "lost":
            return "LOST: the driver does not reach it"
        case "fault":
            more = f" (+{len(card.troubles) - 1})" if card.troubles[1:] else ""
            return f"FAULT: {_said(scene, card)}{more}"
        case "unhealthy":
            return "UNHEALTHY: marked by the device plugin"
        case "note":
            return f"note: {_said(scene, card)}"
    return "well" if Reads.AGENT in scene.at_hand else "no fault seen"


def _said(scene: Scene, card: Card) -> str:
    """The worst finding's first words, without whom it speaks of: the whole of it stands above."""
    text = card.troubles[0].sentence
    for head in (f"{scene.name}'s GPU {card.gpu.index} ", f"{scene.name} GPU {card.gpu.index} "):
        text = text.removeprefix(head)
    return inert(_CLAUSE.split(text)[0], SAID_MAX)


def _users(card: Card, held: dict[str, list[Holding]], named: set[str]) -> str:
    """Owner and team stand behind the first mention of each pod."""
    if card.gpu.mig_enabled:
        return "cut (MIG)"
    if card.users is None:
        busy = len(card.gpu.processes or ())
        return f"{count(busy, 'process', 'processes')}, whose nobody told" if busy else "user not told"
    if not card.users:
        return "free"
    return names([_user(key, held, named) for key in card.users], 2)


def _user(key: str, held: dict[str, list[Holding]], named: set[str]) -> str:
    plain = inert(key, 80)
    ours = held.get(key)
    if key in named or not ours:
        return plain
    named.add(key)
    return f"{plain}{_whose(ours[0])}"


def _whose(holding: Holding) -> str:
    owner = "" if holding.owner_kind == "Pod" else f"{holding.owner_kind.lower()}/{holding.owner}"
    told = ", ".join(filter(None, (owner, f"team {holding.team}" if holding.team else "")))
    return f" ({inert(told, 80)})" if told else ""


def _others(held: dict[str, list[Holding]], named: set[str], *, told: bool) -> Iterator[Line]:
    """Who holds some, as Kubernetes counts, where nobody told which; pods of one owner together."""
    alike: dict[tuple[str, str, str, Kind], list[Holding]] = {}
    for one in (one for key, ours in held.items() if key not in named for one in ours):
        alike.setdefault((one.namespace, one.owner_kind, one.owner, one.kind), []).append(one)
    if not alike:
        return
    order = sorted(alike.values(), key=lambda ours: -sum(one.amount for one in ours))
    more = f"; and {len(order) - HOLDERS_SHOWN} more" if len(order) > HOLDERS_SHOWN else ""
    which = "held too, nobody told which" if told and named else "held, nobody told which" if told else "held"
    yield line(f"{which}: {'; '.join(map(_share, order[:HOLDERS_SHOWN]))}{more}")


def _share(ours: list[Holding]) -> str:
    """`llm/glm-0 (statefulset/glm, team llm) 8 GPUs`, or `dev/nb (deployment, team dev) 3 pods, 3 × 1g.10gb`."""
    first, amount = ours[0], sum(one.amount for one in ours)
    unit = f"{amount} × {first.kind.detail}" if first.kind.unit == "slice" else count(amount, first.kind.unit)
    pods = {one.pod for one in ours}
    if len(pods) == 1:
        return f"{inert(f'{first.namespace}/{first.pod or first.owner}', 80)}{_whose(first)} {unit}"
    whose = ", ".join(filter(None, (first.owner_kind.lower(), f"team {first.team}" if first.team else "")))
    return f"{inert(f'{first.namespace}/{first.owner} ({whose})', 120)} {len(pods)} pods, {unit}"


def _memory(used: int, total: int | None) -> str:
    return f"{used / _GIB:.0f} of {total / _GIB:.0f} GiB" if total else f"{used / _GIB:.0f} GiB"


def _slices(gpu: GpuReading, held: dict[str, list[Holding]], named: set[str]) -> str:
    """Slices that are alike and empty stand together."""
    shown: dict[str, int] = {}
    for one in gpu.mig_devices:
        text = _slice(one, held, named)
        shown[text] = shown.get(text, 0) + 1
    texts = [f"{amount} × {text}" if amount > 1 else text for text, amount in shown.items()]
    return names(texts[:SLICES_SHOWN], SLICES_SHOWN, len(texts))


def _slice(one: MigDevice, held: dict[str, list[Holding]], named: set[str]) -> str:
    profile = inert(one.profile or one.name, 40)
    if one.pod:
        return f"{profile} {_user(one.pod, held, named)}{_used(one)}"
    if one.memory_used_bytes is None:
        return profile
    return f"{profile} empty" if one.memory_used_bytes < _EMPTY_BYTES else f"{profile}{_used(one)}"


def _used(one: MigDevice) -> str:
    if one.memory_used_bytes is None:
        return ""
    return f" ({_memory(one.memory_used_bytes, one.memory_total_bytes)})"

"""The one sentence about a pod that no node takes, chosen by what blocks the nodes that could hold it."""

from collections.abc import Callable

from bot.gpu.cordon import who
from bot.why.placement import devices, discovery, neighbours, nowhere, ports, shortage, spreading
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.named import room, which
from bot.why.placement.nodes import NodeGroup, Survey
from bot.why.placement.told import Headline


def headline(survey: Survey) -> Headline:
    """Of the largest group; where no node could ever hold the pod, of that."""
    if not survey.groups:
        return nowhere.headline(survey)
    group = survey.groups[0]
    leading = min(group.blockers, key=lambda one: _ORDER.index(one.kind))
    return _TELLERS[leading.kind](survey, group, leading)


_ORDER = (
    Kind.UNKNOWN, Kind.VOLUME, Kind.DEVICES, Kind.SPREAD, Kind.NEIGHBOURS, Kind.PORTS, Kind.NONE, Kind.SMALL,
    Kind.SHORT, Kind.TAINT, Kind.CORDON, Kind.NOT_READY, Kind.LABELS, Kind.OTHER,
)  # fmt: skip


def _short(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    del leading
    return shortage.of(survey, group)


def _taint(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    taint = leading.detail
    who_has = which(group)
    carries = "carries" if len(group.nodes) == 1 else "carry"
    sentence = f"{who_has} {room(survey, group)}but {carries} the taint `{taint}`, which the pod does not tolerate"
    evidence: tuple[str, ...] = ()
    if survey.main == "" and taint.key in ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915"):
        evidence = (
            f"Pods that ask for `{taint.key}` are often given this toleration by the platform; this one asks for none",
        )
    return Headline("taint", sentence, evidence, numbers={"taint": str(taint), "nodes": len(group.nodes)})


def _cordon(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    by = {who(survey.state.info(name).node) for name in group.nodes}
    told = f" ({by.pop()})" if len(by) == 1 and "" not in by else ""
    is_are = "is" if len(group.nodes) == 1 else "are"
    state = leading.words if leading.key.startswith("leaving:") else f"cordoned{told}"
    sentence = f"{which(group)} {room(survey, group)}but {is_are} {state}"
    return Headline("cordon", sentence, numbers={"nodes": len(group.nodes)})


def _not_ready(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    is_are = "is" if len(group.nodes) == 1 else "are"
    ready = survey.state.info(group.nodes[0]).node.condition("Ready")
    reason = (
        f": {(ready.message or ready.reason).rstrip('.')}"
        if ready and ready.status != "True" and (ready.message or ready.reason)
        else ""
    )
    return Headline("node.not-ready", f"{which(group)} {room(survey, group)}but {is_are} {leading.words}{reason}")


def _volume(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    return Headline(
        "volume", f"{which(group)} {room(survey, group)}but {leading.words}", numbers={"claim": leading.about}
    )


def _plain(identifier: str) -> Callable[[Survey, NodeGroup, Blocker], Headline]:
    def tell(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
        del survey
        return Headline(identifier, f"{which(group)} cannot take it: {leading.words}")

    return tell


_TELLERS: dict[Kind, Callable[[Survey, NodeGroup, Blocker], Headline]] = {
    Kind.SHORT: _short,
    Kind.SMALL: _short,
    Kind.NONE: _short,
    Kind.TAINT: _taint,
    Kind.CORDON: _cordon,
    Kind.NOT_READY: _not_ready,
    Kind.SPREAD: spreading.headline,
    Kind.NEIGHBOURS: neighbours.headline,
    Kind.VOLUME: _volume,
    Kind.DEVICES: devices.headline,
    Kind.PORTS: ports.headline,
    Kind.LABELS: discovery.headline,
    Kind.OTHER: _plain("scheduling"),
    Kind.UNKNOWN: _plain("not-checked"),
}

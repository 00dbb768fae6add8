"""The one sentence about a pod that no node takes, chosen by what blocks the nodes that could hold it."""

from collections.abc import Callable
from difflib import get_close_matches

from bot.domain.text import natural
from bot.domain.words import names
from bot.gpu.cordon import who
from bot.why.placement import devices, discovery, neighbours, offered, ports, shortage, spreading
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.named import room, which
from bot.why.placement.nodes import CONTROL, NO_GPU, NodeGroup, Survey, counted
from bot.why.placement.told import Headline


def headline(survey: Survey) -> Headline:
    """Of the largest group; where no node could ever hold the pod, of that."""
    if not survey.groups:
        return _nowhere(survey)
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
    del leading
    by = {who(survey.state.info(name).node) for name in group.nodes}
    told = f" ({by.pop()})" if len(by) == 1 and "" not in by else ""
    is_are = "is" if len(group.nodes) == 1 else "are"
    sentence = f"{which(group)} {room(survey, group)}but {is_are} cordoned{told}"
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


def _nowhere(survey: Survey) -> Headline:
    """Every node is one that the pod could never use: by labels, or because nobody offers what it asks for."""
    if not survey.state.nodes:
        return Headline("nodes.none", "the cluster has no node at all", numbers={"nodes": 0})
    if survey.main and all(why in (NO_GPU, CONTROL) or "offers `" in why for why in survey.never):
        return offered.nowhere(survey, survey.main)
    wanted = [(key, value) for key, value in survey.pod.spec.node_selector.items()]
    missing = [(key, value) for key, value in wanted if not _has(survey, key, value)]
    if missing:
        key, value = missing[0]
        values = sorted({labels[key] for labels in _labels(survey) if key in labels}, key=natural)
        close = get_close_matches(value, values, n=1, cutoff=0.5)
        there = (
            f"nodes have {names([f'`{one}`' for one in values], shown=4)}"
            if values
            else "no node has that label at all"
        )
        hint = f"; perhaps `{close[0]}` was meant" if close else ""
        sentence = f"it asks for nodes with `{key}={value}`, and there is none: {there}{hint}"
        return Headline("labels.none", sentence, numbers={"label": key, "value": value})
    why = "; ".join(counted(len(nodes), words) for words, nodes in list(survey.never.items())[:3])
    return Headline("labels.none", f"no node is one that it may use: {why}")


def _labels(survey: Survey) -> list[dict[str, str]]:
    return [dict(info.node.labels) for info in survey.state.infos()]


def _has(survey: Survey, key: str, value: str) -> bool:
    return any(labels.get(key) == value for labels in _labels(survey))

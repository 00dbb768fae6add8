"""One filter that turns a node down, said in terms of the node: what it has or lacks, never the scheduler's words."""

from collections.abc import Callable, Iterable
from typing import Any

from bot.domain.node import LIFECYCLE_TAINTS, Node, Taint
from bot.domain.pod_spec import HostPort, PodTerm
from bot.domain.quantity import shown
from bot.domain.view import View
from bot.gpu.kind import is_gpu_resource
from bot.scheduling.cycle import Rejection
from bot.scheduling.filters.inter_pod_affinity import NO_COMPANY
from bot.scheduling.filters.node_affinity import Mismatch
from bot.scheduling.filters.node_resources_fit import Shortage
from bot.scheduling.filters.pod_topology_spread import Skew
from bot.scheduling.framework import Code
from bot.scheduling.messages import parse, sentence
from bot.why.placement import storage
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.starting import LEAVING, STARTING


def of_rejection(rejection: Rejection, node: Node, view: View) -> Iterable[Blocker]:
    """One filter may tell several things of one node."""
    failure = rejection.failure
    if failure.code is Code.ERROR:
        yield Blocker(Kind.UNKNOWN, f"unknown:{rejection.plugin}", f"not checked ({_told(failure.reasons)})")
        return
    told = list(_told_by_plugin(rejection, node, view))
    if told:
        yield from told
        return
    for reason in failure.reasons:
        yield Blocker(_KINDS.get(rejection.plugin, Kind.OTHER), f"{rejection.plugin}:{reason}", _told((reason,)))


def _told_by_plugin(rejection: Rejection, node: Node, view: View) -> Iterable[Blocker]:
    if rejection.plugin == "InterPodAffinity":
        return _neighbours(rejection)
    tell = _TELLERS.get(rejection.plugin)
    return tell(rejection.failure.detail) if tell else storage.tell(rejection.failure.detail, node, view)


def _told(reasons: Iterable[str]) -> str:
    """The scheduler's own reasons in plain words."""
    return ", ".join(sentence(one) for reason in reasons for one in parse(reason).body)


def _shortages(detail: Any) -> Iterable[Blocker]:
    for one in detail if isinstance(detail, tuple) else ():
        if isinstance(one, Shortage):
            yield _shortage(one)


def _shortage(one: Shortage) -> Blocker:
    name = resource_name(one.resource)
    if one.resource == "pods":
        words = f"no room for one more pod (its limit: {one.allocatable:,})"
        return Blocker(Kind.SHORT, "short:pods", words, "pods", one)
    if one.allocatable <= 0:
        return Blocker(Kind.NONE, f"none:{one.resource}", f"offers no {name}", one.resource, one)
    if one.too_small:
        words = f"too small: {_amount(one)} in all"
        return Blocker(Kind.SMALL, f"small:{one.resource}", words, one.resource, one)
    return Blocker(Kind.SHORT, f"short:{one.resource}", f"too {_few(one.resource)} {name} free", one.resource, one)


def _amount(one: Shortage) -> str:
    """`1 GPU`, `8 GPUs`, `64 GiB memory`."""
    name = resource_name(one.resource)
    return f"{shown(one.resource, one.allocatable)} {'GPU' if name == 'GPUs' and one.allocatable == 1 else name}"


def _few(resource: str) -> str:
    return "few" if is_gpu_resource(resource) or resource == "cpu" or "/" in resource else "little"


def resource_name(resource: str) -> str:
    """As people say it: `GPUs` for nvidia.com/gpu, `CPUs`, `memory`; other names as they are."""
    if resource in ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/i915", "gpu.intel.com/xe"):
        return "GPUs"
    return {"cpu": "CPUs", "ephemeral-storage": "ephemeral storage"}.get(resource, resource)


def _taint(detail: Any) -> Iterable[Blocker]:
    if not isinstance(detail, Taint):
        return
    if detail.key in LIFECYCLE_TAINTS:
        state = detail.key.rpartition("/")[2]
        words = {
            "not-ready": "not Ready",
            "unreachable": "unreachable: its kubelet has stopped reporting",
            "unschedulable": "cordoned",
        }.get(state, f"under {state.replace('-', ' ')}")
        kind = Kind.CORDON if state == "unschedulable" else Kind.NOT_READY
        yield Blocker(kind, "cordon" if kind is Kind.CORDON else f"state:{state}", words, detail.key, detail)
        return
    if who := LEAVING.get(detail.key):
        yield Blocker(Kind.CORDON, f"leaving:{detail.key}", f"on its way out: {who} is removing it", detail.key, detail)
        return
    if who := STARTING.get(detail.key):
        words = f"not set up yet: {who} still has to take its taint `{detail.key}` away"
        yield Blocker(Kind.NOT_READY, f"starting:{detail.key}", words, detail.key, detail)
        return
    yield Blocker(Kind.TAINT, f"taint:{detail}", f"taint `{detail}` is not tolerated", detail.key, detail)


def _cordon(detail: Any) -> Iterable[Blocker]:
    del detail
    yield Blocker(Kind.CORDON, "cordon", "cordoned")


def _labels(detail: Any) -> Iterable[Blocker]:
    if not isinstance(detail, Mismatch):
        return
    for key, value in detail.selector:
        yield Blocker(Kind.LABELS, f"label:{key}={value}", f"label `{key}={value}` is missing", key, detail)
    if detail.terms and not detail.selector:
        wanted = " or ".join(" and ".join(map(str, term)) for term in detail.terms[:2] if term)
        key = detail.terms[0][0].key if detail.terms[0] else ""
        if wanted:
            yield Blocker(Kind.LABELS, f"labels:{wanted}", f"node affinity `{wanted}` does not hold", key, detail)


def _spread(detail: Any) -> Iterable[Blocker]:
    if isinstance(detail, Skew):
        words = (
            f"would be uneven: {detail.count} of these pods in its `{detail.key}` already, and no more than "
            f"{detail.least + detail.max_skew} may be"
        )
        yield Blocker(Kind.SPREAD, f"spread:{detail.key}", words, detail.key, detail)
    elif isinstance(detail, str):
        yield Blocker(
            Kind.SPREAD, f"spread-label:{detail}", f"label `{detail}` for the spread is missing", detail, detail
        )


def _neighbours(rejection: Rejection) -> Iterable[Blocker]:
    """Whose rule it is shows in the reason: the same term is the detail of both."""
    term = rejection.failure.detail
    if not isinstance(term, PodTerm):
        key = term[0] if isinstance(term, tuple) and term else ""
        words = f"a pod on the same `{key}` does not want it there (its anti-affinity)"
        yield Blocker(Kind.NEIGHBOURS, f"unwelcome:{key}", words, key, term)
        return
    alone = rejection.failure.reasons == NO_COMPANY
    words = (
        f"no pod that it must be with is on the same `{term.key}` (its affinity)"
        if alone
        else f"a pod that it must not be with is on the same `{term.key}` (its anti-affinity)"
    )
    yield Blocker(Kind.NEIGHBOURS, f"{'alone' if alone else 'company'}:{term.key}", words, term.key, term)


def _ports(detail: Any) -> Iterable[Blocker]:
    if isinstance(detail, HostPort):
        yield Blocker(
            Kind.PORTS, f"port:{detail.port}", f"host port {detail.port}/{detail.protocol} is taken", "", detail
        )


_KINDS = {
    "NodeName": Kind.LABELS,
    "NodeAffinity": Kind.LABELS,
    "NodeDeclaredFeatures": Kind.LABELS,
    "VolumeBinding": Kind.VOLUME,
    "VolumeZone": Kind.VOLUME,
    "VolumeRestrictions": Kind.VOLUME,
    "NodeVolumeLimits": Kind.VOLUME,
    "PodTopologySpread": Kind.SPREAD,
    "InterPodAffinity": Kind.NEIGHBOURS,
    "DynamicResources": Kind.DEVICES,
    "NodePorts": Kind.PORTS,
}
_TELLERS: dict[str, Callable[[Any], Iterable[Blocker]]] = {
    "NodeResourcesFit": _shortages,
    "TaintToleration": _taint,
    "NodeUnschedulable": _cordon,
    "NodeAffinity": _labels,
    "PodTopologySpread": _spread,
    "NodePorts": _ports,
}

"""How queues, what waits in them, and nodes to come stand: pods are not the point there."""

from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.time import seconds_since
from bot.domain.words import count, duration
from bot.why.amounts import number, said, scarcest_first
from bot.why.case import Case
from bot.why.kueue_line import cluster_queue_of
from bot.why.kueue_quota import quotas
from bot.why.kueue_workload import Workload, workloads


def of_queueing(case: Case, thing: Thing, ready: int) -> tuple[str, bool] | None:
    """Words that continue its name, and whether all is well; None for other kinds. `ready`: how many pods are."""
    fields = case.fields(thing)
    if thing.kind == "Workload":
        return _workload(case, Workload(thing, fields), ready)
    if thing.kind in ("ClusterQueue", "LocalQueue"):
        return _queue(case, thing, fields)
    return _claim(case, thing, fields) if thing.kind == "NodeClaim" else None


def _workload(case: Case, one: Workload, ready: int) -> tuple[str, bool]:
    if one.finished:
        return "has finished", True
    if not one.active:
        return "is switched off", False
    if not one.reserved:
        return f"waits{_since(case, one.thing.created)}", False
    pods = len(case.subject.pods)
    if not one.admitted:
        return "has its quota and is not let in yet", False
    return f"was let in, {ready} of {count(pods, 'pod')} ready", ready == pods > 0


def _queue(case: Case, thing: Thing, fields: Fields) -> tuple[str, bool]:
    open_ = fields.condition("Active").text("status") != "False"
    mine = [one for one in workloads(case) if _in(case, one, thing)]
    held = sum(1 for one in mine if one.reserved)
    waiting = sum(1 for one in mine if not one.reserved and one.active)
    words = f"has {count(waiting, 'workload')} in line and {held:,} let in{_reserved(case, thing)}"
    return words if open_ else f"is closed and {words}", open_


def _reserved(case: Case, queue: Thing) -> str:
    """How much of its scarcest resource is taken."""
    cells = quotas(case, queue.name) if queue.kind == "ClusterQueue" else []
    if not cells:
        return ""
    resource = scarcest_first(one.resource for one in cells)[0]
    mine = [one for one in cells if one.resource == resource]
    used, own = sum(one.used for one in mine), sum(one.nominal for one in mine)
    return f", {number(resource, used)} of {said(resource, own)} reserved"


def _in(case: Case, one: Workload, queue: Thing) -> bool:
    if queue.kind == "ClusterQueue":
        return cluster_queue_of(case, one) == queue.name
    return (one.thing.namespace, one.queue) == (queue.namespace, queue.name)


def _claim(case: Case, thing: Thing, fields: Fields) -> tuple[str, bool]:
    node = fields.text("status", "nodeName")
    if fields.condition("Initialized").text("status") == "True":
        return f"is in use as node {node}", True
    return f"waits{_since(case, thing.created)} for its node{f' {node}' if node else ''}", False


def _since(case: Case, time: str) -> str:
    seconds = seconds_since(time, case.now)
    return "" if seconds is None else f" {duration(max(1.0, seconds))}"

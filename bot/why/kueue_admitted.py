"""Workloads that have their quota and still do not run: checks, or nodes that say no where quota said yes."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.words import names
from bot.gpu.kind import is_gpu_resource
from bot.why.amounts import said, scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.kueue_line import behind, cluster_queue_of, unplaced
from bot.why.kueue_workload import Workload
from bot.why.room import room
from bot.why.shell import kubectl, patch, quoted

KIND = "workloads.kueue.x-k8s.io"
PREFERRED = "kueue.x-k8s.io/podset-preferred-topology"


def checks(case: Case, workload: Workload) -> Iterator[Finding]:
    """Quota is there; other controllers have not agreed yet."""
    for one in workload.fields.each("status", "admissionChecks"):
        if one.text("state") not in ("Ready", ""):
            yield _check(case, workload, one)


def _check(case: Case, workload: Workload, check: Fields) -> Finding:
    name, state, message = check.text("name"), check.text("state"), check.text("message")
    thing = case.view.things("admissionchecks").get(name)
    fields = case.fields(thing) if thing else Fields()
    by = fields.text("spec", "controllerName")
    off = fields.condition("Active").text("status") == "False"
    absent = thing is None and case.view.knows("admissionchecks")
    what = "does not exist" if absent else "is not active" if off else f"says {state}"
    return Finding(
        "kueue.admission-check",
        f"it has its quota, and Kueue waits for the admission check `{name}`, which {what}",
        evidence=tuple(
            filter(
                None,
                (
                    f"{name}: {state} {quoted(message)}" if message else "",
                    f"the check is answered by {by}" if by else "",
                    f"AdmissionCheck {name}: {quoted(fields.condition('Active').text('message'))}" if off else "",
                ),
            )
        ),
        remedies=(Remedy("See the check", kubectl("describe", "admissionchecks.kueue.x-k8s.io", name)),),
        useless=("More quota does not help: its quota is reserved already.",),
        unknown=case.not_read("admissionchecks"),
        until=f"`{name}` says Ready" if state == "Pending" and not off and not absent else "",
        weight=2,
    )


def unplaced_after_all(case: Case, workload: Workload) -> Iterator[Finding]:
    """Admitted, and a pod of it finds no node: quota is a sum over nodes, a pod needs one of them."""
    pod = case.pod
    if pod is None or not unplaced(pod):
        return
    wanted = [name for name in scarcest_first(pod.requests) if is_gpu_resource(name) or "/" in name]
    if not wanted:
        yield _not_quota(workload)
        return
    resource, free = wanted[0], room(case.view, wanted[0])
    asked = pod.requests[resource]
    if not case.view.knows("nodes") or not case.view.knows("pods") or free.largest >= asked:
        yield _not_quota(workload)
        return
    queue = cluster_queue_of(case, workload)
    waiting = list(behind(case, queue, resource))
    held = sum(value for (_, name), value in workload.uses.items() if name == resource) or asked
    yield Finding(
        "kueue.quota-without-node",
        f"Kueue let it start because quota is a sum over nodes and the pod needs {asked:,} on one; meanwhile it holds "
        f"{said(resource, held)} of the quota of `{queue}` without running",
        Level.ROOT,
        evidence=(
            free.words,
            *((f"behind it in line: {names(waiting, 3)}",) if waiting else ()),
            *(
                (f"it only prefers to stay together (`{PREFERRED}`), so Kueue let it through",)
                if _prefers(workload)
                else ()
            ),
        ),
        remedies=tuple(_give_back(workload, bool(waiting))),
        useless=("More quota does not help: quota is not what it lacks.",),
        numbers={"free": free.total, "largest": free.largest, "asked": asked},
    )


def _prefers(workload: Workload) -> bool:
    return any(
        PREFERRED in one.map("template", "metadata", "annotations") or one.text("topologyRequest", "preferred")
        for one in workload.fields.each("spec", "podSets")
    )


def _not_quota(workload: Workload) -> Finding:
    queue = workload.cluster_queue
    return Finding(
        "kueue.admitted", f"Kueue has admitted it (ClusterQueue `{queue}`): quota is not what it waits for", Level.NOTE
    )


def _give_back(workload: Workload, others_wait: bool) -> Iterator[Remedy]:
    thing = workload.thing
    gain = "frees its quota for those behind it" if others_wait else "frees its quota"
    yield Remedy(
        f"Put `{thing.namespace}/{workload.job}` back in the queue until one node is free enough: {gain}",
        patch(KIND, thing.name, '{"spec":{"active":false}}', namespace=thing.namespace),
        verified=False,
        cost="nothing is lost, it does not run; set `active` to true again later",
    )
    if _prefers(workload):
        yield Remedy(
            "Ask for `kueue.x-k8s.io/podset-required-topology` in place of `podset-preferred-topology` in the job's "
            "template: Kueue then admits it only where it fits",
            verified=False,
        )

"""Scheduling gates: a pod that no scheduler looks at until somebody lifts its gates.

A gated pod has no events and no message but "Scheduling is blocked due to non-empty scheduling gates". Gates can only
be taken away, by whoever set them; the name's domain says who. Kueue lifts its gate when the pod's Workload is
admitted, so a gate without a Workload is never lifted: some releases of Kueue make Workloads for the configured
replicas of a LeaderWorkerSet only, and the extra groups of a rolling update (maxSurge) stay gated.

Facts: kubernetes/kubernetes:pkg/registry/core/pod/strategy.go, kubernetes-sigs/kueue:pkg/controller/jobs.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.why.amounts import name_of, number
from bot.why.case import Case
from bot.why.finding import Finding, Stage
from bot.why.foreign_gates import foreign_gates
from bot.why.kueue_controller import down, is_controller
from bot.why.kueue_quota import quotas
from bot.why.kueue_unqueued import before_workload
from bot.why.kueue_workload import asked_queue, workload_of
from bot.why.lws_groups import group_index, set_of, surge
from bot.why.shell import kubectl

KUEUE = "kueue.x-k8s.io/"
ADMISSION, TOPOLOGY, ELASTIC = f"{KUEUE}admission", f"{KUEUE}topology", f"{KUEUE}elastic-job"


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or not case.waits or not pod.gated:
        return
    gates = pod.spec.gates
    if foreign := [gate for gate in gates if not gate.startswith(KUEUE)]:
        yield foreign_gates(case, pod, foreign)
    if any(gate.startswith(KUEUE) for gate in gates):
        yield from _kueue(case, pod, gates)


def _kueue(case: Case, pod: Pod, gates: tuple[str, ...]) -> Iterator[Finding]:
    if not case.view.knows("workloads"):
        yield _unread(case, gates)
        return
    workload = workload_of(case)
    if workload is None:
        if any(before_workload(case)):
            return
        yield _no_workload(case, pod)
    elif workload.admitted and workload.active:
        yield _left_over(case, pod, gates)
    else:
        return  # it waits for its Workload: the stage of Kueue tells
    if (root := down(case)) is not None:
        yield root


def _unread(case: Case, gates: tuple[str, ...]) -> Finding:
    return Finding(
        "gates.kueue",
        f"Kueue holds it back by the gate `{gates[0]}` until it is admitted",
        unknown=case.not_read("workloads", "localqueues", "clusterqueues"),
        weight=-1,
    )


def _no_workload(case: Case, pod: Pod) -> Finding:
    owner = set_of(case.view, pod)
    index = group_index(pod)
    replicas = owner.fields.number("spec", "replicas") if owner else None
    extra = owner is not None and index is not None and replicas is not None and index >= replicas
    why = f": it is an extra group of the update, and only groups 0 to {(replicas or 1) - 1} got one" if extra else ""
    lws = owner if extra else None
    return Finding(
        "gates.surge-without-workload" if extra else "gates.no-workload",
        f"Kueue's gate keeps `{pod.name}` from being scheduled and nobody will lift it, since Kueue has made no "
        f"Workload for {'this group' if index is not None else 'it'}{why}",
        evidence=tuple(filter(None, (_surge_words(lws, replicas), _quota_words(case), _gated_words(case, pod)))),
        remedies=tuple(_help(case, pod, lws)),
        useless=("Waiting does not help, and more quota does not either: quota is not the reason.",),
        unknown=case.not_read("leaderworkersets"),
        weight=5,
    )


def _surge_words(lws: Thing | None, replicas: int | None) -> str:
    if lws is None:
        return ""
    return (
        f"`{lws.title}` has replicas {replicas} and maxSurge {surge(lws)}: Kueue made Workloads for the replicas only"
    )


def _quota_words(case: Case) -> str:
    """That quota is free, where its objects say so."""
    queue, _ = asked_queue(case)
    local = case.view.things("localqueues").get(f"{case.subject.namespace}/{queue}")
    if local is None or case.pod is None:
        return ""
    name = case.fields(local).text("spec", "clusterQueue")
    asked = case.pod.requests
    fits = [one for one in quotas(case, name) if 0 < asked.get(one.resource, 0) <= one.left and "/" in one.resource]
    return next(
        (
            f"quota is free: {number(one.resource, one.left)} of {number(one.resource, one.most)} "
            f"{name_of(one.resource)} are left in ClusterQueue `{name}`"
            for one in fits
        ),
        "",
    )


def _gated_words(case: Case, pod: Pod) -> str:
    alike = [one.name for one in case.subject.pods if one.gated and not one.node and one.name != pod.name]
    return f"gated as well: {names(alike)}" if alike else ""


def _help(case: Case, pod: Pod, lws: Thing | None) -> Iterator[Remedy]:
    if lws is not None:
        change = '{"spec":{"rolloutStrategy":{"rollingUpdateConfiguration":{"maxSurge":0}}}}'
        yield Remedy(
            "Set maxSurge 0: the update then replaces groups in place",
            kubectl(
                "patch",
                "leaderworkersets.leaderworkerset.x-k8s.io",
                lws.name,
                "--type",
                "merge",
                "-p",
                change,
                namespace=lws.namespace,
            ),
            verified=False,
            cost="up to maxUnavailable groups serve nothing while they are replaced",
        )
        yield Remedy(
            "For good: upgrade Kueue to 0.16 or newer, which makes Workloads for extra groups too", verified=False
        )
        return
    running = [one.key for one in case.view.pods.values() if is_controller(one) and one.node]
    yield Remedy(
        "See whether Kueue runs and what it logs" + ("" if running else " (no pod of it was found)"),
        kubectl("get", "pods", "-A", "-l", "app.kubernetes.io/name=kueue"),
    )
    yield Remedy("See what was noted about the pod", kubectl("describe", "pod", pod.name, namespace=pod.namespace))


def _left_over(case: Case, pod: Pod, gates: tuple[str, ...]) -> Finding:
    gate = next((one for one in gates if one.startswith(KUEUE)), "")
    what = {
        TOPOLOGY: "Kueue has admitted it and has not yet told it which rack or node to go to",
        ELASTIC: "the job has grown, and Kueue has not admitted the larger size",
    }.get(gate, "Kueue has admitted it and has not lifted the gate")
    return Finding(
        "gates.left-over",
        f"{what} (gate `{gate}`)",
        remedies=(
            Remedy("See what Kueue logs", kubectl("logs", "-n", "kueue-system", "deploy/kueue-controller-manager")),
        ),
        useless=("More quota does not help: its quota is reserved.",),
    )


STAGE = Stage(
    "gates",
    30,
    judge,
    needs=frozenset({"pods", "workloads", "localqueues", "clusterqueues", "leaderworkersets"}),
    docs=__doc__ or "",
)

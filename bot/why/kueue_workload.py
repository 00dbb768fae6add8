"""Kueue's Workload behind a pod or a job, and how far it has come.

kubernetes-sigs/kueue:apis/kueue/v1beta2/workload_types.go, pkg/controller/jobs/pod/pod_controller.go.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.amounts import added, amounts_of, of_template, times
from bot.why.case import Case

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
GROUP_LABEL = "kueue.x-k8s.io/pod-group-name"
PREBUILT_LABEL = "kueue.x-k8s.io/prebuilt-workload-name"
JOB_LABEL = "kueue.x-k8s.io/job-uid"
TOTAL_ANNOTATION = "kueue.x-k8s.io/pod-group-total-count"
ONE_OF_MANY = "kueue.x-k8s.io/is-group-workload"
FAST_ANNOTATION = "kueue.x-k8s.io/pod-group-fast-admission"


@dataclass(frozen=True, slots=True)
class Workload:
    """One Workload as Kueue sees it. `cluster_queue` is set once quota is reserved."""

    thing: Thing
    fields: Fields

    @property
    def name(self) -> str:
        return self.thing.name

    @property
    def queue(self) -> str:
        """Its LocalQueue."""
        return self.fields.text("spec", "queueName")

    @property
    def priority(self) -> int:
        return self.fields.number("spec", "priority") or 0

    @property
    def active(self) -> bool:
        return self.fields.flag("spec", "active") is not False

    @property
    def cluster_queue(self) -> str:
        return self.fields.text("status", "admission", "clusterQueue")

    def holds(self, condition: str) -> bool:
        return self.fields.condition(condition).text("status") == "True"

    @property
    def finished(self) -> bool:
        return self.holds("Finished")

    @property
    def reserved(self) -> bool:
        return self.holds("QuotaReserved") and not self.finished

    @property
    def admitted(self) -> bool:
        return self.holds("Admitted") and not self.finished

    @property
    def since(self) -> str:
        """When it got in line: it was made, or put back after an eviction."""
        back = max(
            (self.fields.condition(one).text("lastTransitionTime") for one in ("Evicted", "Requeued")), default=""
        )
        return max(self.thing.created, back)

    @property
    def job(self) -> str:
        """The job that it stands for, as people know it: `big`; its own name where it has no job or is one of many."""
        one_of_many = self.thing.annotations.get(ONE_OF_MANY) == "true"
        return self.thing.owner.name if self.thing.owner and not one_of_many else self.name

    @property
    def asks(self) -> dict[str, int]:
        """All its pods together; what Kueue wrote down is believed before the templates."""
        told = [amounts_of(one.map("resources")) for one in self.fields.each("status", "resourceRequests")]
        return added(told) or added(
            times(of_template(one.at("template", "spec")), _count(one)) for one in self.fields.each("spec", "podSets")
        )

    def largest(self, resource: str) -> int:
        """What the largest of its pods asks for."""
        pods = (of_template(one.at("template", "spec")) for one in self.fields.each("spec", "podSets"))
        return max((one.get(resource, 0) for one in pods), default=0)

    @property
    def uses(self) -> dict[tuple[str, str], int]:
        """What its admission holds, by (flavor, resource)."""
        held: dict[tuple[str, str], int] = {}
        for one in self.fields.each("status", "admission", "podSetAssignments"):
            flavors = one.map("flavors")
            for resource, value in amounts_of(one.map("resourceUsage")).items():
                key = (flavors.get(resource, ""), resource)
                held[key] = held.get(key, 0) + value
        return held


def _count(podset: Fields) -> int:
    number = podset.number("count")
    return 1 if number is None else min(max(number, 0), 1_000_000)


def workloads(case: Case) -> list[Workload]:
    """All that are not finished, oldest first."""
    found = (Workload(one, case.fields(one)) for one in case.view.things("workloads").values())
    return sorted((one for one in found if not one.finished), key=lambda one: (one.thing.created, one.thing.key))


def workload_of(case: Case) -> Workload | None:
    """The one that the subject waits for; None where there is none, or none can be told to be its own."""
    subject = case.subject.thing
    if subject is not None and subject.kind == "Workload":
        return Workload(subject, case.fields(subject))
    names = _names(case)
    table = case.view.things("workloads")
    named = next((found for name in names if (found := table.get(f"{case.subject.namespace}/{name}"))), None)
    thing = named or (None if names else _owned(case))
    return Workload(thing, case.fields(thing)) if thing else None


def _names(case: Case) -> list[str]:
    """What the pod itself says its Workload is called: then an owner's other Workloads are not its own."""
    if case.pod is None:
        return []
    labels, annotations = case.pod.labels, case.detail.map("metadata", "annotations")
    told = (labels.get(PREBUILT_LABEL), labels.get(GROUP_LABEL), annotations.get("kueue.x-k8s.io/workload"))
    return [name for name in told if name]


def _owned(case: Case) -> Thing | None:
    """By owner or by the uid in its label; the newest of several (an elastic job replaces its Workload)."""
    uids = {one.uid for one in case.owners if one.uid}
    keys = {(one.kind, one.name) for one in case.owners}
    if case.pod is not None:
        uids |= {case.pod.uid} - {""}
        keys.add(("Pod", case.pod.name))
        if (owner := case.pod.owner) is not None:  # of a kind that is not read, such as a training operator's
            uids |= {owner.uid} - {""}
            keys.add((owner.kind, owner.name))
    mine = [one for one in _near(case.view, case.subject.namespace) if _belongs(one, uids, keys)]
    return max(mine, key=lambda one: one.created, default=None)


def _near(view: View, namespace: str) -> Iterator[Thing]:
    return (one for one in view.things("workloads").values() if one.namespace == namespace)


def _belongs(thing: Thing, uids: set[str], keys: set[tuple[str, str]]) -> bool:
    if thing.labels.get(JOB_LABEL) in uids:
        return True
    owner = thing.owner
    if owner is None:
        return False
    return owner.uid in uids if owner.uid and uids else (owner.kind, owner.name) in keys


def pods_of(view: View, workload: Workload) -> list[Pod]:
    """Its pods, by the owner or by the group's name."""
    owner = workload.thing.owner
    found = set(view.pods_by_owner.get(owner.uid, ())) if owner and owner.uid else set()
    uid = workload.thing.labels.get(JOB_LABEL, "")
    found |= view.pods_by_owner.get(uid, set()) if uid else set()
    group = (PREBUILT_LABEL, GROUP_LABEL)
    found |= {
        pod
        for pod in view.pods.values()
        if pod.namespace == workload.thing.namespace
        and (any(pod.labels.get(label) == workload.name for label in group) or (uid and pod.uid == uid))
    }
    return sorted(found, key=lambda pod: pod.key)


def asked_queue(case: Case) -> tuple[str, str]:
    """The queue that the subject or an owner names in its label, and what names it (`job/train`); empty for none."""
    named = [(one.labels.get(QUEUE_LABEL, ""), one.title) for one in case.owners]
    if case.pod is not None:
        named.append((case.pod.labels.get(QUEUE_LABEL, ""), f"pod/{case.pod.name}"))
    return next(((queue, what) for queue, what in named if queue), ("", ""))

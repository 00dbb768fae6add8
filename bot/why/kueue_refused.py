"""What keeps Kueue from admitting a workload beside amounts: taints, labels, topology, strict order, its own words."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.kueue_messages import Why, parse
from bot.why.kueue_topology import topology
from bot.why.kueue_workload import Workload
from bot.why.shell import kubectl, quoted

KIND = "workloads.kueue.x-k8s.io"
_WORDS = {
    "Workload no longer fits after processing another workload": "another workload was let in first; it is tried again",
    "Workload has overlapping preemption targets with another workload": "another workload evicts the same ones first",
    "resources didn't satisfy LimitRange constraints": "a LimitRange of its namespace forbids what it asks for",
    "resources validation failed": "what it asks for is not valid",
    "The workload has failed admission checks": "an admission check refused it",
    "Workload requires preemption, but it's gated": "others would have to be evicted for it, which a gate forbids",
    "Exceeded the PodsReady timeout": "its pods were not ready in time, so it went back in line",
}
# reasons that stand without a message; the first three up to release 0.18, the others from 0.19 on
_REASONS = {
    "Pending": "it waits for quota",
    "Inadmissible": "its queue does not admit it as it is",
    "Waiting": "it waits for others to be ready first",
    "NoMatchingFlavor": "no flavor of its queue suits it",
    "WaitingForQuota": "too little quota is free",
    "ExceedsMaxQuota": "it asks for more than its queue can ever have",
    "TopologyPlacementFailed": "its pods find no place close together",
    "WaitingForPreemptedWorkloads": "the workloads that are evicted for it are not gone yet",
    "Misconfigured": "its queue or flavor is set up wrongly",
    "Suspended": "its queue is stopped",
    "PendingEvaluation": "Kueue has not looked at it yet",
    "WaitingForPodsReady": "the pods of a workload before it are not ready yet",
}


def in_its_words(case: Case, workload: Workload) -> Finding:
    """The reason as Kueue tells it; the words are ours where the text is known, a quote where it is not."""
    told = workload.fields.condition("QuotaReserved")
    message, reason = told.text("message"), told.text("reason")
    known = next((words for text, words in _WORDS.items() if text in message), "")
    why = known or (
        quoted(message) if message else _REASONS.get(reason) or f"it says only {quoted(reason or 'nothing')}"
    )
    thing = workload.thing
    return Finding(
        "kueue.not-admitted",
        f"Kueue has not let it start: {why}",
        evidence=(f"Workload {thing.key}: QuotaReserved=False ({reason}) {quoted(message)}",) if message else (),
        remedies=(Remedy("See what Kueue notes", kubectl("describe", KIND, thing.name, namespace=thing.namespace)),),
        unknown=case.not_read("clusterqueues", "localqueues"),
        weight=-1,
    )


def others(case: Case, workload: Workload, queue: str) -> Iterator[Finding]:
    """Reasons beside amounts: a flavor's taint or labels, a resource that no flavor has, topology."""
    refusal = parse(workload.fields.condition("QuotaReserved").text("message"))
    if reasons := refusal.of(Why.TOPOLOGY):
        yield topology(case, refusal, reasons[0])
    for why, build in _OTHERS.items():
        if reasons := refusal.of(why):
            identity, sentence, help_ = build
            first = reasons[0]
            what = {"flavor": first.flavor, "resource": first.resource, "detail": first.detail, "queue": queue}
            yield Finding(
                identity,
                sentence.format(**what),
                evidence=(f"Kueue says {quoted(refusal.text, 400)}",),
                remedies=(Remedy(help_.format(**what), verified=False),),
                useless=("More quota does not help.",),
            )


_OTHERS: dict[Why, tuple[str, str, str]] = {
    Why.TAINT: (
        "kueue.taint",
        "Kueue cannot use flavor `{flavor}` for it: the flavor has the taint {detail}, which the pods do not tolerate",
        "Add a toleration for {detail} to the job's template, if it may run there",
    ),
    Why.AFFINITY: (
        "kueue.affinity",
        "Kueue cannot use flavor `{flavor}` for it: the pods select other nodes than the flavor stands for",
        "Compare the job's node selector with `kubectl get resourceflavors.kueue.x-k8s.io {flavor} -o yaml`",
    ),
    Why.NO_FLAVOR: (
        "kueue.flavor-missing",
        "ClusterQueue `{queue}` names flavor `{flavor}`, which does not exist",
        "Create ResourceFlavor `{flavor}` or correct its name in ClusterQueue `{queue}`",
    ),
    Why.NOT_COVERED: (
        "kueue.not-covered",
        "ClusterQueue `{queue}` has no quota for `{resource}` at all, and the job asks for it",
        "Add `{resource}` to a resource group of ClusterQueue `{queue}`, or ask for a resource that it covers",
    ),
}

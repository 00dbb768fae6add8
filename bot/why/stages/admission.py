"""An owner cannot make its pods: the API server refuses each one, so there is nothing that could be Pending.

Read from `FailedCreate` events and `ReplicaFailure` conditions of ReplicaSets, Jobs, StatefulSets and DaemonSets: a
full quota (also one that has no room for the extra pod of a rolling update), LimitRanges, Pod Security, webhooks that
do not answer or say no, classes and accounts that do not exist, invalid fields, a namespace that is being deleted.
Where events have expired and no condition tells, the quotas are added up: would one more pod be let in?
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.why.admission_errors import Kind, Refusal, parse
from bot.why.case import Case
from bot.why.finding import Finding, Stage
from bot.why.makers import FAILED, Failure, Maker, failure, makers
from bot.why.refusals.other import ANSWERS
from bot.why.refusals.quota import would_exceed
from bot.why.refusals.refused import Refused
from bot.why.rolling import Rollout, rollout
from bot.why.shell import kubectl

PATIENCE_SECONDS = 120  # a controller that works makes its pods within seconds


def judge(case: Case) -> Iterator[Finding]:
    """At most one finding for each controller, the topmost first."""
    if case.subject.node is not None or case.subject.record is not None:
        return
    told: set[str] = set()
    rolling, around = rollout(case), makers(case)
    direct = any(one.wanted is not None for one in around)
    for maker in (*around, *_unseen(case, rolling)):
        finding = _of(case, maker, rolling, direct=direct)
        if finding is not None and finding.sentence not in told:
            told.add(finding.sentence)
            yield finding


def _of(case: Case, maker: Maker, rolling: Rollout | None, *, direct: bool) -> Finding | None:
    """`direct`: controllers that make pods themselves are known, so a Deployment's condition only repeats theirs."""
    failed = failure(case, maker)
    if failed is not None:
        if maker.wanted is None and failed.event is None and direct:
            return None
        refusal = parse(failed.message)
        return ANSWERS[refusal.kind](Refused(case, maker, refusal, failed, rolling))
    if not _overdue(case, maker):
        return None
    return _by_quota(case, maker, rolling) or _unexplained(case, maker)


def _overdue(case: Case, maker: Maker) -> bool:
    """Wants more pods than there are, for longer than making them takes, and nothing else says when they come."""
    if not maker.missing or maker.thing.kind not in ("ReplicaSet", "Job") or not case.view.knows("pods"):
        return False
    if case.subject.pod is not None or _leaving(case, maker):
        return False
    latest = max((one.time for one in case.events_on(maker.thing)), default="")
    scaled = max((one.time for top in case.owners for one in case.events_on(top)), default="")
    age = case.age_seconds(max(maker.thing.created, latest, scaled))
    return age is not None and age > PATIENCE_SECONDS


def _leaving(case: Case, maker: Maker) -> bool:
    """Its namespace is being deleted: that is told by itself, and says why nothing is made."""
    namespace = case.evidence.object("Namespace", "", maker.thing.namespace)
    return bool(namespace.text("metadata", "deletionTimestamp"))


def _by_quota(case: Case, maker: Maker, rolling: Rollout | None) -> Finding | None:
    """No word is left: added up, a quota has no room for one more pod."""
    for quota in case.view.things("resourcequotas").values():
        if quota.namespace != maker.thing.namespace:
            continue
        if requested := would_exceed(case, quota, maker.fields.at("spec", "template", "spec")):
            refusal = Refusal(Kind.QUOTA, "", name=quota.name, requested=requested)
            return ANSWERS[Kind.QUOTA](Refused(case, maker, refusal, Failure("", ""), rolling))
    return None


def _unexplained(case: Case, maker: Maker) -> Finding:
    title, namespace = maker.thing.title, maker.thing.namespace
    return Finding(
        "admission.not-made",
        f"only {maker.present} of {count(maker.wanted or 0, 'pod')} of `{title}` exist, and nothing that is left says "
        "why the others were not made",
        evidence=(
            f"No FailedCreate event of `{title}` (events expire, after an hour as a rule), no ReplicaFailure condition",
        ),
        remedies=(Remedy("Read its events once it has tried again", kubectl("describe", title, namespace=namespace)),),
        unknown=case.not_read("events", "resourcequotas"),
    )


def _unseen(case: Case, rolling: Rollout | None) -> Iterator[Maker]:
    """A ReplicaSet that only events speak of: it is not in what was read."""
    if rolling is None or rolling.new is not None or rolling.old or case.subject.pod is not None:
        return
    namespace, name = rolling.deployment.namespace, rolling.deployment.name
    seen = sorted(
        about
        for kind, place, about in case.view.events_about
        if kind == "ReplicaSet" and place == namespace and about.rpartition("-")[0] == name
    )
    for about in seen:
        event = next((one for one in case.view.events_on("ReplicaSet", namespace, about) if one.reason in FAILED), None)
        if event is not None:
            yield Maker(Thing(name=about, namespace=namespace, kind="ReplicaSet"), rolling.fields, (), None)
            return


STAGE = Stage(
    "admission",
    20,
    judge,
    needs=frozenset(
        {
            "deployments",
            "replicasets",
            "statefulsets",
            "daemonsets",
            "jobs",
            "cronjobs",
            "jobsets",
            "resourcequotas",
            "limitranges",
            "namespaces",
            "mutatingwebhookconfigurations",
            "validatingwebhookconfigurations",
            "services",
            "endpointslices",
            "priorityclasses",
            "runtimeclasses",
            "serviceaccounts",
            "events",
            "pods",
        }
    ),
    docs=__doc__ or "",
)

"""JobSets that start their jobs in order, or have ended: kubernetes-sigs/jobset:api/jobset/v1alpha2."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.thing import Thing
from bot.domain.words import names
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.shell import kubectl, quoted


def later_jobs(case: Case) -> Iterator[Finding]:
    """Only for the JobSet itself: pods of later jobs do not exist, so nobody can ask about them."""
    thing = case.subject.thing
    if thing is None or thing.kind != "JobSet":
        return
    fields = case.fields(thing)
    failed = fields.condition("Failed")
    if failed.text("status") == "True":
        yield _failed(thing, failed.text("message"))
    elif fields.text("spec", "startupPolicy", "startupPolicyOrder") == "InOrder":
        yield from _in_order(case, thing)


def _failed(thing: Thing, message: str) -> Finding:
    return Finding(
        "groups.jobset-failed",
        "the JobSet has failed and makes no more pods",
        evidence=(quoted(message),) if message else (),
        remedies=(
            Remedy("See which job failed first", kubectl("describe", "jobset", thing.name, namespace=thing.namespace)),
        ),
    )


def _in_order(case: Case, thing: Thing) -> Iterator[Finding]:
    """The first replicated job that is not ready holds up those after it."""
    fields = case.fields(thing)
    order = [one.text("name") for one in fields.each("spec", "replicatedJobs") if one.text("name")]
    asked = {one.text("name"): one.number("replicas") or 1 for one in fields.each("spec", "replicatedJobs")}
    done = {
        one.text("name"): (one.number("ready") or 0) + (one.number("succeeded") or 0)
        for one in fields.each("status", "replicatedJobsStatus")
    }
    held = next((index for index, name in enumerate(order) if done.get(name, 0) < asked[name]), None)
    if held is None or held == len(order) - 1 or fields.flag("spec", "suspend"):
        return
    first, later = order[held], order[held + 1 :]
    yield Finding(
        "groups.jobset-order",
        f"It starts its jobs in order, and `{first}` has {done.get(first, 0)} of {asked[first]} ready: "
        f"{names([f'`{one}`' for one in later])} {'is' if len(later) == 1 else 'are'} made after that",
        Level.ROOT,
        remedies=() if case.pod is not None else (_look(thing, first),),
        useless=(f"Looking for pods of {names(later)} does not help: they do not exist yet.",),
    )


def _look(thing: Thing, first: str) -> Remedy:
    """Where no pod of it is known: otherwise the stages tell about that pod."""
    label = f"jobset.sigs.k8s.io/jobset-name={thing.name}"
    return Remedy(f"See the pods of `{first}`", kubectl("get", "pods", "-l", label, namespace=thing.namespace))

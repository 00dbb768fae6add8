"""A namespace that is being deleted: its pods go, and none can be made in it.

Controllers write no event about that: kubernetes/kubernetes:pkg/controller/controller_utils.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.makers import makers
from bot.why.shell import kubectl, quoted

NAMESPACE_SECONDS = 300.0  # deleting all that is in it takes a while


def leaving(case: Case) -> Iterator[Finding]:
    """Whether the namespace itself is on its way out."""
    name = case.subject.namespace
    fields = case.evidence.object("Namespace", "", name) if name else Fields()
    deleted = fields.text("metadata", "deletionTimestamp")
    if not deleted:
        return
    age = case.age_seconds(deleted)
    when = f" for {duration(max(1.0, age))}" if age is not None else ""
    missing = sum(one.missing for one in makers(case))
    cause = bool(missing) and case.subject.pod is None
    overdue = being_deleted(case) and (age is None or age > NAMESPACE_SECONDS)
    clause = f"namespace {name} has been terminating{when}"
    yield Finding(
        "terminating.namespace",
        f"{clause}: no pod can be made in it any more, and no event says so" if cause else f"The whole {clause}",
        Level.CAUSE if cause else Level.ROOT if overdue else Level.NOTE,
        evidence=tuple(_left(fields)),
        remedies=(
            Remedy("See what its deletion waits for", kubectl("get", "namespace", name, "-o", "yaml")),
            Remedy("Create the workload in another namespace, or again after this one is gone"),
        ),
    )


def _left(fields: Fields) -> Iterator[str]:
    """What the namespace controller says is left."""
    for one in fields.each("status", "conditions"):
        if one.text("status") == "True" and one.text("message"):
            yield f"{one.text('type')}: {quoted(one.text('message'))}"


def being_deleted(case: Case) -> bool:
    return bool(case.pod and case.pod.deleted) or any(one.deleted for one in case.owners)

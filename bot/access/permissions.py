"""What a plan needs of Kubernetes' own authorizer, for access reviews: one question for each kind of call.

Undoing and cleaning up are asked for beforehand, too: whoever begins must be able to end.
"""

from dataclasses import dataclass

from bot.access.decision import Decision, refused
from bot.domain.change import Plan, Step, Verb
from bot.domain.writing import Review

_VERBS = {
    Verb.PATCH: ("patch",),
    Verb.APPLY: ("patch", "create"),  # server-side apply creates what is not there
    Verb.CREATE: ("create",),
    Verb.DELETE: ("delete",),
    Verb.EVICT: ("create",),
}


@dataclass(frozen=True, slots=True)
class Permission:
    """As `authorization.k8s.io/v1` names it in a SubjectAccessReview's resourceAttributes."""

    verb: str
    api_group: str
    resource: str
    subresource: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        what = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        group = f".{self.api_group}" if self.api_group else ""
        return f"{self.verb} {what}{group}" + (f" in {self.namespace}" if self.namespace else "")


def permissions(plan: Plan) -> tuple[Permission, ...]:
    """In the order of the steps, each once."""
    steps = (*plan.steps, *plan.undo, *plan.cleanup)
    return tuple(dict.fromkeys(one for step in steps for one in _of(step)))


def denied(permission: Permission, review: Review, *, you: bool = True) -> Decision | None:
    """None where it is allowed. Not known counts as no: an access check fails closed."""
    if review.allowed:
        return None
    person = "You" if you else "gpubot"
    if review.allowed is None:
        return refused(f"Whether {person.replace('You', 'you')} may `{permission}` could not be asked: {review.reason}")
    grants = "a Role" if permission.namespace else "a ClusterRole"
    return refused(
        f"{person} may not `{permission}` in Kubernetes: {review.reason}",
        f"whoever administers RBAC there, by {grants} that allows it",
    )


def _of(step: Step) -> list[Permission]:
    target = step.target
    group, slash, _ = target.api_version.rpartition("/")
    subresource = "eviction" if step.verb is Verb.EVICT else target.subresource
    group = group if slash else ""
    return [
        Permission(
            verb,
            group,
            target.resource,
            subresource,
            target.namespace,
            target.name if verb != "create" or subresource else "",
        )
        for verb in _VERBS[step.verb]
    ]

"""A quota or LimitRange that wants something else of the pod than less: a request, a limit, a smaller container."""

from bot.domain.answer import Remedy
from bot.domain.words import names
from bot.why.finding import Finding
from bot.why.refusals.refused import NO_POD, Refused
from bot.why.shell import kubectl


def silent(refused: Refused) -> Finding:
    """A quota on cpu or memory (requests or limits) makes every container say how much it wants."""
    wants = names([f"`{one}`" for one in refused.refusal.items], 4)
    namespace = refused.namespace
    return refused.finding(
        f"quota `{refused.refusal.name}` of namespace {namespace} wants every container to say how much it takes and "
        f"its template does not: {wants} (resource: containers); {NO_POD}",
        remedies=(
            refused.change("Set the missing requests and limits in the template"),
            Remedy(
                "Or give the namespace defaults by a LimitRange",
                kubectl("get", "limitrange", "-o", "yaml", namespace=namespace),
            ),
        ),
    )


def uncounted(refused: Refused) -> Finding:
    name = refused.refusal.name
    return refused.finding(
        f"quota `{name}` has not been counted yet, and until then it lets nobody in; {NO_POD}",
        remedies=(
            Remedy(
                "Look whether its `status.used` fills: kube-controller-manager counts it",
                kubectl("get", "resourcequota", name, "-o", "yaml", namespace=refused.namespace),
            ),
        ),
    )


def needed(refused: Refused) -> Finding:
    """The API server is set up so that some resource or class may be used only under a quota that covers it."""
    return refused.finding(
        f"namespace {refused.namespace} has no quota that allows what the pod asks for "
        f"({refused.refusal.detail[:120]}): the API server is set up to let it in only where a quota covers it; "
        f"{NO_POD}",
        remedies=(
            Remedy(
                "Have an administrator create such a quota",
                kubectl("get", "resourcequota", namespace=refused.namespace),
            ),
        ),
    )


def limit_range(refused: Refused) -> Finding:
    """Too large, too small, or without a limit, for one container or pod."""
    items = refused.refusal.items or (refused.refusal.detail[:200],)
    ranges = sorted(
        one.name for one in refused.case.view.things("limitranges").values() if one.namespace == refused.namespace
    )
    which = f"`{names(ranges)}` of namespace" if ranges else "of namespace"
    return refused.finding(
        f"LimitRange {which} {refused.namespace} does not allow what the template asks for: {'; '.join(items[:3])}; "
        f"{NO_POD}",
        remedies=(
            refused.change("Ask for an amount inside the limits"),
            Remedy("Or change the LimitRange", kubectl("edit", "limitrange", *ranges[:1], namespace=refused.namespace)),
        ),
    )

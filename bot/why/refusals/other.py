"""Names that do not exist, fields that are wrong, and refusals that need few words."""

from collections.abc import Callable, Mapping

from bot.domain.answer import Remedy
from bot.domain.words import names
from bot.why.admission_errors import Kind
from bot.why.finding import Finding
from bot.why.nearest import nearest, there_are
from bot.why.refusals import limits, quota, security, webhook
from bot.why.refusals.quota import LAST_RETRY_SECONDS
from bot.why.refusals.refused import NO_POD, Refused
from bot.why.shell import kubectl, quoted


def priority_class(refused: Refused) -> Finding:
    return _missing(refused, "PriorityClass", "priorityclasses", "priorityClassName")


def runtime_class(refused: Refused) -> Finding:
    return _missing(refused, "RuntimeClass", "runtimeclasses", "runtimeClassName")


def service_account(refused: Refused) -> Finding:
    return _missing(refused, "ServiceAccount", "serviceaccounts", "serviceAccountName", namespace=refused.namespace)


def _missing(refused: Refused, kind: str, table: str, field: str, namespace: str = "") -> Finding:
    """The template names something that is not there."""
    view, name = refused.case.view, refused.refusal.name
    known = [one for one in view.tables.get(table, {}).values() if getattr(one, "namespace", "") == namespace]
    there = [one.name for one in known]
    if name in there:
        return _made_since(refused, kind)
    like = nearest(name, there)
    hint = f" (`{like}` does: a typing mistake?)" if like else ""
    where = f" in namespace {namespace}" if namespace else ""
    return refused.finding(
        f"its template names {kind} `{name}`, which does not exist{where}{hint}; {NO_POD}",
        *((there_are(there, kind),) if view.knows(table) else ()),
        remedies=(
            refused.change(f"Name one that exists: `{field}{f': {like}' if like else ''}`"),
            Remedy(f"Or create {kind} `{name}`{_elsewhere(refused, table, name)}", _made(kind, name, namespace)),
        ),
        unknown=refused.case.not_read(table),
    )


def _made(kind: str, name: str, namespace: str) -> str:
    """What makes it, where that takes no more than a name; else a look at those that exist."""
    if kind == "ServiceAccount":
        return kubectl("create", "serviceaccount", name, namespace=namespace)
    return kubectl("get", kind.lower(), "-o", "yaml", namespace=namespace)


def _elsewhere(refused: Refused, table: str, name: str) -> str:
    """One of that name in another namespace, whose rights and annotations may be wanted."""
    found = refused.case.view.tables.get(table, {}).values()
    spaces = sorted({space for one in found if one.name == name and (space := getattr(one, "namespace", ""))})
    return f" (as in namespace {names(spaces)}, with its annotations and role bindings)" if spaces else ""


def _made_since(refused: Refused, kind: str) -> Finding:
    """It is there by now; the controller has not tried again yet."""
    return refused.finding(
        f"{kind} `{refused.refusal.name}` did not exist when {refused.pods} should have been made; it does by now, "
        "and the "
        f"controller tries again at the latest {LAST_RETRY_SECONDS // 60} min after its last try",
        what="made-since",
    )


def invalid(refused: Refused) -> Finding:
    """The API server's validation: a pod like that can never exist, whatever is free."""
    items = [one.replace('resource.MustParse("', '"').replace('")', '"') for one in refused.refusal.items]
    whole = any("must be an integer" in one for one in items)
    fraction = "; devices are given out whole" if whole else ""
    return refused.finding(
        f"the pod that its template describes is invalid: {'; '.join(items[:3])[:400]}{fraction}; {NO_POD}",
        remedies=(
            refused.change(
                "Ask for a whole number (parts of a GPU are MIG instances or time-sliced replicas with names of "
                "their own)"
                if whole
                else "Correct these fields in the template"
            ),
        ),
    )


def terminating(refused: Refused) -> Finding:
    name = refused.refusal.name or refused.namespace
    return refused.finding(
        f"namespace {name} is being deleted, and nothing new can be made in it; {NO_POD}",
        remedies=(
            Remedy("See what the deletion waits for", kubectl("get", "namespace", name, "-o", "yaml")),
            Remedy("Create the workload in another namespace"),
        ),
    )


def no_namespace(refused: Refused) -> Finding:
    return refused.finding(f"namespace {refused.refusal.name} does not exist any more; {NO_POD}")


def policy(refused: Refused) -> Finding:
    return refused.finding(
        f"ValidatingAdmissionPolicy `{refused.refusal.name}` refuses {refused.pods}: "
        f"{quoted(refused.refusal.detail, 240)}; {NO_POD}",
        remedies=(
            refused.change("Change the template as it says"),
            Remedy(
                "Or ask who owns the policy",
                kubectl("get", "validatingadmissionpolicy", refused.refusal.name, "-o", "yaml"),
            ),
        ),
    )


def constraints(refused: Refused) -> Finding:
    account = refused.template.text("serviceAccountName") or "default"
    return refused.finding(
        f"no security context constraint that service account `{account}` may use allows the pod: "
        f"{quoted(refused.refusal.detail, 240)}; {NO_POD}",
        remedies=(refused.change("Make the template fit one"),),
    )


def rights(refused: Refused) -> Finding:
    return refused.finding(
        f"the controller may not create pods: {quoted(refused.refusal.detail, 240)}; {NO_POD}",
        remedies=(Remedy("Give it back its rights: look at its ClusterRole and RoleBindings"),),
    )


def exists(refused: Refused) -> Finding:
    name = refused.refusal.name
    return refused.finding(
        f"an object called `{name}` exists already in namespace {refused.namespace} and is not its own: it waits "
        "until that is gone",
        remedies=(Remedy("See whose it is", kubectl("get", "pod", name, "-o", "yaml", namespace=refused.namespace)),),
    )


def overloaded(refused: Refused) -> Finding:
    return refused.finding(
        f"the API server could not take the pod in time: {quoted(refused.refusal.text, 160)}; its controller tries "
        "again by itself",
        useless=("Changing the template does not help: it is the API server or etcd that is slow",),
    )


def unknown(refused: Refused) -> Finding:
    """A text that gpubot has no words for is shown as it is."""
    return refused.finding(
        f"the API server refuses {refused.pods}: {quoted(refused.refusal.text, 300)}; so there is no Pending pod",
        remedies=(
            Remedy(
                "Look at the template that is refused",
                kubectl("get", refused.top.title, "-o", "yaml", namespace=refused.namespace),
            ),
        ),
    )


ANSWERS: Mapping[Kind, Callable[[Refused], Finding]] = {
    Kind.QUOTA: quota.exceeded,
    Kind.QUOTA_SILENT: limits.silent,
    Kind.QUOTA_UNKNOWN: limits.uncounted,
    Kind.QUOTA_NEEDED: limits.needed,
    Kind.LIMIT_RANGE: limits.limit_range,
    Kind.POD_SECURITY: security.violates,
    Kind.WEBHOOK_DOWN: webhook.unreachable,
    Kind.WEBHOOK_DENIED: webhook.denied,
    Kind.POLICY: policy,
    Kind.CONSTRAINTS: constraints,
    Kind.PRIORITY_CLASS: priority_class,
    Kind.RUNTIME_CLASS: runtime_class,
    Kind.SERVICE_ACCOUNT: service_account,
    Kind.TERMINATING: terminating,
    Kind.NO_NAMESPACE: no_namespace,
    Kind.INVALID: invalid,
    Kind.RIGHTS: rights,
    Kind.EXISTS: exists,
    Kind.OVERLOADED: overloaded,
    Kind.OTHER: unknown,
}

"""An admission webhook that does not answer, or says no.

With `failurePolicy: Fail` (the default) an API server that cannot reach the webhook refuses everything that its rules
match. If those match all pods, no pod can be made in the whole cluster, often not even the webhook's own.
kubernetes/apiserver:pkg/admission/plugin/webhook/errors/statuserror.go, kubernetes/api:admissionregistration/v1.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.answer import Remedy
from bot.domain.event import Event
from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.words import count, names
from bot.why.admission_errors import Kind, parse
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.makers import FAILED
from bot.why.refusals.refused import NO_POD, Refused
from bot.why.refusals.service import Behind, behind
from bot.why.shell import kubectl, quoted

TABLES = ("mutatingwebhookconfigurations", "validatingwebhookconfigurations")
NAMESPACE_LABEL = "kubernetes.io/metadata.name"


@dataclass(frozen=True, slots=True)
class Hook:
    """One webhook of a configuration; `index` is its place there."""

    configuration: Thing
    index: int
    fields: Fields

    @property
    def every_pod(self) -> bool:
        """Whether its rules and selectors match pods of every namespace."""
        return not _conditions(self.fields, "namespaceSelector") and not _conditions(self.fields, "objectSelector")

    @property
    def fails(self) -> bool:
        return self.fields.text("failurePolicy") in ("", "Fail")


def _conditions(fields: Fields, selector: str) -> bool:
    return bool(fields.get(selector, "matchLabels") or fields.get(selector, "matchExpressions"))


def hook(case: Case, name: str) -> Hook | None:
    """The webhook of that name; None where its configuration is not read or gone."""
    for table in TABLES:
        for configuration in case.view.things(table).values():
            for index, one in enumerate(case.fields(configuration).each("webhooks")):
                if one.text("name") == name:
                    return Hook(configuration, index, one)
    return None


def unreachable(refused: Refused) -> Finding:
    """Nobody answers: who should, what that stops, and how to get out, also where the webhook stops its own pod."""
    case, refusal = refused.case, refused.refusal
    found = hook(case, refusal.name)
    service = refusal.service
    server = behind(case, *service) if service[1] else None
    others = refused_alike(case, refusal.name)
    itself = server is not None and any(
        namespace == server.namespace and server.owns(name) for namespace, name in others
    )
    return refused.finding(
        f"admission webhook `{refusal.name}` does not answer ({_where(refused, server)}), and "
        f"{_reach(found, others)}; {NO_POD}, whatever its owner's template says",
        *_evidence(found, server, others, itself),
        remedies=tuple(_remedies(refused, found, server, itself=itself)),
        useless=("The template of what is refused need not change, and free GPUs do not matter",),
        unknown=() if found else case.not_read(*TABLES),
    )


def _where(refused: Refused, server: Behind | None) -> str:
    namespace, name = refused.refusal.service
    detail = refused.refusal.detail.rpartition('": ')[2] or refused.refusal.detail
    if server is not None and server.there is False:
        return f"its service `{namespace}/{name}` does not exist"
    if server is not None and server.endpoints == 0:
        return f"its service `{namespace}/{name}` has no ready endpoints"
    if name:
        return f"its service `{namespace}/{name}`: {quoted(detail, 120)}"
    return f"{refused.refusal.url or 'its address'}: {quoted(detail, 120)}"


def _reach(found: Hook | None, others: set[tuple[str, str]]) -> str:
    if found is not None and found.fails and found.every_pod:
        return "because it must answer for every pod, the whole cluster is affected: no new pod can be created anywhere"
    spaces = {namespace for namespace, _ in others}
    if len(spaces) > 1:
        return f"pods of {count(len(spaces), 'namespace')} are refused alike"
    return "every pod that its rules match is refused"


def _evidence(found: Hook | None, server: Behind | None, others: set[tuple[str, str]], itself: bool) -> Iterator[str]:
    if found is not None:
        scope = "pods of all namespaces" if found.every_pod else "pods that its selectors choose"
        policy = found.fields.text("failurePolicy") or "Fail"
        yield f"`{found.configuration.title}`: failurePolicy {policy}, {scope}"
    if server is not None:
        yield from server.evidence
    if len(others) > 1:
        yield f"Refused alike: {names([f'`{namespace}/{name}`' for namespace, name in sorted(others)], 4)}"
    if itself and server is not None:
        yield f"The webhook refuses its own pod too: `{server.title}` cannot come back while it is asked"


def _remedies(refused: Refused, found: Hook | None, server: Behind | None, *, itself: bool) -> Iterator[Remedy]:
    if server is not None and server.controller is not None and not itself:
        yield from server.remedies
    if found is not None:
        ignore = json.dumps([{"op": "replace", "path": f"/webhooks/{found.index}/failurePolicy", "value": "Ignore"}])
        then = f", then {server.title} comes back by itself" if itself and server else ""
        yield Remedy(
            f"Let the API server go on without it (`failurePolicy: Ignore`){then}",
            kubectl(
                "patch", found.configuration.kind.lower(), found.configuration.name, "--type", "json", "-p", ignore
            ),
            cost="until it is set back to Fail, what it checks or adds is missing on new pods",
        )
    if itself and server is not None and server.controller is not None:
        yield from server.remedies
    if found is not None and itself and server is not None:
        leave_out = {"key": NAMESPACE_LABEL, "operator": "NotIn", "values": [server.namespace]}
        change = json.dumps(
            [
                {
                    "op": "add",
                    "path": f"/webhooks/{found.index}/namespaceSelector",
                    "value": {"matchExpressions": [leave_out]},
                }
            ]
        )
        if found.every_pod:
            yield Remedy(
                f"For the next time: leave its own namespace {server.namespace} out",
                kubectl(
                    "patch", found.configuration.kind.lower(), found.configuration.name, "--type", "json", "-p", change
                ),
            )
    if found is not None and server is not None and server.there is False:
        yield Remedy(
            "If what it belonged to was uninstalled: delete what is left of it",
            kubectl("delete", found.configuration.kind.lower(), found.configuration.name),
            cost="all webhooks of that configuration go",
        )
    if found is None:
        yield Remedy(
            "Find its configuration",
            "kubectl get mutatingwebhookconfigurations,validatingwebhookconfigurations -o yaml | grep -n "
            f"{refused.refusal.name}",
        )


def refused_alike(case: Case, name: str) -> set[tuple[str, str]]:
    """Namespace and name of everything whose pods that webhook refuses, by events."""
    return {
        (event.about_namespace, event.about_name)
        for event in case.view.events.values()
        if isinstance(event, Event)
        and event.reason in FAILED
        and f'webhook "{name}"' in event.message
        and parse(event.message).kind is Kind.WEBHOOK_DOWN
    }


def denied(refused: Refused) -> Finding:
    """It answers, and says no: its own words are the reason."""
    name, detail = refused.refusal.name, refused.refusal.detail
    found = hook(refused.case, name)
    whose = f" (`{found.configuration.title}`)" if found else ""
    why = f": {quoted(detail, 240)}" if detail else " and gives no reason"
    return refused.finding(
        f"admission webhook `{name}`{whose} refuses {refused.pods}{why}; {NO_POD}",
        remedies=(
            refused.change("Change the template as it says"),
            Remedy(
                "Or ask who owns that rule",
                kubectl("get", found.configuration.kind.lower(), found.configuration.name, "-o", "yaml")
                if found
                else "",
            ),
        ),
        unknown=() if found else refused.case.not_read(*TABLES),
    )

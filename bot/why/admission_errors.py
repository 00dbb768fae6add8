"""What the API server said when it refused an object, taken apart: which quota, which webhook, which field.

Controllers put the error into an event (`FailedCreate`) and into the condition `ReplicaFailure`; both wrap it in words
of their own. Texts: kubernetes/apiserver:pkg/admission/plugin (resourcequota, webhook), kubernetes/kubernetes:plugin/
pkg/admission (limitranger, priority, runtimeclass, serviceaccount), kubernetes/pod-security-admission:admission.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bot.domain.pattern import Pattern

LONGEST = 4_000  # of an error that is looked at


class Kind(StrEnum):
    """Who refused, or what was wrong."""

    QUOTA = "quota"  # it would go over one
    QUOTA_SILENT = "quota-must-specify"  # a quota wants a request or limit that the pod does not have
    QUOTA_UNKNOWN = "quota-unknown"  # its usage has not been counted yet
    QUOTA_NEEDED = "quota-needed"  # may only be used where a quota covers it
    LIMIT_RANGE = "limit-range"
    POD_SECURITY = "pod-security"
    WEBHOOK_DOWN = "webhook-unreachable"
    WEBHOOK_DENIED = "webhook-denied"
    POLICY = "policy"  # ValidatingAdmissionPolicy
    CONSTRAINTS = "security-constraints"  # OpenShift's, or the old PodSecurityPolicy
    PRIORITY_CLASS = "no-priority-class"
    RUNTIME_CLASS = "no-runtime-class"
    SERVICE_ACCOUNT = "no-service-account"
    TERMINATING = "namespace-terminating"
    NO_NAMESPACE = "no-namespace"
    INVALID = "invalid"
    RIGHTS = "rights"
    EXISTS = "exists"
    OVERLOADED = "overloaded"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Refusal:
    """`text` is the error without its wrapping. What is not told for a kind is empty.

    name: of the quota, webhook, policy, class or account. detail: what it says in words. requested, used, limited: of
    a quota, resource → quantity. items: single violations, or fields that are wrong. url: of a webhook. claim: a
    volume claim was refused, not a pod.
    """

    kind: Kind
    text: str
    name: str = ""
    detail: str = ""
    requested: Mapping[str, str] = field(default_factory=dict)
    used: Mapping[str, str] = field(default_factory=dict)
    limited: Mapping[str, str] = field(default_factory=dict)
    items: tuple[str, ...] = ()
    url: str = ""
    claim: str = ""

    @property
    def service(self) -> tuple[str, str]:
        """Namespace and name of the service behind a webhook; empty for one outside the cluster."""
        host = re.match(r"https?://([^/:]+)", self.url)
        parts = host.group(1).split(".") if host else []
        return (parts[1], parts[0]) if len(parts) >= 3 and parts[2] == "svc" else ("", "")


_WRAPPING = Pattern(
    r"(?:Error creating(?: job)?: |Failed to create new replica set \"[^\"]*\": "
    r"|create (?:Pod|Claim) (?:\S+ for Pod )?\S+ in StatefulSet \S+ failed error: |Internal error occurred: "
    r"|admission webhook denied: )"
)
_CLAIM = Pattern(r"create Claim (\S+) for Pod|persistentvolumeclaims \"([^\"]+)\" is forbidden")
_FORMS: tuple[tuple[Kind, Pattern], ...] = tuple(
    (kind, Pattern(form, re.DOTALL))
    for kind, form in (
        (
            Kind.QUOTA,
            r"exceeded quota: (?P<name>[^,\s]+), requested: (?P<requested>\S+), used: (?P<used>\S+), "
            r"limited: (?P<limited>\S+)",
        ),
        (Kind.QUOTA_SILENT, r"failed quota: (?P<name>[^:\s]+): must specify (?P<detail>.+)"),
        (Kind.QUOTA_UNKNOWN, r"status unknown for quota: (?P<name>[^,\s]+)(?:, resources: (?P<detail>.+))?"),
        (Kind.QUOTA_NEEDED, r"insufficient quota to (?P<detail>(?:consume|match these scopes): .+)"),
        (Kind.POD_SECURITY, r"violates PodSecurity \"(?P<name>[^\"]+)\": (?P<detail>.+)"),
        (Kind.WEBHOOK_DOWN, r"failed calling webhook \"(?P<name>[^\"]+)\": (?P<detail>.+)"),
        (
            Kind.WEBHOOK_DENIED,
            r"admission webhook \"(?P<name>[^\"]+)\" denied the request(?: without explanation|: (?P<detail>.+))",
        ),
        (
            Kind.POLICY,
            r"ValidatingAdmissionPolicy '(?P<name>[^']+)'(?: with binding '[^']+')? denied request: (?P<detail>.+)",
        ),
        (
            Kind.CONSTRAINTS,
            r"unable to validate against any (?:pod security policy|security context constraint): (?P<detail>.+)",
        ),
        (Kind.PRIORITY_CLASS, r"no PriorityClass with name (?P<name>\S+) was found"),
        (Kind.RUNTIME_CLASS, r"RuntimeClass \"(?P<name>[^\"]+)\" not found"),
        (
            Kind.SERVICE_ACCOUNT,
            r"error looking up service account \S+: (?P<detail>serviceaccount \"(?P<name>[^\"]+)\" not found.*)",
        ),
        (Kind.TERMINATING, r"unable to create new content in namespace (?P<name>\S+) because it is being terminated"),
        (Kind.NO_NAMESPACE, r"namespaces \"(?P<name>[^\"]+)\" not found"),
        (Kind.LIMIT_RANGE, r"(?P<detail>(?:maximum|minimum) \S+ usage per .+|\S+ max limit to request ratio per .+)"),
        (Kind.RIGHTS, r"(?P<detail>User \"[^\"]+\" cannot \w+ resource .+|cannot set blockOwnerDeletion .+)"),
        (Kind.INVALID, r"\S+ \"[^\"]*\" is invalid: (?P<detail>.+)"),
        (Kind.EXISTS, r"(?P<detail>\S+ \"(?P<name>[^\"]+)\" already exists)"),
        (
            Kind.OVERLOADED,
            r"(?P<detail>etcdserver: .+|.*request did not complete within .+|.*(?:Too many requests|try again later))",
        ),
    )
)
_NEXT_LIMIT = r"(?=, (?:maximum|minimum|\S+ max limit)|[\]\n]|$)"
_LIMIT = Pattern(
    r"(?:maximum|minimum) \S+ usage per .+?" + _NEXT_LIMIT + r"|\S+ max limit to request ratio per .+?" + _NEXT_LIMIT
)
_FIELD = Pattern(r"(?:spec|metadata)[\w.\[\]\-/]*: .*?(?=, (?:spec|metadata)[\w.\[\]\-/]*: |\]$|$)", re.DOTALL)
_URL = Pattern(r"https?://[^\s\"?]+")


def parse(message: str) -> Refusal:
    """What a `FailedCreate` event or a `ReplicaFailure` condition says. An unknown text is OTHER, kept whole."""
    message = message[:LONGEST]
    text = _unwrapped(message)
    claim = _CLAIM.search(message)
    for kind, form in _FORMS:
        if found := form.search(text):
            told = {key: value or "" for key, value in found.groupdict().items()}
            return _refusal(kind, text, told, (claim.group(1) or claim.group(2)) if claim else "")
    return Refusal(Kind.OTHER, text, claim=(claim.group(1) or claim.group(2)) if claim else "")


def _unwrapped(message: str) -> str:
    text = message.strip()
    while found := _WRAPPING.match(text):
        text = text[found.end() :]
    return text


def _refusal(kind: Kind, text: str, told: dict[str, str], claim: str) -> Refusal:
    detail = told.get("detail", "").strip()
    return Refusal(
        kind,
        text,
        name=told.get("name", ""),
        detail=detail,
        requested=_resources(told.get("requested", "")),
        used=_resources(told.get("used", "")),
        limited=_resources(told.get("limited", "")),
        items=tuple(_items(kind, detail)),
        url=found.group() if kind is Kind.WEBHOOK_DOWN and (found := _URL.search(detail)) else "",
        claim=claim,
    )


def _resources(text: str) -> dict[str, str]:
    """`requests.cpu=2,pods=1`: resource names hold no comma and no equals sign."""
    pairs = (one.partition("=") for one in text.split(",") if one)
    return {name: value for name, equals, value in pairs if equals}


def _items(kind: Kind, detail: str) -> Iterator[str]:
    if kind is Kind.POD_SECURITY:
        yield from _outside_brackets(detail)
    elif kind is Kind.LIMIT_RANGE:
        yield from (found.group().rstrip(".") for found in _LIMIT.finditer(detail))
    elif kind is Kind.INVALID:
        yield from (found.group() for found in _FIELD.finditer(detail)) if "spec" in detail else (detail,)
    elif kind is Kind.QUOTA_SILENT:
        yield from (part.strip() for part in detail.split(";") if part.strip())


def _outside_brackets(text: str) -> Iterator[str]:
    """Split at commas that stand in no brackets: each violation has its containers in brackets."""
    depth, start = 0, 0
    for index, sign in enumerate(text):
        depth = max(0, depth + (sign in "([") - (sign in ")]"))
        if sign == "," and depth == 0:
            yield text[start:index].strip()
            start = index + 1
    if rest := text[start:].strip():
        yield rest

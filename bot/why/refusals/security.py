"""Pod Security refuses a pod: which level the namespace enforces, what in the template goes against it, what to set.

The namespace's label decides; it may have come after pods that still run. Texts of the checks:
kubernetes/pod-security-admission:policy.
"""

import json
from collections.abc import Iterator
from typing import Any

from bot.domain.answer import Remedy
from bot.domain.pattern import Pattern
from bot.domain.words import names
from bot.why.finding import Finding
from bot.why.refusals.refused import NO_POD, Refused
from bot.why.shell import kubectl, quoted

LABEL = "pod-security.kubernetes.io/enforce"
ONLY_RESTRICTED = (  # checks that the level `baseline` does not have
    "allowPrivilegeEscalation",
    "unrestricted capabilities",
    "runAsNonRoot",
    "runAsUser",
    "seccompProfile (pod or",
    "restricted volume types",
)
_QUOTED = Pattern(r'"([^"]+)"')
_HOST = ("hostIPC", "hostNetwork", "hostPID")
_CONTAINER: tuple[tuple[str, dict[str, Any]], ...] = (
    ("allowPrivilegeEscalation", {"allowPrivilegeEscalation": False}),
    ("unrestricted capabilities", {"capabilities": {"drop": ["ALL"]}}),
    ("runAsNonRoot", {"runAsNonRoot": True}),
    ("seccompProfile", {"seccompProfile": {"type": "RuntimeDefault"}}),
)


def violates(refused: Refused) -> Finding:
    """The finding. Where the label is not there, the API server's own default is what is enforced."""
    level = refused.refusal.name.partition(":")[0]
    namespace = refused.case.view.namespaces.get(refused.namespace)
    label = namespace.labels.get(LABEL, "") if namespace else ""
    by = f"label `{LABEL}={label}`" if label else "no label of its own says so: the API server's default"
    items = refused.refusal.items
    short = names([one.partition(" (")[0] if "(" in one and "host namespaces" not in one else one for one in items], 4)
    older = min((pod.created for pod in refused.maker.pods if not pod.finished), default="")
    return refused.finding(
        f"Pod Security refuses {refused.pods}: namespace {refused.namespace} enforces `{level}` ({by}) and the "
        f"template goes against it: {short}; {NO_POD}",
        *(f"Against it: {quoted(one)}" for one in items[:4]),
        *(
            (f"Pods that run since {older[:10]} were let in before that: the level is only asked when a pod is made",)
            if older
            else ()
        ),
        remedies=(*_fix(refused), _lower(refused, items)),
        useless=("Free GPUs do not matter: the scheduler never sees this pod",),
    )


def _fix(refused: Refused) -> Iterator[Remedy]:
    """One patch of the template for all that can be set without knowing the image."""
    top, fields = refused.top, _Fields()
    by_hand = [one.partition(" (")[0] for one in refused.refusal.items if not fields.take(one)]
    rest = f"; by hand: {names(by_hand, 3)}" if by_hand else ""
    shm = " (instead of `hostIPC`: an `emptyDir` with `medium: Memory` at /dev/shm)" if "hostIPC" in fields.pod else ""
    action, cost = f"Make the template fit{shm}{rest}", "an image that needs root or host access may fail then"
    if fields.any and top.kind in ("Deployment", "StatefulSet", "DaemonSet"):
        change = json.dumps({"spec": {"template": {"spec": fields.as_spec()}}})
        command = kubectl("patch", top.kind.lower(), top.name, "-p", change, namespace=refused.namespace)
        yield Remedy(action, command, cost=f"starts a rollout; {cost}")
    else:
        yield refused.change(action, cost)


class _Fields:
    """What a strategic merge patch has to set, collected violation by violation."""

    def __init__(self) -> None:
        self.pod: dict[str, bool] = {}
        self.containers: dict[str, dict[str, Any]] = {}

    @property
    def any(self) -> bool:
        return bool(self.pod or self.containers)

    def take(self, violation: str) -> bool:
        """Whether it is one that can be set so."""
        if violation.startswith("host namespaces"):
            self.pod |= {one: False for one in _HOST if one in violation}
            return True
        settings = next((told for name, told in _CONTAINER if violation.startswith(name)), None)
        found = _QUOTED.findall(violation.partition("must set")[0])
        if settings is None or not found:
            return False
        for container in found:
            self.containers.setdefault(container, {}).update(settings)
        return True

    def as_spec(self) -> dict[str, Any]:
        containers = [{"name": name, "securityContext": told} for name, told in sorted(self.containers.items())]
        return {**self.pod, **({"containers": containers} if containers else {})}


def _lower(refused: Refused, items: tuple[str, ...]) -> Remedy:
    """To the strictest level that lets the pod in."""
    level = "baseline" if items and all(one.startswith(ONLY_RESTRICTED) for one in items) else "privileged"
    command = kubectl("label", "namespace", refused.namespace, f"{LABEL}={level}", "--overwrite")
    return Remedy(f"Or lower the namespace's level to `{level}`", command, cost="for every pod of the namespace")

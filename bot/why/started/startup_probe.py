"""The startup probe that a container should have had, as a command that sets it."""

import json
import math

from bot.domain.answer import Remedy
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.shell import kubectl

PERIOD_SECONDS = 10
LEAST_SECONDS = 1800
_PATCHABLE = ("Deployment", "StatefulSet", "DaemonSet")


def startup_probe(case: Case, one: Container, needed_seconds: float | None) -> Remedy:
    """Twice what a start seems to need, half an hour at least. Asks what the liveness probe asks."""
    seconds = max(LEAST_SECONDS, 2 * (needed_seconds or 0))
    failures = math.ceil(seconds / PERIOD_SECONDS)
    has_one = one.probe("startup") is not None
    what = "Raise the startup probe's budget" if has_one else "Add a startup probe"
    action = (
        f"{what}: periodSeconds {PERIOD_SECONDS}, failureThreshold {failures} ({failures * PERIOD_SECONDS // 60} min)"
        f"{'' if has_one else ', and drop initialDelaySeconds: liveness then only counts once it is up'}"
    )
    owned = bool(case.owners) or (case.pod is not None and case.pod.owner is not None)
    cost = "starts new pods of this owner" if owned else "the pod has no owner: it has to be made anew with it"
    return Remedy(action, _command(case, one, failures), False, cost)


def _command(case: Case, one: Container, failures: int) -> str:
    """Empty where no owner's template can be patched, or the liveness probe is no HTTP one."""
    owner = next((thing for thing in reversed(case.owners) if thing.kind in _PATCHABLE), None)
    kind = "startupProbe" if one.probe("startup") else "livenessProbe"
    asks = one.spec.get(kind, "httpGet")
    if owner is None or not isinstance(asks, dict):
        return ""
    probe: dict[str, object] = {"periodSeconds": PERIOD_SECONDS, "failureThreshold": failures}
    changed: dict[str, object] = {"name": one.name, "startupProbe": probe}
    if kind == "livenessProbe":
        probe["httpGet"] = {key: asks[key] for key in ("path", "port", "scheme") if key in asks}
        changed["livenessProbe"] = {"initialDelaySeconds": 0}
    patch = {"spec": {"template": {"spec": {"containers": [changed]}}}}
    text = json.dumps(patch, separators=(",", ":"))
    return (
        kubectl("-n", owner.namespace, "patch", owner.kind.lower(), owner.name, "-p", text) if len(text) < 600 else ""
    )

"""How long a kubelet lets a container start before it kills it (kubernetes/kubernetes:pkg/kubelet/prober/worker.go)."""

from collections.abc import Mapping
from typing import Any

_PERIOD_SECONDS, _FAILURES = 10, 3  # where a probe does not say it


def patience_seconds(container: Mapping[str, Any]) -> float | None:
    """By its startup probe, else by its liveness probe; None where nobody probes it."""
    probe = container.get("startupProbe") or container.get("livenessProbe")
    if not probe:
        return None
    rounds = probe.get("failureThreshold", _FAILURES) * probe.get("periodSeconds", _PERIOD_SECONDS)
    return float(probe.get("initialDelaySeconds", 0) + rounds)


def failing_probe(container: Mapping[str, Any]) -> str:
    """As events name it."""
    return "startup" if container.get("startupProbe") else "liveness"


def refused_connection(container: Mapping[str, Any], ip: str, port: int) -> str:
    """What a probe says of a server that does not listen yet."""
    probe = container.get("startupProbe") or container.get("livenessProbe") or {}
    told = probe.get("httpGet") or {}
    at = told.get("port")
    number = at if isinstance(at, int) else port
    named = failing_probe(container).capitalize()
    where = f"{ip}:{number}"
    asked = f'Get "http://{where}{told.get("path", "/")}"'
    return f"{named} probe failed: {asked}: dial tcp {where}: connect: connection refused"

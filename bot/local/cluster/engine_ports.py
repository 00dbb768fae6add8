"""Which port of a pod the API server's proxy dials.

kubernetes/kubernetes:pkg/registry/core/pod/strategy.go, pkg/registry/core/service/storage/storage.go (ResourceLocation)
"""

from collections.abc import Mapping
from typing import Any

from bot.local.cluster.store.errors import ApiError

_HTTP = 80


def pod_port(pod: Mapping[str, Any], asked: str) -> int | None:
    """What was asked for, else the first port of the first container that has one; None for what is no port."""
    if asked:
        return int(asked) if asked.isascii() and asked.isdecimal() else None
    ports = [port for container in pod["spec"]["containers"] for port in container.get("ports") or ()]
    return int(ports[0]["containerPort"]) if ports else _HTTP


def service_port(service: Mapping[str, Any], asked: str) -> int | str:
    """The target port, by number or name, of the port that was asked for. ApiError 503 where there is no such."""
    name, ports = service["metadata"]["name"], service["spec"].get("ports") or []
    if not asked and len(ports) == 1:
        found = ports[0]
    else:
        found = next((one for one in ports if asked in (one.get("name"), str(one["port"]))), None)
    if found is None:
        raise ApiError(503, "ServiceUnavailable", f'no service port "{asked}" found for service "{name}"')
    target: int | str = found.get("targetPort") or found["port"]
    return target


def number_in(pod: Mapping[str, Any], target: int | str) -> int | None:
    """A target port of a Service as the pod has it; None for a name that none of its ports has."""
    if isinstance(target, int):
        return target
    ports = (port for container in pod["spec"]["containers"] for port in container.get("ports") or ())
    return next((int(port["containerPort"]) for port in ports if port.get("name") == target), None)

"""A way in from outside, with time for answers that think for minutes: an Ingress, or an HTTPRoute of a Gateway."""

from typing import Any

from bot.deploying.manifests.manifest import Ground, Manifest

_SECONDS = "3600"


def render(ground: Ground) -> dict[str, Any] | None:
    form, _, where = ground.wish.expose.partition(":")
    return {"ingress": _ingress, "httproute": _httproute}[form](ground, where) if form else None


def _ingress(ground: Ground, host: str) -> dict[str, Any]:
    backend = {"service": {"name": ground.name, "port": {"name": "http"}}}
    annotations = {
        "nginx.ingress.kubernetes.io/proxy-read-timeout": _SECONDS,
        "nginx.ingress.kubernetes.io/proxy-buffering": "off",
    }
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "Ingress",
        "metadata": ground.metadata(annotations=annotations),
        "spec": {
            "rules": [{"host": host, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]
        },
    }


def _httproute(ground: Ground, where: str) -> dict[str, Any]:
    """`GATEWAY/HOST`."""
    gateway, _, host = where.partition("/")
    rule = {
        "backendRefs": [{"name": ground.name, "port": ground.engine.port}],
        "timeouts": {"request": f"{_SECONDS}s"},
    }
    return {
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "HTTPRoute",
        "metadata": ground.metadata(),
        "spec": {"parentRefs": [{"name": gateway}], "hostnames": [host], "rules": [rule]},
    }


MANIFEST = Manifest(90, "Route", render, page=__doc__ or "")

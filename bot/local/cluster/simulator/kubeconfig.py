"""Reads the current context of a kubeconfig: as much of it as a control plane on this machine needs."""

import base64
import ssl
import tempfile
from pathlib import Path
from typing import Any

import yaml

from bot.local.cluster.simulator.client import Server


def read_kubeconfig(path: Path) -> Server:
    """Raises KeyError or ValueError where the file names no usable cluster."""
    config = yaml.safe_load(path.read_text())
    context = _named(config["contexts"], config["current-context"])["context"]
    cluster = _named(config["clusters"], context["cluster"])["cluster"]
    user = _named(config["users"], context["user"]).get("user") or {}
    return Server(cluster["server"], user.get("token", ""), _tls(cluster, user, path.parent))


def _named(entries: list[dict[str, Any]], name: str) -> dict[str, Any]:
    for entry in entries:
        if entry["name"] == name:
            return entry
    raise ValueError(f"the kubeconfig has no entry named {name!r}")


def _tls(cluster: dict[str, Any], user: dict[str, Any], folder: Path) -> ssl.SSLContext | None:
    if not cluster["server"].startswith("https:"):
        return None
    authority = _content(cluster, "certificate-authority", folder)
    context = ssl.create_default_context(cadata=authority.decode() if authority else None)
    if cluster.get("insecure-skip-tls-verify"):
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    certificate, key = _content(user, "client-certificate", folder), _content(user, "client-key", folder)
    if certificate and key:
        with tempfile.NamedTemporaryFile() as both:  # ssl loads a chain from files only
            both.write(certificate + b"\n" + key)
            both.flush()
            context.load_cert_chain(both.name)
    return context


def _content(section: dict[str, Any], name: str, folder: Path) -> bytes | None:
    if data := section.get(f"{name}-data"):
        return base64.b64decode(data)
    return (folder / section[name]).read_bytes() if section.get(name) else None

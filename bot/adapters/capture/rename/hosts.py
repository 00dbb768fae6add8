"""What is a host's name, and which domains are public."""

import re

from bot.adapters.capture.rename.words import PUBLIC_DOMAINS, TOP_DOMAINS

_HOST = re.compile(r"(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+([A-Za-z]{2,})")

_EVERYDAY = frozenset(
    "co com net org ac gov registry registries docker images api www git harbor cr k8s cluster".split()
)


def is_public(domain: str) -> bool:
    """Whether the domain, or one that it lies in, is known to everybody."""
    parts = domain.lower().split(".")
    return any(".".join(parts[start:]) in PUBLIC_DOMAINS for start in range(len(parts)))


def is_host(token: str) -> bool:
    """Whether a dotted word reads like a host: `api.acme.internal` does, `model.safetensors` does not."""
    found = _HOST.fullmatch(token)
    return bool(found) and found is not None and found[1].lower() in TOP_DOMAINS


def is_cluster_name(token: str) -> bool:
    """A name in the cluster's own DNS, whose parts are a service's and a namespace's."""
    return token.endswith((".svc", ".cluster.local")) or ".svc." in token


def holder_of(domain: str) -> str:
    """`acme` of `registry.acme.example.com` and of `acme.co.uk`; empty where every part is an everyday one."""
    parts = domain.lower().split(".")[:-1]
    return next((part for part in reversed(parts) if part not in TOP_DOMAINS and part not in _EVERYDAY), "")

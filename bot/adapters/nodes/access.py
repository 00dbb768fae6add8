"""How node agents are asked, as plain data: config.settings makes it from the file."""

import ssl
from dataclasses import dataclass
from enum import StrEnum

from bot.adapters.cluster import tls
from bot.adapters.cluster.access import read_token


class Via(StrEnum):
    """Which way to a pod. AUTO asks the pod itself and, where it is out of reach, through the API server."""

    DIRECT = "direct"
    PROXY = "proxy"
    AUTO = "auto"


@dataclass(frozen=True, slots=True)
class NodeAccess:
    """Only pods of `namespace` count as agents: whoever may make pods elsewhere must not be shown the token.

    With `ca_file` agents are asked by TLS, and their certificate must be for `server_name`: addresses of pods change.
    """

    namespace: str = "gpubot"
    port: int = 9410  # where the agent's pod names none
    token_file: str | None = None
    ca_file: str | None = None
    client_cert_file: str | None = None
    client_key_file: str | None = None
    server_name: str = "gpubot-agent"
    via: Via = Via.DIRECT
    timeout_seconds: float = 2.0  # of one agent

    @property
    def scheme(self) -> str:
        return "https" if self.ca_file else "http"

    def token(self) -> str:
        """Read each time, so that a rotated Secret holds at once; empty where there is none. Raises ConfigError."""
        return read_token(self.token_file) if self.token_file else ""

    def tls(self) -> ssl.SSLContext | None:
        """None where agents are asked without TLS. Raises ConfigError."""
        if self.ca_file is None:
            return None
        return tls.context(authority=self.ca_file, certificate=self.client_cert_file, key=self.client_key_file)

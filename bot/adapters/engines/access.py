"""How engines are asked, as plain data: config.engines makes it from the file."""

from dataclasses import dataclass

from bot.adapters.cluster.access import read_token
from bot.adapters.nodes.access import Via
from bot.serving.engine_pods import Hint


@dataclass(frozen=True, slots=True)
class Prometheus:
    """Where the metrics of all engines are kept already; then no engine is asked itself.

    `namespace_label` and `pod_label`: which labels of a series say whose it is.
    """

    url: str
    token_file: str | None = None
    ca_file: str | None = None
    namespace_label: str = "namespace"
    pod_label: str = "pod"
    timeout_seconds: float = 10.0

    def token(self) -> str:
        """Read each time; empty where there is none. Raises ConfigError."""
        return read_token(self.token_file) if self.token_file else ""


@dataclass(frozen=True, slots=True)
class EngineAccess:
    """`timeout_seconds` of one engine, `within_seconds` of all together; `hints` name engines nobody recognises."""

    via: Via = Via.DIRECT
    every_seconds: float = 15.0
    timeout_seconds: float = 2.0
    within_seconds: float = 8.0
    at_once: int = 64
    page_max_bytes: int = 4 * 2**20
    hints: tuple[Hint, ...] = ()
    prometheus: Prometheus | None = None


USUAL = EngineAccess()

"""A probe as the kubelet counts it: kubernetes/api:core/v1/types.go (Probe)."""

from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.why.started.plain import plain


@dataclass(frozen=True, slots=True)
class Probe:
    """One probe of a container; times in seconds, the API server's defaults where nothing is said."""

    initial_delay: int = 0
    period: int = 10
    failures: int = 3
    timeout: int = 1
    path: str = ""
    port: str = ""
    how: str = "http"  # http, grpc, tcp or exec
    command: str = ""  # of an exec probe

    @property
    def budget_seconds(self) -> int:
        """How long it may fail from the container's start on until the kubelet acts."""
        return self.initial_delay + self.period * self.failures

    @property
    def sum(self) -> str:
        """`120 s + 3 × 10 s`, as people can find it in the manifest."""
        delay = f"{self.initial_delay} s + " if self.initial_delay else ""
        return f"{delay}{self.failures} × {self.period} s"

    @property
    def asks(self) -> str:
        """`/health on port 8000`, `gRPC on port 9000`; a command's first words."""
        if self.how == "exec":
            return f"`{self.command}`" if self.command else ""
        if self.how in ("grpc", "tcp") and self.port:
            return f"{'gRPC' if self.how == 'grpc' else 'TCP'} on port {self.port}"
        if not self.path and not self.port:
            return ""
        return f"`{self.path or '/'}` on port {self.port}" if self.port else f"`{self.path}`"


def read_probe(container: Fields, kind: str) -> Probe | None:
    """`kind` is liveness, readiness or startup; None where the container has none."""
    name = f"{kind}Probe"
    if not isinstance(container.get(name), dict):
        return None
    probe = container.at(name)
    http = probe.at("httpGet")
    kinds = {"grpc": "grpc", "tcpSocket": "tcp", "exec": "exec"}
    return Probe(
        initial_delay=max(0, probe.number("initialDelaySeconds") or 0),
        period=probe.number("periodSeconds") or 10,
        failures=probe.number("failureThreshold") or 3,
        timeout=probe.number("timeoutSeconds") or 1,
        path=plain(http.text("path"), 80),
        port=plain(http.text("port") or probe.text("tcpSocket", "port") or probe.text("grpc", "port"), 20),
        how=next((how for key, how in kinds.items() if isinstance(probe.get(key), dict)), "http"),
        command=plain(" ".join(probe.at("exec").texts("command")), 80),
    )

"""The settings `engines`: how inference engines are found and asked (config/gpubot.yaml says what each key means)."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from bot.adapters.engines.access import EngineAccess, Prometheus
from bot.adapters.nodes.access import Via
from bot.serving.engine_pods import Hint

Label = Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_]{0,62}$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class HintSettings(_Part):
    """Pods that nobody would recognise: those with these labels are engines, and are asked there."""

    labels: Annotated[dict[str, str], Field(min_length=1)]
    namespace: str = ""
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    path: Annotated[str, Field(max_length=200)] = ""
    scheme: Literal["", "http", "https"] = ""
    engine: Literal["", "vllm", "sglang", "tgi", "triton"] = ""

    def hint(self) -> Hint:
        return Hint(self.labels, self.namespace, self.port, self.path, self.scheme, self.engine)


class PrometheusSettings(_Part):
    """A Prometheus that has the engines' metrics already; where it is named no engine is asked itself."""

    url: Annotated[str, Field(pattern=r"^https?://\S+$", max_length=500)]
    token_file: str | None = None
    ca_file: str | None = None
    namespace_label: Label = "namespace"
    pod_label: Label = "pod"
    timeout_seconds: Annotated[float, Field(ge=0.1, le=60)] = 10

    def access(self) -> Prometheus:
        return Prometheus(
            url=self.url.rstrip("/"),
            token_file=_expanded(self.token_file),
            ca_file=_expanded(self.ca_file),
            namespace_label=self.namespace_label,
            pod_label=self.pod_label,
            timeout_seconds=self.timeout_seconds,
        )


class EngineSettings(_Part):
    """All of it."""

    read: bool = True
    via: Via = Via.DIRECT
    every_seconds: Annotated[float, Field(ge=5, le=20)] = 15
    timeout_seconds: Annotated[float, Field(ge=0.1, le=60)] = 2
    within_seconds: Annotated[float, Field(ge=1, le=60)] = 8
    at_once: Annotated[int, Field(ge=1, le=512)] = 64
    page_max_mib: Annotated[float, Field(ge=0.1, le=8)] = 4
    hints: tuple[HintSettings, ...] = ()
    prometheus: PrometheusSettings | None = None

    def access(self) -> EngineAccess:
        """The same as plain data."""
        return EngineAccess(
            via=self.via,
            every_seconds=self.every_seconds,
            timeout_seconds=self.timeout_seconds,
            within_seconds=self.within_seconds,
            at_once=self.at_once,
            page_max_bytes=int(self.page_max_mib * 2**20),
            hints=tuple(one.hint() for one in self.hints),
            prometheus=self.prometheus.access() if self.prometheus else None,
        )


def _expanded(path: str | None) -> str | None:
    return None if path is None else str(Path(path).expanduser())

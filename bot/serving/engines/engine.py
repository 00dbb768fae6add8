"""What is told to an engine when it is started, and how it spells that."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.domain.version import Version
from bot.serving.model import Support

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Start:
    """One engine process group. model: a path or a checkpoint's id. nodes: over how many it is spread.

    budget_seconds: until it has to be ready. extra: further flags, as people typed them.
    """

    model: str
    served_name: str
    support: Support
    version: Version
    tensor_parallel: int
    pipeline_parallel: int
    nodes: int
    context_tokens: int
    kv_dtype: str
    utilisation: float
    speculative_tokens: int
    budget_seconds: int
    drain_seconds: int
    extra: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Engine:
    """`arguments` are what anybody who looks at the pod wants to see; `settings` go to its configuration file.

    ready_path answers only once the model can be asked; health_path says whether the process is alive. joining: flags
    of each node of several, for the leader and for the others.
    """

    name: str
    port: int
    command: tuple[str, ...]
    ready_path: str
    health_path: str
    probe_timeout_seconds: int
    arguments: Callable[[Start], tuple[str, ...]]
    settings: Callable[[Start], Mapping[str, Value]]
    environment: Callable[[Start], Mapping[str, str]]
    joining: Callable[[Start, bool], tuple[str, ...]]
    config_flag: str = "--config"
    page: str = ""

"""What was asked for: `/deploy glm variant=fp8 replicas=2 context=128k namespace=llm`, read and checked."""

from dataclasses import dataclass
from datetime import datetime

from bot.serving.model import Model, Variant


@dataclass(frozen=True, slots=True)
class Wish:
    """What nobody asked for is None or empty: the planner chooses it, and says so.

    model: of the catalogue. context_tokens: of the longest request; concurrency: requests of that length at once.
    source: where weights come from (`hf`, `modelscope`, `pvc:NAME[/path]`). until: when it is removed by itself.
    arguments: engine flags beyond ours, as typed, checked for form.
    """

    model: Model
    variant: Variant | None = None
    replicas: int = 1
    context_tokens: int | None = None
    concurrency: int | None = None
    namespace: str = ""
    name: str = ""
    engine: str = ""
    image: str = ""
    product: str = ""  # GPU product, as typed
    pool: str = ""
    tensor_parallel: int | None = None
    source: str = ""
    autoscale: str = ""  # "", waiting, utilisation
    most_replicas: int | None = None
    until: datetime | None = None
    priority_class: str = ""
    expose: str = ""  # "", ingress:HOST, httproute:HOST
    monitor: bool = False  # a ServiceMonitor
    arguments: tuple[str, ...] = ()
    storage_class: str = ""
    queue: str = ""  # of Kueue
    spare: bool | None = None  # whether an update may add a replica first; None: the planner looks
    waits: bool = False  # made although it would wait for room

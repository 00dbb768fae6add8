"""One object of a deployment, and what all of them are made from."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from bot.deploying.budgets import IMAGE, downloading, startup_seconds
from bot.deploying.candidate import Draft
from bot.deploying.wish import Wish
from bot.serving.engines.collect import engines
from bot.serving.engines.engine import Engine, Start

MANAGED_BY_LABEL, MANAGED_BY = "app.kubernetes.io/managed-by", "gpubot"
MODEL, VARIANT = "gpubot.dev/model", "gpubot.dev/variant"
QUEUE = "kueue.x-k8s.io/queue-name"
INSTANCE = "app.kubernetes.io/instance"
WEIGHTS_PATH = "/models"
PRE_STOP_SECONDS, DRAIN_SECONDS, GRACE_SECONDS = 15, 300, 360
PROBE_SECONDS = 10
LONGEST_NAME = 63  # of a DNS label, and of a label's value, which names become
_DIGEST = 8
_MORE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Ground:
    """draft: what runs where. wish: what was asked for. namespace and name: where, and how it is called.

    spare: whether one replica more would find room now, so that an update needs nobody to go first. runtime_class:
    empty where the cluster has none for GPUs.
    """

    draft: Draft
    wish: Wish
    namespace: str
    name: str
    spare: bool = False
    runtime_class: str = ""

    @property
    def engine(self) -> Engine:
        return engines()[self.draft.support.engine]

    @property
    def labels(self) -> dict[str, str]:
        return {
            "app.kubernetes.io/name": self.draft.support.engine,
            INSTANCE: self.name,
            MANAGED_BY_LABEL: MANAGED_BY,
            MODEL: self.draft.model.id,
            VARIANT: self.draft.variant.id,
        }

    @property
    def queued(self) -> dict[str, str]:
        """The labels of what Kueue admits."""
        return {**self.labels, **({QUEUE: self.wish.queue} if self.wish.queue else {})}

    @property
    def selector(self) -> dict[str, str]:
        """What never changes while it lives."""
        return {INSTANCE: self.name, MODEL: self.draft.model.id}

    @property
    def claim(self) -> str:
        """The volume claim that holds the weights."""
        named = self.wish.source.removeprefix("pvc:").partition("/")[0] if self.wish.source.startswith("pvc:") else ""
        return named or label(self.name, self.draft.variant.id, "weights")

    @property
    def downloads(self) -> bool:
        """Whether a Job puts the weights there first."""
        return not self.wish.source.startswith("pvc:")

    @property
    def from_modelscope(self) -> bool:
        return self.wish.source == "modelscope"

    @property
    def checkpoint(self) -> str:
        """The id of the weights at their source."""
        variant = self.draft.variant
        return variant.modelscope if self.from_modelscope and variant.modelscope else variant.huggingface

    @property
    def weights_path(self) -> str:
        """Where a pod finds them."""
        _, _, below = self.wish.source.removeprefix("pvc:").partition("/")
        path = below if not self.downloads else self.checkpoint
        return f"{WEIGHTS_PATH}/{path}".rstrip("/")

    @property
    def budget_seconds(self) -> int:
        """In whole periods of the startup probe: the engine's own time-out is not shorter than the probe then."""
        return ceil(startup_seconds(self.draft.variant.weights_bytes) / PROBE_SECONDS) * PROBE_SECONDS

    @property
    def deadline_seconds(self) -> int:
        """After which a rollout without a new ready pod has failed: the sum of all that comes before one is ready."""
        weights = downloading(self.draft.variant.weights_bytes).late if self.downloads else 0
        return IMAGE.late + weights + self.budget_seconds + _MORE_SECONDS

    @property
    def start(self) -> Start:
        draft = self.draft
        return Start(
            model=self.weights_path,
            served_name=self.name,
            support=draft.support,
            version=draft.engine_version,
            tensor_parallel=draft.tensor_parallel,
            pipeline_parallel=draft.pipeline_parallel,
            nodes=draft.nodes_per_replica,
            context_tokens=draft.context_tokens,
            kv_dtype=draft.kv_dtype,
            utilisation=draft.utilisation,
            speculative_tokens=draft.speculative_tokens,
            budget_seconds=self.budget_seconds,
            drain_seconds=DRAIN_SECONDS,
            extra=self.wish.arguments,
        )

    def metadata(self, name: str = "", **more: Mapping[str, str]) -> dict[str, Any]:
        return {"name": name or self.name, "namespace": self.namespace, "labels": self.labels, **more}


def label(*parts: str) -> str:
    """A name of 63 characters at most; a longer one is cut, and ends in the digest of the whole."""
    whole = "-".join(parts)
    if len(whole) <= LONGEST_NAME:
        return whole
    digest = hashlib.sha256(whole.encode()).hexdigest()[:_DIGEST]
    return f"{whole[: LONGEST_NAME - _DIGEST - 1].rstrip('-.')}-{digest}"


@dataclass(frozen=True, slots=True)
class Manifest:
    """order: when it is created. render: the object, None where it is not wanted. note: why it looks as it does."""

    order: int
    kind: str
    render: Callable[[Ground], dict[str, Any] | None]
    note: Callable[[Ground], str] | None = None
    page: str = ""

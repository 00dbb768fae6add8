"""What the operators of a fleet decided about names: teams, pools, taints, what may be ended for others."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from bot.domain.pod import Pod
from bot.domain.record import Labels


@dataclass(frozen=True, slots=True)
class Policy:
    """Plain data from the settings (config/settings.py explains each field)."""

    team_labels: tuple[str, ...] = ("team",)
    pool_labels: tuple[str, ...] = ()
    usual_taints: frozenset[str] = frozenset({"nvidia.com/gpu"})
    burn_in_labels: tuple[str, ...] = ()
    preemptible_labels: tuple[str, ...] = ()
    preemptible_classes: frozenset[str] = frozenset()
    preemptible_priority_below: int = 0

    def is_burn_in(self, pod: Pod) -> bool:
        return has_any(pod.labels, self.burn_in_labels)

    def is_preemptible(self, pod: Pod) -> bool:
        return (
            pod.priority < self.preemptible_priority_below
            or pod.priority_class in self.preemptible_classes
            or has_any(pod.labels, self.preemptible_labels)
        )


USUAL_TAINTS = ("nvidia.com/gpu", "amd.com/gpu", "gpu.intel.com/gpu")
USUAL = Policy(
    team_labels=("team", "gpubot.dev/team", "app.kubernetes.io/team", "owner-team"),
    pool_labels=(
        "cloud.google.com/gke-nodepool",
        "eks.amazonaws.com/nodegroup",
        "karpenter.sh/nodepool",
        "kubernetes.azure.com/agentpool",
        "node.alibabacloud.com/nodepool-id",
        "compute.coreweave.com/node-pool",
        "node-pool",
        "nodepool",
        "pool",
    ),
    usual_taints=frozenset(USUAL_TAINTS),
    burn_in_labels=("gpubot.dev/burn-in=true",),
    preemptible_labels=("gpubot.dev/preemptible=true",),
)
"""What the settings say where nobody wrote any: a terminal that reads a folder needs no more."""


def first_label(labels: Labels, keys: Iterable[str]) -> str:
    """The value of the first of `keys` that is set, else an empty text."""
    for key in keys:
        value = labels.get(key)
        if value:
            return value
    return ""


def has_any(labels: Labels, wanted: Iterable[str]) -> bool:
    """Whether one of `key=value` (or `key` alone: any value) is among the labels."""
    for text in wanted:
        key, value = _split(text)
        if key in labels and (value is None or labels[key] == value):
            return True
    return False


@lru_cache(maxsize=256)
def _split(text: str) -> tuple[str, str | None]:
    key, equals, value = text.partition("=")
    return key, value if equals else None

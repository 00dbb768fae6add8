"""Kueue's quotas: kubernetes-sigs/kueue:apis/kueue."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind(
    "clusterqueues",
    "ClusterQueue",
    ("kueue.x-k8s.io/v1", "kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1"),
    namespaced=False,
)

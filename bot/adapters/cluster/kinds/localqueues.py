"""Kueue's queues of a namespace: kubernetes-sigs/kueue:apis/kueue."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind(
    "localqueues", "LocalQueue", ("kueue.x-k8s.io/v1", "kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")
)

"""Kueue's workloads, one for each job in a queue: kubernetes-sigs/kueue:apis/kueue."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("workloads", "Workload", ("kueue.x-k8s.io/v1", "kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1"))

"""Volcano's queues: volcano-sh/apis:pkg/apis/scheduling."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("volcanoqueues", "Queue", ("scheduling.volcano.sh/v1beta1",), namespaced=False, plural="queues")

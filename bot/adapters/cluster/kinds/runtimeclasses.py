"""Runtime classes: kubernetes/api:node/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("runtimeclasses", "RuntimeClass", ("node.k8s.io/v1",), namespaced=False)

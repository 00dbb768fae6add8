"""StatefulSets: kubernetes/api:apps/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("statefulsets", "StatefulSet", ("apps/v1",))

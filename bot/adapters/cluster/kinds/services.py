"""Services: kubernetes/api:core/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("services", "Service", ("v1",))

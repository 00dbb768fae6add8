"""Limits and defaults of namespaces: kubernetes/api:core/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("limitranges", "LimitRange", ("v1",))

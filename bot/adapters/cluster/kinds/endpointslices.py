"""Endpoint slices, to see which services have anybody behind them: kubernetes/api:discovery/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("endpointslices", "EndpointSlice", ("discovery.k8s.io/v1",))

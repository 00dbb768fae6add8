"""Leases: schedulers and controllers that are alive renew theirs. kubernetes/api:coordination/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("leases", "Lease", ("coordination.k8s.io/v1",))

"""Deployments: kubernetes/api:apps/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("deployments", "Deployment", ("apps/v1",))

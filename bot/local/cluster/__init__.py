"""Kubernetes on this machine: an object store, an API server over it, controllers, and a simulated fleet."""

from bot.local.cluster.local import LocalCluster

__all__ = ["LocalCluster"]

"""The controllers of the embedded cluster: what kube-controller-manager and kube-scheduler do in a real one."""

from bot.local.cluster.controllers.run import Controllers

__all__ = ["Controllers"]

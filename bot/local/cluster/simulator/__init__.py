"""A fleet of simulated machines: kubelets, device plugins, a clock and faults, over the wire of the Kubernetes API."""

from bot.local.cluster.simulator.client import Client, RequestError, Server
from bot.local.cluster.simulator.faults import Faults
from bot.local.cluster.simulator.kubeconfig import read_kubeconfig
from bot.local.cluster.simulator.node_spec import NodeSpec
from bot.local.cluster.simulator.simulator import Simulator

__all__ = ["Client", "Faults", "NodeSpec", "RequestError", "Server", "Simulator", "read_kubeconfig"]

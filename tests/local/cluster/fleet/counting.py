"""Counts a cluster as anybody could who may list nodes and pods over the API."""

from dataclasses import dataclass
from typing import Any

from bot.local.cluster import LocalCluster
from bot.local.cluster.simulator import Client, Server

GPU = "nvidia.com/gpu"
Obj = dict[str, Any]


@dataclass
class Count:
    nodes: dict[str, Obj]
    pods: dict[str, Obj]

    def used(self, node: str, resource: str = GPU) -> int:
        return sum(
            int(container["resources"].get("requests", {}).get(resource, 0))
            for pod in self.on(node)
            if pod["status"]["phase"] not in ("Succeeded", "Failed")
            for container in pod["spec"]["containers"]
        )

    def free(self, node: str, resource: str = GPU) -> int:
        return max(0, int(self.nodes[node]["status"]["allocatable"].get(resource, 0)) - self.used(node, resource))

    def on(self, node: str) -> list[Obj]:
        return [pod for pod in self.pods.values() if pod["spec"].get("nodeName") == node]

    def of(self, product: str) -> list[str]:
        return [n for n, o in self.nodes.items() if o["metadata"]["labels"].get("nvidia.com/gpu.product") == product]

    def open(self, product: str) -> list[str]:
        """Not cordoned and without taints."""
        specs = {name: self.nodes[name]["spec"] for name in self.of(product)}
        return [name for name, spec in specs.items() if not spec.get("unschedulable") and not spec.get("taints")]

    def unready(self) -> list[str]:
        return sorted(
            name
            for name, pod in self.pods.items()
            if pod["status"]["phase"] not in ("Succeeded", "Failed")
            and not any(c["type"] == "Ready" and c["status"] == "True" for c in pod["status"].get("conditions", []))
        )


async def take(cluster: LocalCluster) -> Count:
    async with Client(Server(cluster.url)) as client:
        nodes, _ = await client.list("/api/v1/nodes")
        pods, _ = await client.list("/api/v1/pods")
    names = {f"{p['metadata']['namespace']}/{p['metadata']['name']}": p for p in pods}
    return Count({n["metadata"]["name"]: n for n in nodes}, names)


async def listed(cluster: LocalCluster, path: str) -> list[Obj]:
    async with Client(Server(cluster.url)) as client:
        return (await client.list(path))[0]

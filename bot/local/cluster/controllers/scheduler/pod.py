"""What the scheduler needs to know of a pod, worked out once when the pod appears."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.local.cluster.controllers.quantity import amounts

PodKey = tuple[str, str]  # namespace, name
Port = tuple[str, str, int]  # host address, protocol, port

POD_LEVEL = ("cpu", "memory")  # hugepages too: see is_pod_level


@dataclass(frozen=True, slots=True)
class PodView:
    key: PodKey
    uid: str
    priority: int
    requests: Mapping[str, int]
    ports: frozenset[Port]
    node_selector: Mapping[str, str]
    affinity: Mapping[str, Any]  # spec.affinity.nodeAffinity
    tolerations: tuple[Mapping[str, Any], ...]
    node_name: str
    nominated_node: str
    preempts: bool
    created: str
    terminating: bool
    finished: bool
    claims: tuple[Mapping[str, Any], ...]
    shape: str = field(repr=False)  # equal for pods that the filters cannot tell apart


def view_pod(pod: Mapping[str, Any]) -> PodView:
    """`pod` is a v1 Pod as the API stores it: defaults filled in, priority set by admission."""
    meta, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    requests, ports = pod_requests(spec), host_ports(spec)
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    tolerations = tuple(spec.get("tolerations") or ())
    selector, claims = spec.get("nodeSelector") or {}, tuple(spec.get("resourceClaims") or ())
    rank = int(spec.get("priority") or 0)
    return PodView(
        key=(meta["namespace"], meta["name"]),
        uid=meta.get("uid", ""),
        priority=rank,
        requests=requests,
        ports=ports,
        node_selector=selector,
        affinity=affinity,
        tolerations=tolerations,
        node_name=spec.get("nodeName", ""),
        nominated_node=status.get("nominatedNodeName", ""),
        preempts=spec.get("preemptionPolicy") != "Never",
        created=meta.get("creationTimestamp", ""),
        terminating=bool(meta.get("deletionTimestamp")),
        finished=status.get("phase") in ("Succeeded", "Failed"),
        claims=claims,
        shape=json.dumps(
            [
                requests,
                sorted(ports),
                selector,
                affinity,
                tolerations,
                claims,
                rank,
                meta["namespace"] if claims else "",
            ],
            sort_keys=True,
        ),
    )


def pod_requests(spec: Mapping[str, Any]) -> dict[str, int]:
    """What a node must have free for this pod; cpu in millicores, all else in units.

    Init containers run one after another, so only the largest counts; those that restart (sidecars) stay and add up.
    Source: kubernetes/component-helpers:resource/helpers.go.
    """
    total: dict[str, int] = {}
    for container in spec.get("containers") or ():
        _add(total, container_requests(container))
    sidecars: dict[str, int] = {}
    peak: dict[str, int] = {}
    for container in spec.get("initContainers") or ():
        own = container_requests(container)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(sidecars, own)
            own = dict(sidecars)
        else:
            _add(own, sidecars)
        _raise(peak, own)
    _raise(total, peak)
    pod_level = container_requests(spec)
    total.update({name: value for name, value in pod_level.items() if is_pod_level(name)})
    _add(total, amounts(spec.get("overhead")))
    return total


def container_requests(container: Mapping[str, Any]) -> dict[str, int]:
    """Requests; a limit stands for a request that was left out, as API defaulting writes it."""
    resources = container.get("resources") or {}
    return {**amounts(resources.get("limits")), **amounts(resources.get("requests"))}


def is_pod_level(resource: str) -> bool:
    return resource in POD_LEVEL or resource.startswith("hugepages-")


def host_ports(spec: Mapping[str, Any]) -> frozenset[Port]:
    """The ports of the node that the pod takes: of its containers, and of sidecars."""
    sidecars = [c for c in spec.get("initContainers") or () if c.get("restartPolicy") == "Always"]
    host_network = spec.get("hostNetwork", False)
    return frozenset(
        (port.get("hostIP") or "0.0.0.0", port.get("protocol") or "TCP", taken)
        for container in [*(spec.get("containers") or ()), *sidecars]
        for port in container.get("ports") or ()
        if (taken := port.get("hostPort") or (port["containerPort"] if host_network else 0))
    )


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for name, value in more.items():
        total[name] = total.get(name, 0) + value


def _raise(total: dict[str, int], floor: Mapping[str, int]) -> None:
    for name, value in floor.items():
        total[name] = max(total.get(name, 0), value)

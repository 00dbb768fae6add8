"""The pod of an engine: resources, probes that do not end a load, an end that drains, where it may run.

A startup probe's budget comes from the size of the weights; until it has passed nothing else is probed. Readiness asks
the engine for its models, which it answers only once it can generate. /dev/shm has to be larger than the 64 MiB that
a container gets, or NCCL fails.
"""

from math import ceil
from typing import Any

from bot.deploying.manifests.config_map import CONFIG_PATH, FILE, called
from bot.deploying.manifests.manifest import (
    DRAIN_SECONDS,
    GRACE_SECONDS,
    PRE_STOP_SECONDS,
    PROBE_SECONDS,
    WEIGHTS_PATH,
    Ground,
)

MARKER = ".gpubot-complete"
_GIB = 2**30
_LEAST_MEMORY_GIB, _HOST_SHARE = 64, 0.75
STAYS_SECONDS = PRE_STOP_SECONDS + DRAIN_SECONDS  # a worker: as long as its leader may still answer
_NETWORK = "eth0"  # of every pod


def template(ground: Ground, *, leads: bool = True) -> dict[str, Any]:
    """leads: the node that answers requests; the others of several have no server to probe."""
    return {"metadata": {"labels": ground.queued}, "spec": _spec(ground, leads)}


def _spec(ground: Ground, leads: bool) -> dict[str, Any]:
    spec: dict[str, Any] = {
        "enableServiceLinks": False,  # a Service called vllm would set VLLM_PORT to a URL
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        **_affinity(ground),
        "tolerations": tolerations(ground),
        "containers": [_container(ground, leads)],
        "volumes": _volumes(ground),
    }
    if ground.draft.nodes_per_replica == 1:
        spec["topologySpreadConstraints"] = [_spread(ground)]
    if ground.downloads:
        spec["initContainers"] = [_waits(ground)]
    if ground.runtime_class:
        spec["runtimeClassName"] = ground.runtime_class
    if ground.wish.priority_class:
        spec["priorityClassName"] = ground.wish.priority_class
    return spec


def tolerations(ground: Ground) -> list[dict[str, Any]]:
    return [{"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in ground.draft.pool.taints]


def _container(ground: Ground, leads: bool) -> dict[str, Any]:
    engine, start = ground.engine, ground.start
    arguments = [*engine.arguments(start), *engine.joining(start, leads), f"{engine.config_flag}={CONFIG_PATH}/{FILE}"]
    container: dict[str, Any] = {
        "name": engine.name,
        "image": ground.draft.image,
        "command": list(engine.command),
        "args": arguments,
        "env": _environment(ground),
        "ports": [{"name": "http", "containerPort": engine.port}],
        "resources": resources(ground),
        "securityContext": _security(ground),
        "volumeMounts": [
            {"name": "weights", "mountPath": WEIGHTS_PATH, "readOnly": True},
            {"name": "arguments", "mountPath": CONFIG_PATH, "readOnly": True},
            {"name": "cache", "mountPath": "/cache"},
            {"name": "shm", "mountPath": "/dev/shm"},
        ],
    }
    return {**container, **_probes(ground)} if leads else {**container, "lifecycle": _ends(STAYS_SECONDS)}


def _environment(ground: Ground) -> list[dict[str, Any]]:
    """Caches of compiled kernels outlive a restart of the container; nothing is fetched once the weights are there."""
    told = {
        "HOME": "/cache",
        "HF_HOME": "/cache/huggingface",
        "HF_HUB_OFFLINE": "1",
        "VLLM_CACHE_ROOT": "/cache/vllm",
        "TRITON_CACHE_DIR": "/cache/triton",
        **ground.engine.environment(ground.start),
    }
    if ground.draft.nodes_per_replica > 1:  # else they choose among all devices, RDMA's too, to find each other
        told |= {"NCCL_SOCKET_IFNAME": _NETWORK, "GLOO_SOCKET_IFNAME": _NETWORK}
    return [{"name": name, "value": value} for name, value in told.items()]


def _probes(ground: Ground) -> dict[str, Any]:
    engine = ground.engine
    ready = {"httpGet": {"path": engine.ready_path, "port": "http"}}
    alive = {"httpGet": {"path": engine.health_path, "port": "http"}}
    timeout = engine.probe_timeout_seconds
    failures = ground.budget_seconds // PROBE_SECONDS
    return {
        "startupProbe": {**ready, "periodSeconds": PROBE_SECONDS, "timeoutSeconds": 5, "failureThreshold": failures},
        "readinessProbe": {**ready, "periodSeconds": PROBE_SECONDS, "timeoutSeconds": 5, "failureThreshold": 3},
        "livenessProbe": {**alive, "periodSeconds": 30, "timeoutSeconds": timeout, "failureThreshold": 3},
        "lifecycle": _ends(PRE_STOP_SECONDS),
    }


def _ends(seconds: int) -> dict[str, Any]:
    return {"preStop": {"exec": {"command": ["sleep", str(seconds)]}}}


def _security(ground: Ground) -> dict[str, Any]:
    add = {"add": ["IPC_LOCK"]} if ground.draft.pool.rdma_resource and ground.draft.nodes_per_replica > 1 else {}
    return {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], **add}}


def resources(ground: Ground) -> dict[str, Any]:
    """CPU for each rank and the server; host memory for reading the weights, /dev/shm included."""
    draft = ground.draft
    gpus = {draft.pool.resource: str(draft.tensor_parallel)}
    if draft.pool.rdma_resource and draft.nodes_per_replica > 1:
        gpus[draft.pool.rdma_resource] = "1"
    memory = f"{memory_gib(ground)}Gi"
    return {
        "requests": {"cpu": str(cpus(ground)), "memory": memory, **gpus},
        "limits": {"memory": memory, **gpus},
    }


def cpus(ground: Ground) -> int:
    return max(4, 4 * ground.draft.tensor_parallel)


def shm_gib(ground: Ground) -> int:
    return max(4, 4 * ground.draft.tensor_parallel)


def memory_gib(ground: Ground) -> int:
    """Three quarters of the weights that a node reads, in steps of 16, and /dev/shm, which counts as memory."""
    weights = ground.draft.variant.weights_bytes / _GIB
    return max(_LEAST_MEMORY_GIB, ceil(weights * _HOST_SHARE / 16) * 16) + shm_gib(ground)


def _affinity(ground: Ground) -> dict[str, Any]:
    """To nodes with that product, to the pool that was asked for, to drivers on which the image starts. Without any
    label the resource alone decides.
    """
    pool = ground.draft.pool
    terms = [{"key": pool.label, "operator": "In", "values": list(pool.labels)}] if pool.label else []
    if pool.pool_label:
        terms.append({"key": pool.pool_label, "operator": "In", "values": [pool.name]})
    if pool.driver_above is not None:
        terms.append({"key": pool.driver_label, "operator": "Gt", "values": [str(pool.driver_above)]})
    if not terms:
        return {}
    required = {"nodeSelectorTerms": [{"matchExpressions": terms}]}
    return {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}}


def _spread(ground: Ground) -> dict[str, Any]:
    """Rather on different nodes; where there is room on one only, there."""
    return {
        "maxSkew": 1,
        "topologyKey": "kubernetes.io/hostname",
        "whenUnsatisfiable": "ScheduleAnyway",
        "labelSelector": {"matchLabels": ground.selector},
    }


def _volumes(ground: Ground) -> list[dict[str, Any]]:
    return [
        {"name": "weights", "persistentVolumeClaim": {"claimName": ground.claim}},
        {"name": "arguments", "configMap": {"name": called(ground)}},
        {"name": "cache", "emptyDir": {}},
        {"name": "shm", "emptyDir": {"medium": "Memory", "sizeLimit": f"{shm_gib(ground)}Gi"}},
    ]


def _waits(ground: Ground) -> dict[str, Any]:
    """Until the download has left its mark."""
    mark = f"{ground.weights_path}/{MARKER}"
    loop = f'until [ -e "{mark}" ]; do echo "waiting for the weights: {mark} is not there yet"; sleep 10; done'
    return {
        "name": "weights",
        "image": ground.draft.image,
        "command": ["sh", "-c", loop],
        "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "64Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [{"name": "weights", "mountPath": WEIGHTS_PATH, "readOnly": True}],
    }

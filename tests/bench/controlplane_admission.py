"""What admission, controllers and the kubelet add to a pod, so that a stored one is as large as one that was made.

Sources: the ServiceAccount and DefaultTolerationSeconds plugins of kube-apiserver, and server-side field tracking
(kubernetes.io/docs/reference/using-api/server-side-apply). Environment and probes are those of an inference engine.
"""

from __future__ import annotations

from functools import cache
from typing import Any

WHEN = "2026-01-01T00:00:00Z"
TOKEN_VOLUME = "kube-api-access-x7k2p"
TOKEN_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
ENVIRONMENT = (
    "HF_HOME VLLM_CACHE_ROOT NCCL_DEBUG NCCL_IB_HCA CUDA_DEVICE_ORDER OMP_NUM_THREADS VLLM_LOGGING_LEVEL".split()
)
Json = dict[str, Any]


def complete(pod: Json) -> None:
    """Add it all to a pod of one container."""
    (container,) = pod["spec"]["containers"]
    probe = {"httpGet": {"path": "/health", "port": 8000, "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3}
    container |= {
        "env": [{"name": name, "value": f"/var/lib/{name.lower()}"} for name in ENVIRONMENT],
        "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}],
        "readinessProbe": probe,
        "livenessProbe": probe,
        "volumeMounts": [{"name": TOKEN_VOLUME, "readOnly": True, "mountPath": TOKEN_PATH}],
    }
    pod["spec"] |= {"volumes": [_token_volume()], "tolerations": _tolerations(), "serviceAccountName": "default"}
    pod["metadata"]["managedFields"] = [
        _managed("kube-controller-manager", _wanted(tuple(pod["metadata"]["labels"]))),
        _managed("kubelet", _reported()) | {"subresource": "status"},
    ]


@cache
def _token_volume() -> Json:
    authority = {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": authority},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": TOKEN_VOLUME, "projected": {"defaultMode": 420, "sources": sources}}


@cache
def _tolerations() -> list[Json]:
    seconds = {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    gpu = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    return [gpu, *({"key": f"node.kubernetes.io/{what}", **seconds} for what in ("not-ready", "unreachable"))]


@cache
def _wanted(labels: tuple[str, ...]) -> Json:
    container = _fields("image", "imagePullPolicy", "name", "terminationMessagePath", "terminationMessagePolicy")
    container["f:env"] = {".": {}, **{f'k:{{"name":"{name}"}}': _fields("name", "value") for name in ENVIRONMENT}}
    container["f:ports"] = {'k:{"containerPort":8000,"protocol":"TCP"}': _fields("containerPort", "name", "protocol")}
    container["f:resources"] = {kind: _fields("cpu", "memory", "nvidia.com/gpu") for kind in ("f:limits", "f:requests")}
    for probe in ("f:livenessProbe", "f:readinessProbe"):
        container[probe] = {
            **_fields("failureThreshold", "periodSeconds"),
            "f:httpGet": _fields("path", "port", "scheme"),
        }
    spec = _fields("dnsPolicy", "restartPolicy", "schedulerName", "securityContext", "terminationGracePeriodSeconds")
    spec |= {"f:containers": {'k:{"name":"engine"}': container}, "f:tolerations": {}}
    owner = {".": {}, 'k:{"uid":"owner"}': {}}
    metadata = {"f:generateName": {}, "f:labels": _fields(*labels), "f:ownerReferences": owner}
    return {"f:metadata": metadata, "f:spec": spec}


@cache
def _reported() -> Json:
    kinds = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    conditions = {
        f'k:{{"type":"{kind}"}}': _fields("lastProbeTime", "lastTransitionTime", "status", "type") for kind in kinds
    }
    status = _fields("containerStatuses", "hostIP", "hostIPs", "phase", "podIP", "startTime")
    return {"f:status": {**status, "f:conditions": {".": {}, **conditions}}}


def _managed(manager: str, fields: Json) -> Json:
    return {
        "manager": manager,
        "operation": "Update",
        "apiVersion": "v1",
        "time": WHEN,
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _fields(*names: str) -> Json:
    return {".": {}, **{f"f:{name}": {} for name in names}}

"""Full-size objects of a GPU cluster, as an API server would write them: pods of about 10 KB, nodes of about 13 KB.

Pods come in groups of one owner that share a template, as in life. Each is made by filling in a group's JSON, since
making 150,000 dictionaries would take longer than everything that is measured with them. The same number always gives
the same object.
"""

import json
import random
from functools import lru_cache
from typing import Any

Json = dict[str, Any]
GROUP = 8
WHEN = "2026-11-20T08:15:30Z"
SORTS = ("serving", "training", "daemon")
MODELS = ("glm-5-fp8", "qwen3-235b", "llama-4-scout", "deepseek-v4", "mistral-large-3", "gpt-oss-120b")
GPU_LABELS = """count=8 memory=143771 family=hopper machine=HGX-H200 replicas=1 compute.major=9 compute.minor=0 present=true
sharing-strategy=none mode=compute product=NVIDIA-H200""".split()
OPERANDS = (
    "container-toolkit",
    "dcgm",
    "dcgm-exporter",
    "device-plugin",
    "driver",
    "gpu-feature-discovery",
    "mig-manager",
)
CPU_FLAGS = (
    "ADX AESNI AVX AVX2 AVX512BW AVX512CD AVX512DQ AVX512F AVX512VL AVX512VNNI FMA3 SHA VAES AMXBF16 AMXINT8".split()
)
ENVIRONMENT = """HF_HOME VLLM_CACHE_ROOT NCCL_DEBUG NCCL_IB_HCA NCCL_SOCKET_IFNAME CUDA_DEVICE_ORDER TORCH_NCCL_BLOCKING_WAIT
OMP_NUM_THREADS VLLM_LOGGING_LEVEL OTEL_EXPORTER_OTLP_ENDPOINT OTEL_SERVICE_NAME PROMETHEUS_MULTIPROC_DIR
VLLM_WORKER_MULTIPROC_METHOD VLLM_ATTENTION_BACKEND RAY_DEDUP_LOGS TRITON_CACHE_DIR HF_HUB_OFFLINE TOKENIZERS_PARALLELISM""".split()
MOUNTS = ("models", "cache", "scratch", "shm", "config")
POD_CONDITIONS = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
NODE_CONDITIONS = ("MemoryPressure", "DiskPressure", "PIDPressure", "Ready", "KernelDeadlock", "GpuXidError")


def node_name(number: int) -> str:
    return f"gpu-{number // 64:03d}-{number % 64:02d}.cluster.internal"


def pod(number: int, nodes: int) -> bytes:
    """One pod's JSON. Every fiftieth waits for a node; one in a hundred crashes over and over."""
    chance = random.Random(number)
    waits = number % 50 == 49
    group = number // GROUP
    text = _sort(group % 120, waits, number % 100 == 7)
    own = {
        "@GROUP@": f"{group:08x}",
        "@SUFFIX@": "".join(chance.choices("bcdfghjklmnpqrstvwxz2456789", k=5)) + str(number % GROUP),
        "@NODE@": node_name(chance.randrange(nodes)),
        "@UID@": f"{number:08x}-1c3d-4a5b-8e6f-{number:012x}",
        "@VERSION@": str(900_000 + number),
        "@IP@": f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
        "@DIGEST@": f"{chance.getrandbits(256):064x}",
    }
    for mark, value in own.items():
        text = text.replace(mark, value)
    return text.encode()


def node(number: int) -> bytes:
    """One node's JSON; one in two hundred is cordoned."""
    name = node_name(number)
    labels = _node_labels(number, name)
    capacity = {"cpu": "192", "memory": "2113929216Ki", "ephemeral-storage": "3749900Mi", "nvidia.com/gpu": "8"}
    capacity |= {"pods": "250", "hugepages-1Gi": "0", "hugepages-2Mi": "5128Mi", "rdma/hca_shared_devices_a": "63"}
    managed = {"f:metadata": {"f:labels": {f"f:{label}": {} for label in labels}}}
    reported = {
        "f:status": {"f:conditions": {f'k:{{"type":"{one}"}}': _fields("status", "reason") for one in NODE_CONDITIONS}}
    }
    spec: Json = {"podCIDR": f"10.{number % 250}.0.0/24", "providerID": f"cloud:///zone/i-{number:017x}"}
    spec["taints"] = [{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}]
    if number % 200 == 199:
        spec["unschedulable"] = True
    return _dump(
        {
            "metadata": {
                "name": name,
                "uid": f"{number:08x}-0a0b-4c0d-8e0f-{number:012x}",
                "resourceVersion": str(800_000 + number),
                "creationTimestamp": WHEN,
                "labels": labels,
                "annotations": {
                    "node.alpha.kubernetes.io/ttl": "0",
                    "nfd.node.kubernetes.io/feature-labels": ",".join(CPU_FLAGS),
                },
                "managedFields": [_managed("nfd-master", managed), _managed("kubelet", reported)],
            },
            "spec": spec,
            "status": {
                "capacity": capacity,
                "allocatable": {**capacity, "cpu": "191450m"},
                "conditions": [_node_condition(one) for one in NODE_CONDITIONS],
                "addresses": [{"type": "InternalIP", "address": f"10.0.{number >> 8}.{number & 255}"}],
                "nodeInfo": {
                    "kubeletVersion": "v1.36.2",
                    "kernelVersion": "6.8.0-1021",
                    "osImage": "Ubuntu 24.04.3 LTS",
                },
                "images": [_image(one) for one in range(20)],
            },
        }
    ).encode()


@lru_cache(maxsize=512)
def _sort(number: int, waits: bool, crashes: bool) -> str:
    """The JSON that pods of one sort have in common, with marks where groups and pods differ."""
    sort = SORTS[number % 3]
    model = MODELS[number % len(MODELS)]
    app = {"serving": f"vllm-{model}", "training": f"sft-{model}-@GROUP@", "daemon": "node-exporter"}[sort]
    owner = f"{app}-@GROUP@"
    gpus = str((1, 2, 4, 8)[number % 4]) if sort != "daemon" else "0"
    spec, volumes = _pod_spec(app, model, gpus)
    labels = _pod_labels(app, model, number)
    metadata = {
        "name": f"{owner}-@SUFFIX@",
        "generateName": f"{owner}-",
        "namespace": {"serving": f"inference-{number % 20}", "training": f"train-{number % 40}", "daemon": "system"}[
            sort
        ],
        "uid": "@UID@",
        "resourceVersion": "@VERSION@",
        "creationTimestamp": WHEN,
        "labels": labels,
        "annotations": {"prometheus.io/scrape": "true", "prometheus.io/port": "8000", "cni/pod-ip": "@IP@/32"},
        "ownerReferences": [_owner(sort, owner)],
        "managedFields": _pod_fields(labels, volumes),
    }
    if not waits:
        spec["nodeName"] = "@NODE@"
    status = _waiting_status() if waits else _running_status(app, crashes)
    return _dump({"metadata": metadata, "spec": spec, "status": status})


def _pod_spec(app: str, model: str, gpus: str) -> tuple[Json, list[str]]:
    amounts = {"cpu": "16", "memory": "128Gi", **({"nvidia.com/gpu": gpus} if gpus != "0" else {})}
    volumes = [*MOUNTS, "kube-api-access-@SUFFIX@"]
    probe = {"httpGet": {"path": "/health", "port": 8000, "scheme": "HTTP"}, "periodSeconds": 10, "failureThreshold": 3}
    container = {
        "name": "main",
        "image": f"registry.internal/llm/{app}:v1.4.2",
        "command": ["python3", "-m", "vllm.entrypoints.openai.api_server"],
        "args": [
            f"--model=/models/{model}",
            f"--tensor-parallel-size={gpus}",
            "--enable-prefix-caching",
            "--port=8000",
        ],
        "env": [{"name": name, "value": f"/var/lib/{name.lower()}"} for name in ENVIRONMENT],
        "ports": [{"name": "http", "containerPort": 8000, "protocol": "TCP"}],
        "resources": {"limits": amounts, "requests": amounts},
        "volumeMounts": [{"name": name, "mountPath": f"/mnt/{name}"} for name in volumes],
        "readinessProbe": probe,
        "livenessProbe": probe,
        "imagePullPolicy": "IfNotPresent",
        "terminationMessagePath": "/dev/termination-log",
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    claims = [{"name": name, "persistentVolumeClaim": {"claimName": f"{app}-{name}"}} for name in MOUNTS]
    spec: Json = {
        "containers": [container],
        "volumes": [
            *claims,
            {
                "name": volumes[-1],
                "projected": {
                    "defaultMode": 420,
                    "sources": [{"serviceAccountToken": {"path": "token", "expirationSeconds": 3607}}],
                },
            },
        ],
        "nodeSelector": {"nvidia.com/gpu.product": "NVIDIA-H200"},
        "tolerations": [
            {"key": key, "operator": "Exists", "effect": "NoSchedule"} for key in ("nvidia.com/gpu", "dedicated")
        ],
        "priority": 1000,
        "priorityClassName": "inference",
        "schedulerName": "default-scheduler",
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "dnsPolicy": "ClusterFirst",
        "serviceAccountName": "default",
        "securityContext": {},
    }
    return spec, volumes


def _pod_labels(app: str, model: str, number: int) -> dict[str, str]:
    own = {"app": app, "model": model, "team": f"team-{number % 12}", "pod-template-hash": "@GROUP@"}
    return own | {
        f"app.kubernetes.io/{part}": app for part in ("name", "instance", "component", "part-of", "managed-by")
    }


def _running_status(app: str, crashes: bool) -> Json:
    running = {"running": {"startedAt": WHEN}}
    crashing = {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s restarting failed container"}}
    amounts = {"cpu": "16", "memory": "128Gi"}
    container = {
        "name": "main",
        "state": crashing if crashes else running,
        "lastState": {"terminated": {"reason": "OOMKilled", "exitCode": 137}} if crashes else {},
        "ready": not crashes,
        "restartCount": 7 if crashes else 0,
        "started": True,
        "image": f"registry.internal/llm/{app}:v1.4.2",
        "imageID": f"registry.internal/llm/{app}@sha256:{'0' * 64}",
        "containerID": "containerd://@DIGEST@",
        "resources": {"limits": amounts, "requests": amounts},
        "allocatedResources": amounts,
    }
    return {
        "phase": "Running",
        "conditions": [_pod_condition(one, crashes and one.endswith("Ready")) for one in POD_CONDITIONS],
        "hostIP": "10.0.3.7",
        "podIP": "@IP@",
        "podIPs": [{"ip": "@IP@"}],
        "startTime": WHEN,
        "containerStatuses": [container],
        "qosClass": "Guaranteed",
    }


def _waiting_status() -> Json:
    message = "0/5000 nodes are available: 4988 Insufficient nvidia.com/gpu, 12 node(s) were unschedulable."
    condition = {**_pod_condition("PodScheduled", True), "reason": "Unschedulable", "message": message}
    return {"phase": "Pending", "conditions": [condition], "qosClass": "Guaranteed"}


def _pod_condition(kind: str, bad: bool) -> Json:
    status = "False" if bad else "True"
    return {"type": kind, "status": status, "observedGeneration": 1, "lastProbeTime": None, "lastTransitionTime": WHEN}


def _node_condition(kind: str) -> Json:
    status = "True" if kind == "Ready" else "False"
    about = {"reason": f"Kubelet{kind}", "message": f"kubelet reports {kind} as {status}"}
    return {"type": kind, "status": status, "lastHeartbeatTime": WHEN, "lastTransitionTime": WHEN, **about}


def _node_labels(number: int, name: str) -> dict[str, str]:
    labels = {"kubernetes.io/hostname": name, "kubernetes.io/arch": "amd64", "kubernetes.io/os": "linux"}
    labels |= {"topology.kubernetes.io/zone": f"zone-{number % 3}", "node-pool": f"pool-{number % 8}"}
    labels |= {f"nvidia.com/gpu.{key}": value for key, value in (pair.split("=") for pair in GPU_LABELS)}
    labels |= {f"nvidia.com/gpu.deploy.{operand}": "true" for operand in OPERANDS}
    labels |= {f"feature.node.kubernetes.io/cpu-cpuid.{flag}": "true" for flag in CPU_FLAGS}
    labels |= {f"feature.node.kubernetes.io/pci-{device:04x}.present": "true" for device in range(0x10DE, 0x10F8)}
    return labels


def _image(number: int) -> Json:
    digest = f"{number:064x}"
    name = f"registry.internal/llm/image-{number}"
    return {"names": [f"{name}@sha256:{digest}", f"{name}:v1.{number}.0"], "sizeBytes": 9_000_000_000 + number}


def _owner(sort: str, name: str) -> Json:
    kind, version = {
        "serving": ("ReplicaSet", "apps/v1"),
        "training": ("Job", "batch/v1"),
        "daemon": ("DaemonSet", "apps/v1"),
    }[sort]
    uid = "@GROUP@-5e5e-4b4b-8a8a-0000@GROUP@"
    return {
        "apiVersion": version,
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def _pod_fields(labels: dict[str, str], volumes: list[str]) -> list[Json]:
    """managedFields: two fifths of a pod's bytes, and nothing in them for us."""
    container = _fields(
        "image", "name", "command", "args", "imagePullPolicy", "terminationMessagePath", "securityContext"
    )
    container["f:env"] = {f'k:{{"name":"{name}"}}': _fields("name", "value") for name in ENVIRONMENT}
    container["f:volumeMounts"] = {f'k:{{"mountPath":"/mnt/{name}"}}': _fields("mountPath", "name") for name in volumes}
    container["f:resources"] = {kind: _fields("cpu", "memory", "nvidia.com/gpu") for kind in ("f:limits", "f:requests")}
    container["f:readinessProbe"] = _fields("failureThreshold", "httpGet", "periodSeconds")
    spec = _fields("dnsPolicy", "nodeSelector", "restartPolicy", "schedulerName", "tolerations", "securityContext")
    spec["f:containers"] = {'k:{"name":"main"}': container}
    spec["f:volumes"] = {f'k:{{"name":"{name}"}}': _fields("name", "persistentVolumeClaim") for name in volumes}
    wanted = {"f:metadata": {"f:labels": {f"f:{name}": {} for name in labels}, "f:generateName": {}}, "f:spec": spec}
    conditions = {f'k:{{"type":"{one}"}}': _fields("lastProbeTime", "status", "type") for one in POD_CONDITIONS}
    reported = {"f:status": {**_fields("hostIP", "phase", "podIP", "startTime"), "f:conditions": conditions}}
    return [_managed("kube-controller-manager", wanted), _managed("kubelet", reported)]


def _managed(manager: str, fields: Json) -> Json:
    return {"manager": manager, "operation": "Update", "apiVersion": "v1", "time": WHEN, "fieldsV1": fields}


def _fields(*names: str) -> Json:
    return {".": {}, **{f"f:{name}": {} for name in names}}


def _dump(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"))

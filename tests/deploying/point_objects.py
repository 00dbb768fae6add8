"""What is in a cluster besides its nodes, for the questions of the preflight."""

from tests.deploying.building import Object, claim, gpu_node

G1 = gpu_node("g1")
QUOTA = {
    "apiVersion": "v1",
    "kind": "ResourceQuota",
    "metadata": {"name": "gpus", "namespace": "llm", "uid": "q"},
    "spec": {"hard": {"requests.nvidia.com/gpu": "4"}},
    "status": {"hard": {"requests.nvidia.com/gpu": "4"}, "used": {"requests.nvidia.com/gpu": "0"}},
}
QUEUE = {
    "apiVersion": "kueue.x-k8s.io/v1beta1",
    "kind": "LocalQueue",
    "metadata": {"name": "models", "namespace": "llm", "uid": "lq"},
    "spec": {"clusterQueue": "all"},
}
SERVING = {
    "apiVersion": "scheduling.k8s.io/v1",
    "kind": "PriorityClass",
    "metadata": {"name": "serving", "uid": "pc"},
    "value": 1000,
}


def a_class(name: str, provisioner: str) -> Object:
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name, "uid": name},
        "provisioner": provisioner,
    }


def a_quota(**hard: str) -> Object:
    told = {name.replace("__", ".").replace("_", "/"): amount for name, amount in hard.items()}
    return {**QUOTA, "spec": {"hard": told}, "status": {"hard": told, "used": {}}}


def a_deployment(name: str, *, claimed: str = "", path: str = "", ready: int = 1, **labels: str) -> Object:
    volumes = [{"name": "w", "persistentVolumeClaim": {"claimName": claimed}}] if claimed else []
    mounts = [{"name": "w", "mountPath": "/data/"}] if claimed else []
    container = {"name": "main", "image": "engine:v1", "args": [f"--model={path}"], "volumeMounts": mounts}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "llm", "uid": name, "labels": labels},
        "spec": {"replicas": 1, "template": {"spec": {"containers": [container], "volumes": volumes}}},
        "status": {"readyReplicas": ready},
    }


def a_download(**condition: str) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "glm-4-7-flash-bf16-download", "namespace": "llm", "uid": "job"},
        "spec": {},
        "status": {"conditions": [{"status": "True", **condition}]},
    }


def a_pod_without(image: str, reason: str = "ImagePullBackOff") -> Object:
    pod = a_running_pod(image)
    state = {"name": "main", "ready": False, "restartCount": 0, "state": {"waiting": {"reason": reason}}}
    return {**pod, "status": {"phase": "Pending", "containerStatuses": [state]}}


RUNTIME = {
    "apiVersion": "node.k8s.io/v1",
    "kind": "RuntimeClass",
    "metadata": {"name": "nvidia", "uid": "rc"},
    "handler": "nvidia",
}
OURS = {"app.kubernetes.io/managed-by": "gpubot", "gpubot.dev/model": "glm-4.7-flash"}
OWN_CLAIM = claim("glm-4-7-flash-bf16-weights")


def a_service(name: str, **labels: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "llm", "uid": name, "labels": labels},
        "spec": {"selector": {"app": name}},
    }


def a_running_pod(image: str) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "other", "namespace": "x", "uid": "other"},
        "spec": {"nodeName": "g1", "containers": [{"name": "main", "image": image}]},
        "status": {"phase": "Running"},
    }

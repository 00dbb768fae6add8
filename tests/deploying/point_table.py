"""Every question of the preflight with what is there and what is asked for: yes, no with what helps, could not tell."""

import pytest

from tests.deploying.building import claim, gpu_node, holder
from tests.deploying.point_objects import (
    OURS,
    OWN_CLAIM,
    QUEUE,
    QUOTA,
    RUNTIME,
    SERVING,
    a_class,
    a_deployment,
    a_download,
    a_pod_without,
    a_quota,
    a_running_pod,
    a_service,
)

NOBODY: dict[str, str] = {}
# point, what is there besides, what is asked for → the answer, a part of what it says, a part of what helps.
TOLD = [
    pytest.param("namespace", [], NOBODY, True, "is there", "", id="the namespace is there"),
    pytest.param(
        "namespace", [], {"namespace": "lllm"}, False, "there is no namespace", "namespace=llm", id="it is not"
    ),
    pytest.param("name", [], NOBODY, True, "is free", "", id="the name is free"),
    pytest.param(
        "name",
        [a_deployment("flash", **{**OURS, "gpubot.dev/model": "glm-5.2"})],
        {"name": "flash"},
        False,
        "serves glm-5.2, and a workload keeps its model",
        "name=flash-2",
        id="a name that serves another model",
    ),
    pytest.param("name", [a_service("flash")], {"name": "flash"}, False, "is not gpubot's", "name=flash-2", id="taken"),
    pytest.param(
        "name",
        [a_service("flash", **OURS), a_deployment("flash", **OURS)],
        {"name": "flash"},
        True,
        "gpubot's own",
        "",
        id="a name that is ours",
    ),
    pytest.param("weights", [], NOBODY, True, "a new volume of 67 GiB", "", id="a new volume for one replica"),
    pytest.param(
        "weights", [], {"replicas": "2"}, None, "ReadWriteMany volume", "storage=shared", id="one for several"
    ),
    pytest.param(
        "weights",
        [a_class("block", "ebs.csi.aws.com"), a_class("files", "efs.csi.aws.com")],
        {"replicas": "2", "storage": "block"},
        False,
        "makes volumes for one node at a time",
        "storage=files",
        id="a class of disks for several nodes",
    ),
    pytest.param(
        "weights",
        [a_class("ceph", "rook-ceph.cephfs.csi.ceph.com")],
        {"autoscale": "waiting", "storage": "ceph"},
        True,
        "for many nodes is asked of class `ceph`",
        "",
        id="a class of files for replicas that come later",
    ),
    pytest.param(
        "weights",
        [claim("other")],
        {"replicas": "2"},
        None,
        "ReadWriteMany volume",
        "",
        id="a claim that is not bound for certain says nothing of its class",
    ),
    pytest.param(
        "weights",
        [OWN_CLAIM, a_download(type="Failed", reason="DeadlineExceeded")],
        NOBODY,
        False,
        "download failed before (DeadlineExceeded)",
        "delete job glm-4-7-flash-bf16-download",
        id="a download that failed would be waited for",
    ),
    pytest.param(
        "weights",
        [OWN_CLAIM, a_download(type="Complete")],
        NOBODY,
        True,
        "has downloaded them",
        "",
        id="a download that is complete",
    ),
    pytest.param("weights", [OWN_CLAIM], NOBODY, True, "goes on where it was", "", id="a download that goes on"),
    pytest.param(
        "weights",
        [claim(), a_deployment("old", claimed="weights", path="/data/f")],
        {"source": "pvc:weights/f"},
        True,
        "deployment/old reads them",
        "",
        id="an engine reads them from there already",
    ),
    pytest.param(
        "weights",
        [claim(), a_deployment("old", claimed="weights", path="/data/f", ready=0)],
        {"source": "pvc:weights/f"},
        None,
        "lie at",
        "",
        id="one that is not ready proves nothing",
    ),
    pytest.param(
        "weights",
        [claim(), a_deployment("old", claimed="weights", path="/data/other")],
        {"source": "pvc:weights/f"},
        None,
        "lie at",
        "",
        id="nor does one that reads others",
    ),
    pytest.param("weights", [], {"storage": "fast"}, False, "no storage class `fast`", "storage=shared", id="no class"),
    pytest.param("weights", [], {"source": "pvc:w"}, False, "there is no claim `w`", "source=hf", id="no such claim"),
    pytest.param(
        "weights", [claim()], {"source": "pvc:weights/f"}, None, "lie at `/models/f`", "describe pvc", id="a claim"
    ),
    pytest.param(
        "weights",
        [claim(size="10Gi")],
        {"source": "pvc:weights"},
        False,
        "has 10 GiB, the weights take 58",
        "67Gi",
        id="small",
    ),
    pytest.param(
        "weights",
        [claim(modes=["ReadWriteOnce"])],
        {"source": "pvc:weights", "replicas": "2"},
        False,
        "one node at a time",
        "ReadWriteMany",
        id="a claim for one node and two replicas",
    ),
    pytest.param("source", [], NOBODY, None, "reach Hugging Face", "source=pvc:", id="the hub cannot be asked"),
    pytest.param("source", [], {"source": "modelscope"}, None, "reach ModelScope", "", id="nor the other one"),
    pytest.param("image", [], NOBODY, None, "can pull", "image=MIRROR", id="an image that nobody runs"),
    pytest.param("image", [a_running_pod("vllm/vllm-openai:v0.33.0")], NOBODY, True, "run `vllm", "", id="that runs"),
    pytest.param(
        "image", [a_running_pod("vllm/vllm-openai:v0.30.0")], NOBODY, True, "another version", "", id="another version"
    ),
    pytest.param(
        "image",
        [a_running_pod("docker.io/vllm/vllm-openai:v0.33.0")],
        NOBODY,
        True,
        "1 of them on its nodes",
        "",
        id="that runs under its long name",
    ),
    pytest.param(
        "image",
        [a_running_pod("mirror.example.org/vllm/vllm-openai:v0.33.0")],
        NOBODY,
        None,
        "no image of docker.io runs here",
        "",
        id="that of a mirror says nothing of another registry",
    ),
    pytest.param(
        "image",
        [a_running_pod("redis:7")],
        NOBODY,
        None,
        "other images of docker.io run in 1 container",
        "",
        id="the registry",
    ),
    pytest.param(
        "image",
        [a_pod_without("vllm/vllm-openai:v0.33.0")],
        NOBODY,
        False,
        "x/other does not get",
        "kubectl -n x describe pod other",
        id="an image that another pod does not get",
    ),
    pytest.param(
        "image",
        [a_pod_without("vllm/vllm-openai:v0.33.0", "CrashLoopBackOff")],
        NOBODY,
        None,
        "can pull",
        "",
        id="a crash is not about the image",
    ),
    pytest.param("objects", [a_quota(services="5")], NOBODY, True, "leave room", "", id="room for its objects"),
    pytest.param(
        "objects",
        [a_quota(requests__storage="50Gi")],
        NOBODY,
        False,
        "has 50 GiB of `requests.storage` left, and 67 GiB is needed",
        "describe resourcequota gpus",
        id="a quota on storage that is too small",
    ),
    pytest.param(
        "objects",
        [a_quota(count_jobs__batch="0")],
        NOBODY,
        False,
        "has 0 of `count/jobs.batch` left, and 1 is needed",
        "",
        id="a quota that allows no Job",
    ),
    pytest.param(
        "objects",
        [a_quota(persistentvolumeclaims="0"), OWN_CLAIM],
        NOBODY,
        True,
        "leave room",
        "",
        id="what is there is counted already",
    ),
    pytest.param(
        "controllers", [], {"autoscale": "waiting"}, True, "KEDA is there", "", id="the autoscaler's kind is known"
    ),
    pytest.param(
        "controllers", [], {"monitor": "yes"}, None, "knows ServiceMonitor", "get crd servicemonitors", id="one is not"
    ),
    pytest.param(
        "arguments", [], {"args": "--max-num-seqs=64"}, True, "goes with what", "", id="an argument of one's own"
    ),
    pytest.param(
        "arguments", [], {"args": "--port=9000"}, False, "probes and Service go by it", "leave it out", id="a port"
    ),
    pytest.param(
        "arguments", [], {"args": "--tensor-parallel-size=8"}, False, "is set by gpubot", "tp=", id="ranks by argument"
    ),
    pytest.param(
        "arguments",
        [],
        {"args": "--gpu-memory-utilization=0.5"},
        None,
        "counted without",
        "",
        id="an argument that changes the memory",
    ),
    pytest.param("runtime", [RUNTIME], NOBODY, True, "name it", "", id="a RuntimeClass for GPUs"),
    pytest.param(
        "runtime", [holder("a", "g1", 1)], NOBODY, True, "train/a uses GPUs there", "", id="nodes that need none"
    ),
    pytest.param("runtime", [], NOBODY, None, "usual runtime gives GPUs", "/gpu preflight g1", id="nobody knows"),
    pytest.param("taints", [], NOBODY, True, "tolerate `nvidia.com/gpu`", "", id="the usual taint"),
    pytest.param(
        "taints",
        [gpu_node("g2", taints=[{"key": "team", "value": "x", "effect": "NoSchedule"}])],
        NOBODY,
        True,
        "1 of 2 nodes are kept for others (`team`)",
        "",
        id="some nodes are kept for others",
    ),
    pytest.param("quota", [], NOBODY, True, "no quota", "", id="no quota"),
    pytest.param(
        "quota", [QUOTA], {"tp": "5"}, False, "only 0 of 1 replicas would be made", "", id="a quota that refuses"
    ),
    pytest.param("queue", [QUEUE], NOBODY, None, "no queue was named", "queue=models", id="a queue that nobody named"),
    pytest.param("queue", [QUEUE], {"queue": "models"}, True, "is there", "", id="a queue that is there"),
    pytest.param("queue", [QUEUE], {"queue": "other"}, False, "has no queue", "queue=models", id="a queue that is not"),
    pytest.param("priority", [SERVING], {"priority": "serving"}, True, "is there", "", id="a priority class"),
    pytest.param(
        "priority", [SERVING], {"priority": "servin"}, False, "no priority class", "priority=serving", id="none"
    ),
    pytest.param("pod-security", [], NOBODY, True, "sets no Pod Security level", "", id="no level is enforced"),
    pytest.param("host", [], NOBODY, True, "host memory", "", id="enough host memory"),
    pytest.param("disk", [], NOBODY, True, "room for the image", "", id="enough disk"),
    pytest.param("driver", [], NOBODY, True, "driver 580.95.05 runs CUDA 13.0", "", id="a driver that runs it"),
    pytest.param("room", [], NOBODY, True, "would get a node now", "", id="there is room"),
    pytest.param("licence", [], NOBODY, True, "under MIT", "", id="the licence is told"),
]

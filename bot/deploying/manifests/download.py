"""Puts the weights where all replicas read them, once, and leaves a mark when all of them are there.

Goes on where it was cut off: the hub's tools look at what is there. huggingface/huggingface_hub (`hf download`),
modelscope/modelscope (`modelscope download`). A volume for one node is filled on the node of the pod that reads it.

Tokens, mirrors and proxies come from a Secret of the namespace, where there is one: `HF_TOKEN`, `HF_ENDPOINT`,
`MODELSCOPE_API_TOKEN`, `PIP_INDEX_URL`, `HTTPS_PROXY`.
"""

from typing import Any

from bot.deploying.manifests.claim import shared
from bot.deploying.manifests.manifest import WEIGHTS_PATH, Ground, Manifest, label
from bot.deploying.manifests.pod import MARKER, tolerations

DOWNLOAD = "gpubot.dev/download"  # none of the labels by which engines are chosen
_DEADLINE_SECONDS = 6 * 3600
IMAGE = "python:3.12-slim"
HUB_SECRET = "model-hub"
_OWNS = ["CHOWN", "DAC_OVERRIDE", "FOWNER"]  # a volume belongs to whoever made it


def render(ground: Ground) -> dict[str, Any] | None:
    if not ground.downloads:
        return None
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": ground.metadata(called(ground)),
        "spec": {
            "backoffLimit": 6,
            "activeDeadlineSeconds": _DEADLINE_SECONDS,
            "template": {"metadata": {"labels": {DOWNLOAD: ground.name}}, "spec": _pod(ground)},
        },
    }


def called(ground: Ground) -> str:
    """Another one for another source: a Job that is there stays as it is, and fills the folder of its own."""
    source = ("modelscope",) if ground.from_modelscope else ()
    return label(ground.name, ground.draft.variant.id, *source, "download")


def _pod(ground: Ground) -> dict[str, Any]:
    return {
        "restartPolicy": "OnFailure",
        "automountServiceAccountToken": False,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        **_beside(ground),
        "tolerations": tolerations(ground),
        "containers": [_container(ground)],
        "volumes": [{"name": "weights", "persistentVolumeClaim": {"claimName": ground.claim}}],
    }


def _beside(ground: Ground) -> dict[str, Any]:
    if shared(ground):
        return {}
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": ground.selector}}
    return {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


def _container(ground: Ground) -> dict[str, Any]:
    tool, line = _modelscope(ground) if ground.from_modelscope else _huggingface(ground)
    script = f'set -e; pip install --quiet {tool}; {line}; touch "{ground.weights_path}/{MARKER}"'
    return {
        "name": "download",
        "image": IMAGE,
        "command": ["sh", "-c", script],
        "envFrom": [{"secretRef": {"name": HUB_SECRET, "optional": True}}],
        "env": [{"name": "HF_XET_HIGH_PERFORMANCE", "value": "1"}, {"name": "HOME", "value": "/tmp"}],
        "resources": {"requests": {"cpu": "2", "memory": "8Gi"}, "limits": {"memory": "32Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"], "add": _OWNS}},
        "volumeMounts": [{"name": "weights", "mountPath": WEIGHTS_PATH}],
    }


def _huggingface(ground: Ground) -> tuple[str, str]:
    return "huggingface_hub", f'hf download "{ground.checkpoint}" --local-dir "{ground.weights_path}"'


def _modelscope(ground: Ground) -> tuple[str, str]:
    return "modelscope", f'modelscope download --model "{ground.checkpoint}" --local_dir "{ground.weights_path}"'


MANIFEST = Manifest(30, "Job", render, page=__doc__ or "")

"""Puts the weights where all replicas read them, once, and leaves a mark when all of them are there.

Goes on where it was cut off: the hub's tools look at what is there. huggingface/huggingface_hub (`hf download`),
modelscope/modelscope (`modelscope download`).
"""

from typing import Any

from bot.deploying.manifests.manifest import WEIGHTS_PATH, Ground, Manifest
from bot.deploying.manifests.pod import MARKER

DOWNLOAD = "gpubot.dev/download"  # none of the labels by which engines are chosen
_DEADLINE_SECONDS = 6 * 3600
_IMAGE = "python:3.12-slim"


def render(ground: Ground) -> dict[str, Any] | None:
    if not ground.downloads:
        return None
    name = f"{ground.name}-{ground.draft.variant.id}-download"
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": ground.metadata(name),
        "spec": {
            "backoffLimit": 6,
            "activeDeadlineSeconds": _DEADLINE_SECONDS,
            "template": {"metadata": {"labels": {DOWNLOAD: ground.name}}, "spec": _pod(ground)},
        },
    }


def _pod(ground: Ground) -> dict[str, Any]:
    return {
        "restartPolicy": "OnFailure",
        "automountServiceAccountToken": False,
        "securityContext": {"seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(ground)],
        "volumes": [{"name": "weights", "persistentVolumeClaim": {"claimName": ground.claim}}],
    }


def _container(ground: Ground) -> dict[str, Any]:
    tool, line = _modelscope(ground) if ground.from_modelscope else _huggingface(ground)
    script = f'set -e; pip install --quiet {tool}; {line}; touch "{ground.weights_path}/{MARKER}"'
    container: dict[str, Any] = {
        "name": "download",
        "image": _IMAGE,
        "command": ["sh", "-c", script],
        "env": [{"name": "HF_XET_HIGH_PERFORMANCE", "value": "1"}, {"name": "HOME", "value": "/tmp"}],
        "resources": {"requests": {"cpu": "2", "memory": "8Gi"}, "limits": {"memory": "16Gi"}},
        "securityContext": {"allowPrivilegeEscalation": False},  # shared volumes belong to whoever made them
        "volumeMounts": [{"name": "weights", "mountPath": WEIGHTS_PATH}],
    }
    if ground.token_secret:
        key = "MODELSCOPE_API_TOKEN" if ground.from_modelscope else "HF_TOKEN"
        secret = {"name": ground.token_secret, "key": "token", "optional": True}
        container["env"].append({"name": key, "valueFrom": {"secretKeyRef": secret}})
    return container


def _huggingface(ground: Ground) -> tuple[str, str]:
    return "huggingface_hub", f'hf download "{ground.checkpoint}" --local-dir "{ground.weights_path}"'


def _modelscope(ground: Ground) -> tuple[str, str]:
    return "modelscope", f'modelscope download --model "{ground.checkpoint}" --local_dir "{ground.weights_path}"'


MANIFEST = Manifest(30, "Job", render, page=__doc__ or "")

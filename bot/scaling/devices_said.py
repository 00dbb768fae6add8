"""GPUs of replicas in words: `16 GPUs`, and slices and shares by their own names."""

from bot.domain.record import NONE
from bot.domain.words import count, names
from bot.gpu.kind import Form, is_gpu_resource, kind_of
from bot.scaling.preview import Preview
from bot.why.amounts import added, said


def devices(told: Preview, replicas: int) -> str:
    """Those of so many replicas; empty where they ask for none."""
    asked = added(pod.requests for pod in told.one)
    parts = {name: amount for name, amount in asked.items() if is_gpu_resource(name) and not _is_whole(name)}
    whole = told.gpus_each - sum(parts.values())
    listed = [count(whole * replicas, "GPU")] if whole else []
    return names([*listed, *(said(name, amount * replicas) for name, amount in sorted(parts.items()))])


def _is_whole(resource: str) -> bool:
    return kind_of(resource, NONE).form is Form.WHOLE

"""What plans need to know of pods: their GPUs, whether they serve, as whom the API server addresses them."""

from bot.domain.change import Target
from bot.domain.pod import Pod
from bot.gpu.kind import is_gpu_resource


def gpus_of(pod: Pod) -> int:
    return sum(amount for name, amount in pod.requests.items() if is_gpu_resource(name))


def serves(pod: Pod) -> bool:
    """Runs, is Ready and stays."""
    return pod.phase == "Running" and pod.condition("Ready") is None and not pod.deleted


def pod_target(pod: Pod) -> Target:
    return Target(api_version="v1", kind="Pod", resource="pods", namespace=pod.namespace, name=pod.name, uid=pod.uid)

"""What plans need to know of pods: whether they serve, as whom the API server addresses them."""

from bot.domain.change import Target
from bot.domain.pod import Pod


def serves(pod: Pod) -> bool:
    """Runs, is Ready and stays."""
    return pod.phase == "Running" and pod.condition("Ready") is None and not pod.deleted


def pod_target(pod: Pod) -> Target:
    return Target(api_version="v1", kind="Pod", resource="pods", namespace=pod.namespace, name=pod.name, uid=pod.uid)

"""Why another pod has no node yet, in a clause: the scheduler's last words about it."""

from bot.domain.pod import Pod
from bot.scheduling.messages import parse
from bot.scheduling.messages.words import sentence

SHOWN = 3


def not_placed(pod: Pod) -> str:
    """`1 node has the taint …; 2 nodes have too little free nvidia.com/gpu`; empty where the scheduler is silent."""
    condition = pod.condition("PodScheduled")
    if condition is None or not condition.message:
        return ""
    reasons = sorted(parse(condition.message).body, key=lambda one: -(one.count or 0))
    return "; ".join(sentence(one) for one in reasons[:SHOWN])

"""How a pod that is mentioned in passing is doing, in a word or two."""

from bot.domain.pod import Pod
from bot.domain.words import count


def ailing(pod: Pod) -> str:
    """`CrashLoopBackOff, 31 restarts`, `not ready`, `waits for a node`; empty where it runs and is ready."""
    if pod.phase == "Failed":
        return f"failed ({pod.reason})" if pod.reason else "failed"
    if not pod.node:
        return "waits for a node"
    worst = max(pod.states, key=lambda one: (bool(one.waiting), one.restarts), default=None)
    ready = pod.condition("Ready") is None  # only conditions that are not True are kept
    if ready and pod.phase == "Running":
        return ""
    what = worst.waiting if worst is not None and worst.waiting else "not ready"
    restarts = f", {count(worst.restarts, 'restart')}" if worst is not None and worst.restarts else ""
    return f"{what}{restarts}"

"""Pods that have finished and still fill a quota: `count/pods` counts objects, not what runs."""

from bot.domain.answer import Remedy
from bot.domain.words import count
from bot.why.refusals.refused import Refused
from bot.why.shell import kubectl


def _over(refused: Refused, resource: str) -> list[str]:
    """Finished pods of the namespace, where they count: `count/pods` counts every object, `pods` only live ones."""
    if resource != "count/pods" or not refused.case.view.knows("pods"):
        return []
    pods = refused.case.view.pods.values()
    return sorted(pod.name for pod in pods if pod.namespace == refused.namespace and pod.finished)


def told(refused: Refused, resource: str) -> tuple[str, ...]:
    over = len(_over(refused, resource))
    return (f"{count(over, 'finished pod')} of it {'is' if over == 1 else 'are'} counted too",) if over else ()


def remedies(refused: Refused, resource: str) -> tuple[Remedy, ...]:
    if not (over := len(_over(refused, resource))):
        return ()
    done = kubectl("delete", "pods", "--field-selector=status.phase==Succeeded", namespace=refused.namespace)
    return (
        Remedy(
            f"Delete pods that have finished ({over:,}): they hold nothing but this quota",
            done,
            cost="their logs; give Jobs `ttlSecondsAfterFinished`, so that they go by themselves",
        ),
    )

"""A StatefulSet whose pods come and go in order: one that is not ready holds up all that follow.

kubernetes/kubernetes:pkg/controller/statefulset/stateful_set_control.go (updateStatefulSet, processCondemned)
"""

from collections.abc import Iterator, Sequence

from bot.domain.pod import Pod
from bot.scaling.ration import Ration
from bot.scaling.standing import Standing
from bot.why.rolling import well


def of_order(now: Standing) -> Iterator[Ration]:
    """More: none is made before all that are asked for now are there and ready."""
    first = _first_unready(now, now.numbered)
    if in_order(now) and first:
        why = (
            f"its pods are made in order (podManagementPolicy OrderedReady), and {first} is not ready: no pod after it "
            "is made until it is"
        )
        yield Ration(0, why, "order", f"/why {now.thing.namespace}/{first}", shows=f"See why {first} is not ready")


def waits_for(now: Standing, keep: int) -> str:
    """Fewer: the pod that has to be ready before any goes, as those that stay have to; empty where none holds it up."""
    if not in_order(now):
        return ""
    staying, going = now.numbered[:keep], now.numbered[keep:]
    first = _first_unready(now, staying)
    if first or not going or _is_well(going[-1]):
        return first
    return next((pod.name for pod in going[:-1] if pod is not None and not well(pod)), "")


def in_order(now: Standing) -> bool:
    return now.thing.kind == "StatefulSet" and now.thing.fields.text("spec", "podManagementPolicy") != "Parallel"


def _first_unready(now: Standing, pods: Sequence[Pod | None]) -> str:
    number = next((number for number, pod in enumerate(pods) if not _is_well(pod)), None)
    return "" if number is None else f"{now.thing.name}-{now.first_number + number}"


def _is_well(pod: Pod | None) -> bool:
    return pod is not None and well(pod)

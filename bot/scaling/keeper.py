"""One who owns the number of replicas."""

from dataclasses import dataclass

SYNC_SECONDS = 15  # --horizontal-pod-autoscaler-sync-period
SOON = f"within {SYNC_SECONDS} s to a minute"


@dataclass(frozen=True, slots=True)
class Keeper:
    """`says`: what it will do, a sentence. `instead`: the levers that hold, with their commands. `back_to`: the number
    that it sets back to for sure; None where its metric decides. `facts`: what it says of itself.
    """

    title: str
    says: str
    instead: tuple[str, ...] = ()
    back_to: int | None = None
    facts: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

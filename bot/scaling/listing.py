"""What can be scaled here: how many are asked for, how many are ready, GPUs, and who owns the number.

By what the objects say of themselves: nobody waits for a look at every pod of a large cluster.
"""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scaling.forms import replicas_of
from bot.scaling.keepers import keepers
from bot.scaling.replica_gpus import gpus_per_replica
from bot.scaling.standing import standing
from bot.scaling.target import scalable
from bot.why.autoscalers import applied_by

SHOWN = 40


@dataclass(frozen=True, slots=True)
class Entry:
    """One object. `gpus` of one replica. `owners`: autoscalers with their limits, who applies it, who made it."""

    thing: Thing
    wanted: int
    ready: int
    gpus: int
    owners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Listing:
    """GPU workloads, those with most GPUs first. `others` use none; `left`: how many more there are than are shown.

    gpus: what all GPU workloads ask for together.
    """

    entries: tuple[Entry, ...]
    gpus: int
    others: int
    left: int


def listing(view: View, policy: Policy, now: datetime, namespace: str = "") -> Listing:
    every = [_entry(one) for one in scalable(view) if namespace in ("", one.namespace)]
    gpu = sorted((one for one in every if one.gpus), key=lambda one: (-one.gpus * one.wanted, one.thing.key))
    shown = tuple(_owned(view, policy, one, now) for one in gpu[:SHOWN])
    return Listing(shown, sum(one.gpus * one.wanted for one in gpu), len(every) - len(gpu), max(0, len(gpu) - SHOWN))


def _entry(thing: Thing) -> Entry:
    gpus = gpus_per_replica(thing)
    return Entry(thing, replicas_of(thing), thing.fields.number("status", "readyReplicas") or 0, gpus)


def _owned(view: View, policy: Policy, entry: Entry, now: datetime) -> Entry:
    thing = entry.thing
    there = standing(view, policy, thing, now)
    owners = [f"{one.title}{_limits(one.least, one.most)}".replace("`", "") for one in keepers(there, entry.wanted)]
    if applier := applied_by(thing):
        owners.append(applier)
    if thing.owner is not None:
        owners.append(f"{thing.owner.kind} {thing.owner.name}")
    ready = there.ready if thing.kind == "InferenceService" else entry.ready
    return Entry(thing, entry.wanted, ready, entry.gpus, tuple(owners))


def _limits(least: int | None, most: int | None) -> str:
    return f" {least or 0}-{'…' if most is None else most}"

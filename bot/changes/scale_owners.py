"""Who writes the object besides us, and will set its replicas again: GitOps, releases, operators, whoever applies.

Autoscalers are told by bot.scaling.keepers, which knows their numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bot.changes.managers import Manager, concerned, managers, pull_request
from bot.changes.managers.fields import REPLICAS
from bot.changes.managers.manager import ManagerKind
from bot.domain.evidence import Evidence
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling.forms import replicas_of

_OTHERS = ("horizontalpodautoscalers", "scaledobjects")


@dataclass(frozen=True, slots=True)
class Owners:
    """`told`: who will undo it and when. `instead`: where to change it. `text` is what a pull request would say."""

    told: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()
    text: str = ""


def owners(view: View, thing: Thing, wanted: int, evidence: Evidence, because: str) -> Owners:
    raw = evidence.object(thing.kind, thing.namespace, thing.name).data or _known(thing)
    raw = {"kind": thing.kind, "apiVersion": thing.api_version, **raw}
    around = [one for table in _OTHERS for one in view.things(table).values() if one.namespace == thing.namespace]
    found = [one for one in concerned(managers(raw, around), (REPLICAS,)) if one.kind is not ManagerKind.AUTOSCALER]
    texts = (_request(one, thing, wanted, because) for one in found)
    return Owners(tuple(map(_says, found)), tuple(_instead(found, thing, wanted)), next(filter(None, texts), ""))


def _says(manager: Manager) -> str:
    return f"{manager.name} writes this object, too: {manager.reverts}"


def _instead(found: list[Manager], thing: Thing, wanted: int) -> Iterator[str]:
    for one in found:
        yield f"{one.instead[0].upper()}{one.instead[1:]} (replicas {replicas_of(thing)} → {wanted})"


def _request(manager: Manager, thing: Thing, wanted: int, because: str) -> str:
    return pull_request(manager, f"{thing.kind.lower()} {thing.key}", {REPLICAS: (replicas_of(thing), wanted)}, because)


def _known(thing: Thing) -> dict[str, Any]:
    """What a view keeps of it: without managedFields, so that fields cannot be told apart."""
    owner = thing.owner
    reference = (
        {"kind": owner.kind, "name": owner.name, "apiVersion": owner.api_version, "controller": True} if owner else {}
    )
    return {
        "metadata": {
            "name": thing.name,
            "namespace": thing.namespace,
            "labels": dict(thing.labels),
            "annotations": dict(thing.annotations),
            "ownerReferences": [reference] if reference else [],
        }
    }

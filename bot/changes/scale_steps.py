"""The one call that sets a number of replicas, and the one that sets it back."""

import json
from collections.abc import Mapping
from typing import Any

from bot.changes.workload_target import thing_target
from bot.domain.change import Step, Verb
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.scaling.forms import FORMS, replicas_of
from bot.why.shell import kubectl, patch

MAXIMUM = ("spec", "predictor", "maxReplicas")


def scale_step(thing: Thing, wanted: int, *, back: bool = False) -> Step:
    """`back`: from `wanted` to what it is now, for the way back."""
    now = replicas_of(thing)
    before, after = (wanted, now) if back else (now, wanted)
    form = FORMS[thing.kind]
    path = ".".join(form.replicas) if not form.scale else "spec.replicas"
    maximum = _maximum(thing, wanted) if not form.scale else {}
    body = _body(form.replicas if not form.scale else ("spec", "replicas"), after, maximum, back=back)
    return Step(
        verb=Verb.PATCH,
        target=thing_target(thing, form, "scale" if form.scale else ""),
        body=body,
        before={path: before},
        after={path: after},
        says=f"set {thing.kind.lower()} {thing.key} {'back ' if back else ''}to {count(after, form.unit)}",
        command=_command(thing, before, after, body),
    )


def _maximum(thing: Thing, wanted: int) -> dict[str, int]:
    """A predictor may not have fewer at most than at least; 0 and nothing mean no limit."""
    most = thing.fields.number(*MAXIMUM)
    return {"from": most, "to": wanted} if most and wanted > most else {}


def _body(path: tuple[str, ...], value: int, maximum: Mapping[str, int], *, back: bool) -> dict[str, Any]:
    body: dict[str, Any] = {path[-1]: value}
    if maximum:
        body[MAXIMUM[-1]] = maximum["from" if back else "to"]
    for key in reversed(path[:-1]):
        body = {key: body}
    return body


def _command(thing: Thing, before: int, after: int, body: Mapping[str, Any]) -> str:
    if FORMS[thing.kind].scale:
        title = (
            thing.title
            if thing.kind != "LeaderWorkerSet"
            else f"leaderworkersets.leaderworkerset.x-k8s.io/{thing.name}"
        )
        return kubectl("scale", title, f"--replicas={after}", f"--current-replicas={before}", namespace=thing.namespace)
    change = json.dumps(body, separators=(",", ":"))
    return patch("inferenceservice", thing.name, change, namespace=thing.namespace)

"""A HorizontalPodAutoscaler: its limits, what its metric wants now, and targets that can never have a value.

kubernetes/kubernetes:pkg/controller/podautoscaler/horizontal.go
"""

import json
from collections.abc import Iterator

from bot.domain.fields import Fields
from bot.domain.text import inert
from bot.scaling.keeper import SOON, Keeper
from bot.scaling.shown import shown
from bot.scaling.standing import Standing
from bot.why.autoscalers import Autoscaler, applied_by
from bot.why.shell import patch, quoted


def of_hpa(now: Standing, hpa: Autoscaler, wanted: int) -> Keeper:
    says, back_to, instead = _kept(hpa, now.wanted, wanted)
    return Keeper(f"HPA `{hpa.thing.name}`", says, instead, back_to, tuple(_facts(now, hpa)), hpa.least or 1, hpa.most)


def _kept(hpa: Autoscaler, before: int, wanted: int) -> tuple[str, int | None, tuple[str, ...]]:
    """What it says, what it sets back to for sure, what to do instead."""
    title = f"HPA `{hpa.thing.name}`"
    least, most = hpa.least or 1, hpa.most
    limits = f"minReplicas {least}, maxReplicas {'unset' if most is None else most}"
    owns = f"{title} owns the replicas ({limits}):"
    if wanted == 0:
        return f"{title} ({limits}) stands still while there are 0 replicas, and goes on once there are some", None, ()
    if most is not None and wanted > most:
        instead = (
            f"Raise maxReplicas of {title} to {wanted}, so that its metric may ask for them: "
            f"{_patched(hpa, maxReplicas=wanted)}",
            f"Or raise minReplicas as well, to have {wanted} at all times: "
            f"{_patched(hpa, minReplicas=wanted, maxReplicas=wanted)}",
        )
        return f"{owns} it sets {wanted} back to its maximum {most} {SOON}", most, instead
    floor = _patched(hpa, minReplicas=wanted)
    if wanted < least:
        lower = f"Lower minReplicas of {title} to {wanted}: {floor}"
        return f"{owns} it sets {wanted} back to its minimum {least} {SOON}", least, (lower,)
    if wanted < before:
        lower = f"To hold {wanted} at most, lower maxReplicas: {_patched(hpa, maxReplicas=wanted)}"
        return f"{owns} {_by_metric(hpa, wanted)}", None, (lower,)
    return f"{owns} {_by_metric(hpa, wanted)}", None, (f"To hold {wanted} at least, raise minReplicas: {floor}",)


def _patched(hpa: Autoscaler, **limits: int) -> str:
    change = json.dumps({"spec": limits}, separators=(",", ":"))
    return shown(patch("hpa", hpa.thing.name, change, namespace=hpa.thing.namespace))


def _by_metric(hpa: Autoscaler, wanted: int) -> str:
    active = hpa.fields.condition("ScalingActive")
    if active.text("status") == "False":
        return f"it cannot read its metric now, so {wanted} stays until it can"
    desired = hpa.fields.number("status", "desiredReplicas")
    told = f" (it wants {desired} now)" if desired is not None else ""
    down = " scaling down only after 5 min by default" if desired is not None and desired < wanted else ""
    return f"its metric decides again {SOON}{told},{down or ' whatever is set by hand'}"


def _facts(now: Standing, hpa: Autoscaler) -> Iterator[str]:
    """What its conditions say, and metrics that can never get where they should."""
    current, desired = (hpa.fields.number("status", one) for one in ("currentReplicas", "desiredReplicas"))
    if current is not None and desired is not None:
        yield f"HPA `{hpa.thing.name}`: {current} now, {desired} wanted{_metrics(hpa)}"
    for kind, good in (("ScalingActive", "True"), ("AbleToScale", "True"), ("ScalingLimited", "False")):
        told = hpa.fields.condition(kind)
        if told and told.text("status") != good and told.text("reason") not in ("", "ScalingDisabled"):
            yield f"Its {kind} is {told.text('status')} ({told.text('reason')}): {quoted(told.text('message'), 160)}"
    yield from _unreachable(now, hpa)
    if who := applied_by(hpa.thing):
        yield f"HPA `{hpa.thing.name}` itself is written by {who}: its limits hold only when they are changed there"


def _metrics(hpa: Autoscaler) -> str:
    for one in hpa.fields.each("status", "currentMetrics"):
        used = one.number("resource", "current", "averageUtilization")
        if used is not None:
            return f", {one.text('resource', 'name')} at {used} %{_aim(hpa, one.text('resource', 'name'))}"
        for sort in ("external", "pods", "object"):
            if value := one.text(sort, "current", "averageValue") or one.text(sort, "current", "value"):
                return f", {inert(one.text(sort, 'metric', 'name'), 80)} at {inert(value, 30)}"
    return ""


def _aim(hpa: Autoscaler, resource: str) -> str:
    specs = [one for one in hpa.fields.each("spec", "metrics") if one.text("resource", "name") == resource]
    aim = specs[0].number("resource", "target", "averageUtilization") if specs else None
    return f" of {aim} %" if aim is not None else ""


def _unreachable(now: Standing, hpa: Autoscaler) -> Iterator[str]:
    """A share of a request that no container makes has no value, so that the HPA never scales by it."""
    containers = list(now.maker.fields.each("spec", "template", "spec", "containers"))
    for one in hpa.fields.each("spec", "metrics"):
        name = one.text("resource", "name")
        if one.text("type") != "Resource" or one.number("resource", "target", "averageUtilization") is None:
            continue
        silent = [container.text("name") for container in containers if not _asks(container, name)]
        if silent:
            yield (
                f"Its target on {inert(name, 60)} can never be computed: container `{silent[0]}` requests no "
                f"{inert(name, 60)}, and utilisation is a share of the request"
            )


def _asks(container: Fields, resource: str) -> bool:
    return resource in {**container.map("resources", "limits"), **container.map("resources", "requests")}

"""Volumes and devices that keep a pod from a node: where they are, who has them, what the node would need."""

from collections.abc import Iterable
from typing import Any

from bot.domain.node import Node
from bot.domain.view import View
from bot.domain.words import count, names
from bot.scheduling.dra.shortfall import Found, Shortfall
from bot.scheduling.filters.dynamic_resources import Elsewhere, Unknown, Unoffered
from bot.scheduling.filters.node_volume_limits import Limit
from bot.scheduling.filters.volume_binding import Problem
from bot.scheduling.filters.volume_restrictions import ClaimInUse, DiskInUse
from bot.scheduling.filters.volume_zone import OtherZone
from bot.why.placement.blocker import Blocker, Kind

ZONE = "topology.kubernetes.io/zone"
PLACES = (ZONE, "failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/region", "kubernetes.io/hostname")


def tell(detail: Any, node: Node, view: View) -> Iterable[Blocker]:
    """Nothing for details of other filters."""
    match detail:
        case OtherZone(topology, where):
            there = ", ".join(sorted(topology.values))
            words = (
                f"the volume of claim `{topology.claim}` is in {there}, not in {where or 'a zone that the node names'}"
            )
            yield Blocker(Kind.VOLUME, f"zone:{topology.claim}:{where}", words, topology.claim, detail)
        case ClaimInUse(claims, holders):
            words = f"claim {names(claims)} may be used by one pod only and is used by {names(holders)}"
            yield Blocker(Kind.VOLUME, f"in-use:{claims}", words, claims[0] if claims else "", detail)
        case DiskInUse(volume=volume, holder=holder):
            yield Blocker(
                Kind.VOLUME, f"disk:{volume}", f"disk of volume `{volume}` is used by {holder}", volume, detail
            )
        case Limit(driver=driver, most=most, attached=attached):
            words = f"no more volumes of `{driver}` can be attached there ({attached} of at most {most})"
            yield Blocker(Kind.VOLUME, f"volume-limit:{driver}", words, "", detail)
        case Elsewhere(claims=claims):
            yield Blocker(
                Kind.DEVICES, f"elsewhere:{claims}", f"devices of claim {names(claims)} are on another node", "", detail
            )
        case Unoffered(resources):
            yield Blocker(Kind.NONE, f"none:{resources}", f"offers no {names(resources)}", resources[0], detail)
        case Unknown(why):
            yield Blocker(Kind.UNKNOWN, "unknown:devices", f"devices not checked ({why})", "", detail)
        case Shortfall():
            yield _devices(detail)
        case tuple() if detail and all(isinstance(one, Problem) for one in detail):
            yield from (_problem(one, node, view) for one in detail)
        case _:
            return


def _problem(one: Problem, node: Node, view: View) -> Blocker:
    about = one.claim
    if one.volume:
        where, here = _places(one.volume, node, view)
        if where:
            words = f"the volume of claim `{one.claim}` can be reached only from {where}"
            words += f", not from {here}" if here else ""
            return Blocker(Kind.VOLUME, f"reach:{one.claim}:{here}", words, about, one)
        return Blocker(
            Kind.VOLUME, f"reach:{one.claim}", f"the volume of claim `{one.claim}` cannot be reached", about, one
        )
    if one.elsewhere:
        words = f"the volume of claim `{one.claim}` is being made for {one.elsewhere}"
        return Blocker(Kind.VOLUME, f"selected:{one.claim}", words, about, one)
    if one.unmade is not None:
        words = f"no volume for claim `{one.claim}`: {one.unmade.why.value}"
        return Blocker(Kind.VOLUME, f"unmade:{one.claim}:{one.unmade.why.name}", words, about, one)
    return Blocker(Kind.VOLUME, f"unbound:{one.claim}", f"no volume for claim `{one.claim}`", about, one)


def _places(volume: str, node: Node, view: View) -> tuple[str, str]:
    """Where a volume can be reached from by its node affinity, and where the node is, by the same label."""
    found = view.persistentvolumes.get(volume)
    for term in (found.node_terms or ()) if found else ():
        for one in term.expressions:
            if one.operator == "In" and one.key in PLACES:
                return names(one.values), node.labels.get(one.key, "")
    return "", ""


def _devices(detail: Shortfall) -> Blocker:
    found = [one for one in detail.found() if one.unclear or one.wanted == 0 or one.free < one.wanted]
    if not found:
        if detail.unusable:
            pool, why = detail.unusable[0]
            return Blocker(Kind.DEVICES, "pool", f"device pool {pool} cannot be used: {why}", pool, detail)
        words = (
            "devices fit one by one, but not together" if detail.constrained else "not enough devices for all claims"
        )
        return Blocker(Kind.DEVICES, "devices", words, "", detail)
    worst = found[0]
    if worst.unclear:
        return Blocker(
            Kind.UNKNOWN, f"devices?:{worst.request}", f"not checked ({worst.unclear})", worst.device_class, detail
        )
    return Blocker(
        Kind.DEVICES, f"devices:{worst.request}:{_why(worst)}", _device_words(worst), worst.device_class, detail
    )


def _why(one: Found) -> str:
    if not one.offered:
        return "none"
    return "selector" if not one.selected else "taint" if one.tainted else "held"


def _device_words(one: Found) -> str:
    if not one.offered:
        return f"no device of class `{one.device_class}`"
    if not one.selected:
        return f"none of {count(one.offered, 'device')} is what claim `{one.claim}` selects"
    holders = names(sorted({claim for _, claim in one.held}))
    held = f", {len({device for device, _ in one.held})} held by {holders}" if one.held else ""
    tainted = f", {one.tainted} tainted" if one.tainted else ""
    return f"too few devices: {one.wanted or 'all'} wanted, {one.selected} selected{held}{tainted}"

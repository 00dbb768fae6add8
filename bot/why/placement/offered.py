"""A resource that no node offers: who lost it, who never had it, and under which other name the GPUs are there."""

from collections import Counter
from collections.abc import Iterator

from bot.domain.node import Node
from bot.domain.text import natural
from bot.domain.words import names
from bot.gpu.kind import is_gpu_resource, product_label, says_gpu
from bot.why.placement.nodes import Survey
from bot.why.placement.told import Headline


def nowhere(survey: Survey, resource: str) -> Headline:
    """No node has any: never had it, or has lost it. Other names on offer are the best hint."""
    others = alternatives(survey, resource)
    hint = ""
    if others:
        other, total, free, on = others[0]
        things = "slices" if "mig" in resource else "GPUs"
        hint = f"; the {things} are there under another name: {total} `{other}` on {names(on)}, {free} free"
    evidence = (*_silent(survey, resource), *_others(others))
    return Headline(
        "resources.not-offered", f"no node offers `{resource}`{hint}", evidence, numbers={"resource": resource}
    )


def _silent(survey: Survey, resource: str) -> Iterator[str]:
    """Nodes that once offered it, and those that look as if they should."""
    nodes = sorted((info.node for info in survey.state.infos()), key=lambda node: natural(node.name))
    zero = [node.name for node in nodes if resource in node.capacity or resource in node.allocatable]
    if zero:
        has = "has" if len(zero) == 1 else "have"
        yield f"{names(zero)} {has} `{resource}` at 0: the plugin that offers it ran there once"
    silent = [node.name for node in nodes if says_gpu(node.labels) and node.name not in zero]
    if silent and is_gpu_resource(resource):
        carry, offer = ("carries", "offers") if len(silent) == 1 else ("carry", "offer")
        yield f"{names(silent)} {carry} a GPU label but {offer} no `{resource}`"


def _others(others: list[tuple[str, int, int, list[str]]]) -> Iterator[str]:
    for other, total, free, on in others:
        yield f"{names(on)} offer{'s' if len(on) == 1 else ''} {total} `{other}`, {free} free"


def alternatives(survey: Survey, resource: str) -> list[tuple[str, int, int, list[str]]]:
    """(resource, allocatable, free, nodes) of other GPU resources that nodes offer, the most like it first."""
    if not is_gpu_resource(resource):
        return []
    totals: Counter[str] = Counter()
    left: Counter[str] = Counter()
    on: dict[str, list[str]] = {}
    for info in survey.state.infos():
        for name, value in info.node.allocatable.items():
            if value and name != resource and is_gpu_resource(name) and _alike(resource, name, info.node):
                totals[name] += value
                left[name] += max(0, value - info.requested.get(name, 0))
                on.setdefault(name, []).append(info.node.name)
    ranked = sorted(totals, key=lambda name: (-left[name], name))
    return [(name, totals[name], left[name], sorted(on[name], key=natural)) for name in ranked]


def _alike(wanted: str, offered: str, node: Node) -> bool:
    """A slice under the plain name only where it is that slice; otherwise any GPU resource of the vendor."""
    if wanted.partition("/")[0] != offered.partition("/")[0]:
        return False
    profile = wanted.rpartition("/mig-")[2] if "/mig-" in wanted else ""
    if profile and "/mig-" not in offered:
        return product_label(node.labels).endswith(f"MIG-{profile}")
    return True

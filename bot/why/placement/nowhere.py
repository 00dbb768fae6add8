"""No node is one that the pod could ever use: nobody offers what it asks for, or no node has the labels."""

from collections.abc import Iterable, Iterator

from bot.domain.node import Node, Taint
from bot.domain.text import natural
from bot.domain.words import names
from bot.why.nearest import nearest
from bot.why.placement import offered
from bot.why.placement.nodes import CONTROL, NO_GPU, Survey, counted
from bot.why.placement.told import Headline

BY_HARDWARE = frozenset({"kubernetes.io/arch", "kubernetes.io/os"})  # their values are no typing mistakes


def headline(survey: Survey) -> Headline:
    if not survey.state.nodes:
        return Headline("nodes.none", "the cluster has no node at all", numbers={"nodes": 0})
    if survey.main and all(why in (NO_GPU, CONTROL) or "offers `" in why for why in survey.never):
        return offered.nowhere(survey, survey.main)
    every = [info.node for info in survey.state.infos()]
    offering = [node for node in every if survey.main and node.allocatable.get(survey.main)]
    for key, value in survey.pod.spec.node_selector.items():
        if not _has(every, key, value):
            return _none(key, value, every)
        if offering and not _has(offering, key, value):
            return _elsewhere(survey, key, value, offering)
    why = "; ".join(counted(len(nodes), words) for words, nodes in list(survey.never.items())[:3])
    return Headline("labels.none", f"no node is one that it may use: {why}")


def _none(key: str, value: str, nodes: Iterable[Node]) -> Headline:
    values = _values(nodes, key)
    there = f"nodes have {_marked(values)}" if values else "no node has that label at all"
    close = "" if key in BY_HARDWARE else nearest(value, values)
    hint = f"; perhaps `{close}` was meant" if close else ""
    sentence = f"it asks for nodes with `{key}={value}`, and there is none: {there}{hint}"
    return Headline("labels.none", sentence, numbers={"label": key, "value": value})


def _elsewhere(survey: Survey, key: str, value: str, offering: list[Node]) -> Headline:
    """The label is on other nodes only than the GPUs."""
    values = _values(offering, key)
    there = f"those have {_marked(values)}" if values else "those do not have that label at all"
    sentence = f"it asks for nodes with `{key}={value}`, and none of those is one with `{survey.main}`: {there}"
    evidence = tuple(f"They also carry the taint `{taint}`, which it does not tolerate" for taint in _taints(survey))
    return Headline("labels.elsewhere", sentence, evidence, numbers={"label": key, "value": value})


def _taints(survey: Survey) -> Iterator[Taint]:
    """Of the nodes that have the resource: what would be in the way next."""
    found: dict[str, Taint] = {}
    for name, rejections in survey.verdict.nodes.items():
        if survey.state.info(name).node.allocatable.get(survey.main):
            taints = (one.failure.detail for one in rejections if isinstance(one.failure.detail, Taint))
            found |= {str(taint): taint for taint in taints}
    yield from list(found.values())[:2]


def _values(nodes: Iterable[Node], key: str) -> list[str]:
    return sorted({node.labels[key] for node in nodes if key in node.labels}, key=natural)


def _marked(values: list[str]) -> str:
    return names([f"`{one}`" for one in values], shown=4)


def _has(nodes: Iterable[Node], key: str, value: str) -> bool:
    return any(node.labels.get(key) == value for node in nodes)

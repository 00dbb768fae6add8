"""The checklist for scripts: every node and point with its evidence and fixes, beside what all answers have."""

from collections.abc import Iterator
from datetime import datetime

import msgspec

from bot.checks.preflight.point import State
from bot.checks.preflight.report import NodeReport, Report, Verdict, points
from bot.command import Reply
from bot.domain.answer import Cause, Remedy, SourceLine
from bot.domain.view import View
from bot.views import text


class PointOfNode(msgspec.Struct, frozen=True, kw_only=True):
    """`fix` is the first of `remedies`."""

    id: str
    number: int
    state: State
    required: bool
    sentence: str
    reason: str
    evidence: tuple[str, ...]
    fix: Remedy | None
    remedies: tuple[Remedy, ...]
    notes: tuple[str, ...]
    follows: str
    passes: bool


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """One node with its ten points."""

    name: str
    pool: str
    model: str
    verdict: Verdict
    changing: str
    points: tuple[PointOfNode, ...]


class PointSum(msgspec.Struct, frozen=True, kw_only=True):
    """How many nodes have which answer."""

    id: str
    number: int
    title: str
    required: bool
    ok: int
    not_ok: int
    unknown: int


class Whole(msgspec.Struct, frozen=True, kw_only=True):
    """Everything. `as_of`: of the oldest source; RFC 3339."""

    cluster: str
    as_of: datetime | None
    verdict: Verdict
    cause: Cause
    points: tuple[PointSum, ...]
    nodes: tuple[Node, ...]
    unknown: tuple[str, ...]
    sources: tuple[SourceLine, ...]
    text: str


def whole(report: Report, reply: Reply, view: View) -> Whole:
    answer = reply.answer
    return Whole(
        cluster=view.cluster,
        as_of=answer.as_of,
        verdict=report.verdict,
        cause=answer.cause,
        points=tuple(_sums(report)),
        nodes=tuple(map(_node, report.nodes)),
        unknown=answer.unknown,
        sources=answer.sources,
        text=text.render(reply.document),
    )


def _sums(report: Report) -> Iterator[PointSum]:
    for place, point in enumerate(points()):
        states = [node.points[place].state for node in report.nodes]
        yield PointSum(
            id=point.id,
            number=point.number,
            title=point.title,
            required=point.required,
            ok=states.count(State.OK),
            not_ok=states.count(State.NOT_OK),
            unknown=states.count(State.UNKNOWN),
        )


def _node(node: NodeReport) -> Node:
    return Node(
        name=node.name,
        pool=node.pool,
        model=node.model,
        verdict=node.verdict,
        changing=node.changing,
        points=tuple(_points(node)),
    )


def _points(node: NodeReport) -> Iterator[PointOfNode]:
    for point, one in zip(points(), node.points, strict=True):
        yield PointOfNode(
            id=point.id,
            number=point.number,
            state=one.state,
            required=point.required,
            sentence=one.sentence,
            reason=one.reason,
            evidence=one.evidence,
            fix=one.remedies[0] if one.remedies else None,
            remedies=one.remedies,
            notes=one.notes,
            follows=one.follows,
            passes=one.passes,
        )

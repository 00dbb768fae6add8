"""All points of the preflight, in their order."""

import sys
from functools import cache

from bot.deploying.candidate import Candidate
from bot.deploying.points.point import Asked, Ground, Point
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.view import View
from bot.registry import collect


@cache
def points() -> tuple[Asked, ...]:
    return tuple(sorted(collect(sys.modules[__package__], "POINT", Asked), key=lambda one: one.order))


def check(candidate: Candidate, view: View, evidence: Evidence = NO_EVIDENCE) -> tuple[Point, ...]:
    """Those that matter for it, with their answers."""
    ground = Ground(candidate, view, evidence)
    told = ((one, one.judge(ground)) for one in points())
    return tuple(Point(one.id, one.title, answer) for one, answer in told if answer is not None)

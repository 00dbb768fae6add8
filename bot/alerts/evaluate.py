"""All stages in their order: what was remembered and one look in, what is remembered now and the decisions out."""

from collections.abc import Sequence
from datetime import datetime

import msgspec

from bot.alerts import group, inhibit, notice, repeat, resolve, route, silence, split, storm
from bot.alerts.stage import Round, Stage
from bot.domain.alert import Look
from bot.domain.alert_rules import AlertRules
from bot.domain.alert_state import AlertState, Decision
from bot.domain.silence import Silence

STAGES: tuple[Stage, ...] = (
    notice.STAGE,
    silence.STAGE,
    inhibit.STAGE,
    group.STAGE,
    resolve.STAGE,
    split.STAGE,
    storm.STAGE,
    route.STAGE,
    repeat.STAGE,
)


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered now, what was decided, and the next incident's number."""

    state: AlertState
    decisions: tuple[Decision, ...]
    next_number: int


def evaluate(
    state: AlertState,
    look: Look,
    rules: AlertRules,
    silences: Sequence[Silence],
    now: datetime,
    *,
    cluster: str,
    next_number: int,
) -> Evaluated:
    """Pure: the same in, the same out, whoever does it again after a crash."""
    round_ = Round(
        cluster=cluster,
        now=now,
        rules=rules,
        silences=tuple(one for one in silences if one.holds(now)),
        look=look,
        alerts=dict(state.alerts),
        groups=dict(state.groups),
        opened=state.opened,
        storm=state.storm,
        next_number=next_number,
        before=state.groups,
    )
    for stage in STAGES:
        stage.run(round_)
    return Evaluated(state=round_.state, decisions=tuple(round_.decisions), next_number=round_.next_number)

"""What is over: gone from several looks in a row, in each of which its subject was seen well.

A look that could not see a subject says nothing of it: what is unknown stays as it is. What flaps has to stay away for
longer. A group is over when nothing of it fires or is about to; it is remembered for a while in case it comes back.
"""

from datetime import datetime, timedelta

from bot.alerts.notice import flaps
from bot.alerts.stage import Round, Stage
from bot.domain.alert import Alert, Seen
from bot.domain.alert_state import Kind, Phase, Standing
from bot.domain.words import count, duration


def run(round_: Round) -> None:
    seen = {alert.fingerprint for bundle in round_.look.bundles for alert in bundle.alerts}
    for standing in list(round_.alerts.values()):
        if standing.phase is Phase.GONE:
            _forget(round_, standing)
        elif standing.alert.fingerprint not in seen:
            _absent(round_, standing)
    _groups(round_)


def well(alert: Alert, seen: Seen) -> tuple[bool, str]:
    """Whether a look that did not find it saw its subject well; else why it cannot tell."""
    if alert.source != "sweep":
        return alert.fingerprint in seen.over, f"{alert.source} has not said that it is over"
    if not seen.told:
        return False, "nodes or pods could not be read"
    if alert.node and alert.node not in seen.nodes:
        return True, f"{alert.node} is no longer there"
    if (alert.cause, alert.node) in seen.blind or (alert.cause, "") in seen.blind:
        return False, f"nothing tells now about {alert.cause} of {alert.subject}"
    if alert.owner in seen.ill:
        return False, f"not every pod of {alert.owner} runs"
    if alert.owner in seen.unread:
        return False, f"logs of {alert.owner} could not be read"
    return True, "seen well"


def _absent(round_: Round, standing: Standing) -> None:
    if not round_.look.swept and standing.alert.fingerprint not in round_.look.seen.over:
        return
    fine, why = well(standing.alert, round_.look.seen)
    if not fine:
        if standing.why != why and standing.phase is Phase.FIRING:
            round_.say(Kind.KEPT, why, standing=standing)
        round_.set(standing.alert.fingerprint, why=why)
    elif standing.phase is Phase.PENDING:
        _over(round_, standing, "was over before it counted")
    else:
        _missed(round_, round_.set(standing.alert.fingerprint, missed=standing.missed + 1), why)


def _missed(round_: Round, standing: Standing, why: str) -> None:
    needed = 1 if standing.alert.source != "sweep" else round_.rules.resolve_sweeps
    if standing.missed < needed:
        return
    quiet = timedelta(seconds=round_.rules.flap_quiet_seconds)
    if flaps(round_, standing) and round_.now - standing.turns[-1] < quiet:
        round_.set(standing.alert.fingerprint, why=f"came and went {count(len(standing.turns), 'time')}")
        return
    _over(round_, standing, f"{why} in {count(standing.missed, 'look')}")


def _over(round_: Round, standing: Standing, why: str) -> None:
    after = round_.set(standing.alert.fingerprint, phase=Phase.GONE, gone_at=round_.now, why=why)
    if standing.phase is Phase.FIRING:
        round_.say(Kind.OVER, why, number=standing.incident, standing=after)


def _forget(round_: Round, standing: Standing) -> None:
    kept = max(round_.rules.flap_seconds, round_.rules.reopen_seconds)
    if standing.gone_at is None or round_.now - standing.gone_at > timedelta(seconds=kept):
        del round_.alerts[standing.alert.fingerprint]


def _groups(round_: Round) -> None:
    """Those of which nothing is left; and those that were over long enough."""
    alive = {one.incident for one in round_.alerts.values() if one.phase is not Phase.GONE}
    for number, group in list(round_.groups.items()):
        if group.resolved_at is None and number not in alive:
            after = round_.set_group(number, resolved_at=round_.now)
            if group.closed:
                del round_.groups[number]
            else:
                lasted = duration((round_.now - after.opened_at).total_seconds())
                round_.say(Kind.RESOLVED, f"nothing of it fires any more, after {lasted}", number=number)
        elif group.resolved_at is not None and _lapsed(round_, group.resolved_at):
            del round_.groups[number]


def _lapsed(round_: Round, resolved_at: datetime) -> bool:
    return resolved_at <= round_.now - timedelta(seconds=round_.rules.reopen_seconds)


STAGE = Stage("resolve", run, __doc__ or "")

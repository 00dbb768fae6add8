"""Hold down: an alert counts when it has stood for some looks and some time, by how bad it is.

What comes and goes is held each time it comes, so that nobody is told of each; when it has come so often within an hour
that it will not stop, it counts as well: a fault that flaps is a fault. What Alertmanager tells has stood already,
and so has what a check says only after it watched for a minute itself.
"""

from datetime import timedelta

from bot.alerts.stage import Round, Stage
from bot.domain.alert import Alert
from bot.domain.alert_rules import Hold
from bot.domain.alert_state import Kind, Phase, Standing
from bot.domain.words import duration

TURNS_AT_MOST = 12
SWEEPS_AT_MOST = 1_000  # beyond, nobody counts
WAITED_ALREADY = frozenset({"engine.no_tokens"})  # its heartbeat was missed for a minute before it is a finding


def run(round_: Round) -> None:
    seen: set[str] = set()
    for bundle in round_.look.bundles:
        for alert in bundle.alerts:
            if alert.fingerprint not in seen:
                seen.add(alert.fingerprint)
                _notice(round_, alert)


def flaps(round_: Round, standing: Standing) -> bool:
    """Whether it came so often lately that it will come again."""
    since = round_.now - timedelta(seconds=round_.rules.flap_seconds)
    return sum(1 for turn in standing.turns if turn > since) >= round_.rules.flap_turns


def _notice(round_: Round, alert: Alert) -> None:
    before = round_.alerts.get(alert.fingerprint)
    if before is None or before.phase is Phase.GONE:
        standing = _came(round_, alert, before)
    else:
        hold = round_.rules.hold(alert.severity)
        counted = before.sweeps + 1 if before.phase is Phase.PENDING else max(before.sweeps, hold.sweeps)
        turns = (*before.turns, round_.now)[-TURNS_AT_MOST:] if before.missed else before.turns
        sweeps = min(counted, SWEEPS_AT_MOST)
        standing = round_.set(alert.fingerprint, alert=alert, sweeps=sweeps, missed=0, turns=turns)
    if standing.phase is Phase.PENDING:
        _hold(round_, standing, round_.rules.hold(alert.severity))


def _came(round_: Round, alert: Alert, before: Standing | None) -> Standing:
    """New, or back: then it is remembered how often, and where it was told."""
    turns = (*(before.turns if before else ()), round_.now)[-TURNS_AT_MOST:]
    incident = before.incident if before else 0
    made = Standing(alert=alert, first_at=round_.now, turns=turns, incident=incident)
    round_.alerts[alert.fingerprint] = made
    return made


def _hold(round_: Round, standing: Standing, hold: Hold) -> None:
    stood = (round_.now - standing.first_at).total_seconds()
    if standing.alert.source != "sweep":
        _fires(round_, standing, f"{standing.alert.source} says so")
    elif standing.alert.cause in WAITED_ALREADY:
        _fires(round_, standing, "it was watched for a minute before it was said")
    elif standing.sweeps >= hold.sweeps and stood >= hold.seconds:
        _fires(round_, standing, f"seen in {standing.sweeps} looks over {duration(stood)}")
    elif flaps(round_, standing):
        often = len(standing.turns)
        _fires(round_, standing, f"comes and goes: {often} times within {duration(round_.rules.flap_seconds)}")
    else:
        need = f"{hold.sweeps} looks" + (f" and {duration(hold.seconds)}" if hold.seconds else "")
        why = f"seen in {standing.sweeps} of {need}"
        if standing.sweeps == 1:
            round_.say(Kind.HELD, why, standing=standing)
        round_.set(standing.alert.fingerprint, why=why)


def _fires(round_: Round, standing: Standing, why: str) -> None:
    after = round_.set(standing.alert.fingerprint, phase=Phase.FIRING, fired_at=round_.now, why=why)
    round_.say(Kind.FIRES, why, standing=after)


STAGE = Stage("hold down", run, __doc__ or "")

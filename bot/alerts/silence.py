"""Silences: what people do not want to be told for a while. It is remembered all the same, and told when they end."""

from fnmatch import fnmatchcase

from bot.alerts.stage import Round, Stage
from bot.domain.alert_state import Kind, Phase, Standing
from bot.domain.silence import Matcher, Silence

FIELDS = ("any", "subject", "cause", "node", "owner", "namespace", "team", "severity", "incident")


def run(round_: Round) -> None:
    for standing in list(round_.alerts.values()):
        if standing.phase is not Phase.FIRING:
            continue
        silence = next((one for one in round_.silences if fits(one, standing)), None)
        number = silence.number if silence else 0
        if number == standing.silence:
            continue
        round_.set(standing.alert.fingerprint, silence=number)
        if silence is not None:
            round_.say(Kind.SILENCED, f"silence {number}: {silence.because}", standing=standing)


def fits(silence: Silence, standing: Standing) -> bool:
    """Whether every condition holds."""
    return all(_holds(one, standing) for one in silence.matchers)


def _holds(matcher: Matcher, standing: Standing) -> bool:
    alert = standing.alert
    values = {
        "subject": alert.subject,
        "cause": alert.cause,
        "node": alert.node,
        "owner": alert.owner,
        "namespace": alert.namespace,
        "team": alert.team,
        "severity": str(alert.severity),
        "incident": str(standing.incident or ""),
    }
    if matcher.field != "any":
        return like(values.get(matcher.field, ""), matcher.pattern)
    named = (alert.subject, alert.cause, alert.node, alert.owner, alert.owner.partition("/")[2], alert.namespace)
    return any(like(value, matcher.pattern) for value in (*named, alert.team) if value)


def like(value: str, pattern: str) -> bool:
    """`*` in the pattern stands for anything; nothing else in it has a meaning, and case has none."""
    plain = pattern.casefold().replace("[", "[[]").replace("?", "[?]")
    return bool(value) and fnmatchcase(value.casefold(), plain)


STAGE = Stage("silence", run, __doc__ or "")

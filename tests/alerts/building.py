"""Looks with defaults, and a fleet whose alerts are evaluated look by look with a clock of its own."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.alerts.evaluate import evaluate
from bot.alerts.fingerprint import fingerprint
from bot.domain.alert import Alert, Bundle, Content, Hit, Look, Seen
from bot.domain.alert_rules import AlertRules, Route
from bot.domain.alert_state import AlertState, Decision, Kind, Phase, Standing
from bot.domain.severity import Severity
from bot.domain.silence import Matcher, Silence
from bot.sweep.joined import GRAVE

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)  # a Monday
NODES = frozenset(f"gpu-{number}" for number in range(1, 11))
RULES = AlertRules(routes=(Route("C0OPS", name="all", mention="S0ONCALL"),))
CRITICAL, WARNING = Severity.CRITICAL, Severity.WARNING


def an_alert(cause: str, *, node: str = "", owner: str = "", gpu: str = "", **changed: Any) -> Alert:
    defaults: dict[str, Any] = {
        "fingerprint": fingerprint(cause, node, gpu, owner),
        "severity": CRITICAL,
        "subject": owner or node or "the fleet",
        "grave": cause in GRAVE and bool(node),
    }
    return Alert(cause=cause, node=node, owner=owner, gpu=gpu, **(defaults | changed))


def a_bundle(root: Alert, *under: Alert, places: Sequence[str] = (), **changed: Any) -> Bundle:
    follows = [
        Alert(**{name: getattr(one, name) for name in one.__struct_fields__} | {"follows": True}) for one in under
    ]
    alerts = (root, *follows)
    nodes = tuple(one.node for one in alerts if one.node)
    defaults: dict[str, Any] = {
        "title": f"{root.subject}: {root.cause}",
        "cause": root.cause,
        "severity": root.severity,
        "hits": tuple(Hit(owner=one.owner, ready=1, wanted=2) for one in alerts if one.owner),
        "nodes": nodes,
        "places": (*nodes, *places),
    }
    return Bundle(alerts=alerts, content=Content(**(defaults | changed)))


def lost(node: str = "gpu-9", **changed: Any) -> Bundle:
    return a_bundle(an_alert("gpu.lost", node=node, gpu="GPU-3", **changed))


def down(node: str = "gpu-9", *owners: str) -> Bundle:
    return a_bundle(an_alert("node.not_ready", node=node), *(an_alert("node.lost", owner=one) for one in owners))


def crashing(owner: str = "llm/glm", cause: str = "crash.oom", node: str = "gpu-1", **changed: Any) -> Bundle:
    return a_bundle(an_alert(cause, owner=owner, **changed), places=(node,))


def a_silence(*conditions: str, number: int = 1, minutes: float = 60, since: datetime = NOW) -> Silence:
    pairs = (text.partition("=") if "=" in text else ("any", "", text) for text in conditions)
    return Silence(
        number=number,
        cluster="prod",
        matchers=tuple(Matcher(field, pattern) for field, _, pattern in pairs),
        because="planned work",
        by="U0ANA",
        since=since,
        until=since + timedelta(minutes=minutes),
    )


class Fleet:
    """One cluster's alerts over time; `decisions` are those of the last look, `all` of every one."""

    def __init__(self, rules: AlertRules = RULES, *, seconds: float = 30.0) -> None:
        self.rules, self.seconds = rules, seconds
        self.state, self.now, self.next_number = AlertState(), NOW, 1
        self.silences: tuple[Silence, ...] = ()
        self.decisions: tuple[Decision, ...] = ()
        self.all: list[Decision] = []

    def look(self, *bundles: Bundle, times: int = 1, **seen: Any) -> list[Kind]:
        """What was decided about groups in the last of so many equal looks."""
        for _ in range(times):
            self.see(Look(bundles=bundles, seen=Seen(**({"nodes": NODES} | seen))))
            self.now += timedelta(seconds=self.seconds)
        return [one.kind for one in self.decisions if one.number]

    def see(self, look: Look) -> None:
        done = evaluate(
            self.state, look, self.rules, self.silences, self.now, cluster="prod", next_number=self.next_number
        )
        self.state, self.decisions, self.next_number = done.state, done.decisions, done.next_number
        self.all += done.decisions

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    @property
    def open(self) -> list[int]:
        return sorted(number for number, one in self.state.groups.items() if one.open)

    def firing(self) -> list[Standing]:
        return [one for one in self.state.alerts.values() if one.phase is Phase.FIRING]

    def kinds(self, *wanted: Kind) -> list[Kind]:
        return [one.kind for one in self.all if one.kind in wanted]


def reasons(decisions: Iterable[Decision], kind: Kind) -> list[str]:
    return [one.reason for one in decisions if one.kind is kind]

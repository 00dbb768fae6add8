"""The node does not answer, and nothing says that it is on its way out: its GPUs are out of reach, whatever they do."""

from collections.abc import Iterator

from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import count
from bot.gpu import leaving
from bot.gpu.stack.commands import quoted


def _judge(scene: Scene) -> Iterator[Finding]:
    if scene.node.ready is True or leaving.why(scene.node, scene.sight.events):
        return
    ready = scene.node.condition("Ready")
    since = scene.sight.ago(ready.since) if ready else ""
    how = "does not answer" if ready is None or ready.status == "Unknown" else "is not Ready"
    users = scene.sight.users
    yield Finding(
        state=State.FIRING,
        severity=Severity.INFO if scene.young else Severity.CRITICAL,
        subject=scene.subject(),
        sentence=f"{scene.name} {how}{f', since {since}' if since else ''}: {count(len(users), 'GPU pod')} there",
        evidence=tuple(f"kubelet: “{inert(text)}”" for text in (ready.message if ready else "",) if text),
        remedies=(Remedy("See what it said last", f"kubectl describe node {quoted(scene.name)}"),),
        passes=scene.young,
    )


CHECK = Check(
    id="node.not_ready",
    title="it does not answer",
    severity=Severity.CRITICAL,
    source="kubernetes/kubernetes:pkg/controller/nodelifecycle",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)

"""The node agent does not tell, tells old news, or says itself that the driver keeps it waiting.

Silence is never health. Where no agent is installed at all that is unknown, and no alarm.
"""

from collections.abc import Iterator

from bot.checks import limits
from bot.checks.check import Check, Reads
from bot.checks.finding import Finding, Severity, State
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.gpu_reading import NodeReading
from bot.domain.text import inert
from bot.domain.words import duration
from bot.gpu.stack.commands import quoted


def _judge(scene: Scene) -> Iterator[Finding]:
    if scene.agent is None:
        yield _finding(scene, State.UNKNOWN, "nobody has read its GPUs on the node itself")
    elif fact := _fact(scene, scene.agent):
        yield _finding(scene, State.FIRING, fact)


def _fact(scene: Scene, told: NodeReading) -> str:
    if told.trouble:
        return f"its agent reads no GPU: {inert(told.trouble)}"
    age = told.age_seconds(scene.now)
    return f"its agent's reading is {duration(age)} old" if age is not None and age > limits.AGENT_OLD_SECONDS else ""


def _finding(scene: Scene, state: State, fact: str) -> Finding:
    fires = state is State.FIRING
    return Finding(
        state=state,
        severity=Severity.WARNING if fires and not scene.young else Severity.INFO,
        subject=scene.subject(),
        sentence=f"{scene.name}: {fact}; its GPUs may be well or not",
        remedies=(
            Remedy(
                "See its agent's pod",
                f"kubectl get pods -A -o wide --field-selector spec.nodeName={quoted(scene.name)}",
            ),
        )
        if fires
        else (),
        missing=() if fires else (scene.why_missing(Reads.AGENT),),
    )


CHECK = Check(
    id="node.agent_silent",
    title="its agent is silent",
    severity=Severity.WARNING,
    source="a state of its own: unknown is neither well nor ill",
    docs=__doc__ or "",
    reads=frozenset({Reads.API}),
    judge=_judge,
)

"""A pod that runs: well, with the proof of it, or held out of its services by a readiness gate.

Ready needs every container ready and every readiness gate True; a gate is another controller's word, such as a load
balancer that has not taken the pod in yet.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.why.case import Case
from bot.why.containers import Container, containers, main
from bot.why.finding import Finding, Level, Stage
from bot.why.shell import kubectl
from bot.why.standing import of_pod
from bot.why.started.broken import broken
from bot.why.started.exits import exit_words
from bot.why.started.gpu_words import held
from bot.why.started.logs import present, reading
from bot.why.started.plain import plain
from bot.why.started.say import clock, quote

SHOWN = 4


def judge(case: Case) -> Iterator[Finding]:
    pod = case.pod
    if pod is None or pod.phase != "Running" or pod.deleted or not pod.node:
        return
    gates = list(_closed_gates(case, pod))
    if gates and all(one.ready for one in containers(case) if not one.init):
        yield _gated(pod, gates)
    elif of_pod(pod, case).well and not _is_broken(case, pod):
        yield _well(case, pod)


def _is_broken(case: Case, pod: Pod) -> bool:
    """Ready, but the engine stage says that it does not work."""
    one = main(case)
    return one is not None and any(broken(case, pod, one, reading(present(case, one))))


def _closed_gates(case: Case, pod: Pod) -> Iterator[tuple[str, str]]:
    """Gates that are not True, with what their controller says."""
    for gate in case.detail.each("spec", "readinessGates"):
        name = gate.text("conditionType")
        condition = case.detail.condition(name)
        if name and condition.text("status") != "True":
            yield name, condition.text("message") or condition.text("reason")


def _gated(pod: Pod, gates: list[tuple[str, str]]) -> Finding:
    said = [f"{name}: {quote(message)}" for name, message in gates if message]
    return Finding(
        "readiness.gate",
        f"all containers are ready, but readiness gate {names([f'`{plain(name)}`' for name, _ in gates])} is not True",
        evidence=tuple(said[:SHOWN]),
        remedies=(
            Remedy(
                "Ask the controller that sets it (a load balancer's, as a rule): see the condition",
                kubectl("-n", pod.namespace, "get", "pod", pod.name, "-o", "jsonpath={.status.conditions}"),
            ),
        ),
    )


def _well(case: Case, pod: Pod) -> Finding:
    one = main(case)
    ready = case.detail.condition("Ready").text("lastTransitionTime")
    since = clock(case, ready)
    serves = _serves(one) if one else ""
    gpus = held(pod)
    return Finding(
        "readiness.well",
        f"{pod.key} runs well on {pod.node}{f', ready since {since.split(maxsplit=1)[1]}' if since else ''}"
        f"{f', holds {gpus}' if gpus else ''}{f', {serves}' if serves else ''}",
        Level.NOTE,
        evidence=tuple(_evidence(case)),
    )


def _serves(one: Container) -> str:
    told = one.arguments
    model = plain(told.served_name or told.model)
    return f"serves `{model}` with {told.engine}" if model and told.engine else f"image `{one.image}`"


def _evidence(case: Case) -> Iterator[str]:
    for one in containers(case):
        if one.restarts and (one.sidecar or not one.init):
            last = clock(case, one.ended.text("finishedAt"))
            when = f", last {last}" if last else ""
            yield f"`{one.name}` restarted {count(one.restarts, 'time')}{when}, with {exit_words(one)}"
    first = main(case)
    progress = reading(present(case, first)).progress if first and first.running else None
    if progress and progress.load and not progress.load.stands_still:
        load = progress.load
        yield f"newest figures in its log: {load.running} requests running, {load.waiting} waiting"


STAGE = Stage("readiness", 110, judge, needs=frozenset({"pods"}), docs=__doc__ or "")

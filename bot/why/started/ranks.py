"""An engine that waits for other ranks, or for GPUs that cannot come."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.words import count, names
from bot.serving.phase import Wait
from bot.why.case import Case
from bot.why.containers import Container
from bot.why.finding import Finding, Level
from bot.why.shell import kubectl
from bot.why.started.engine_words import explained, quoted
from bot.why.started.group import members, proxy
from bot.why.started.not_placed import not_placed
from bot.why.started.say import lasted, of_it, quote
from bot.why.started.start import Start

PATIENCE_SECONDS = 300
_OTHER_PODS = frozenset({Wait.NCCL, Wait.RENDEZVOUS, Wait.RANKS})
_INJECT = 'sidecar.istio.io/inject: "false"'


def more_than_it_has(case: Case, one: Container, level: Level, lines: tuple[str, ...] = ()) -> Iterator[Finding]:
    """The engine's sizes against the container's GPUs. Engines over several pods are counted by their own sizes."""
    wanted, has = one.arguments.gpus_per_pod, sum(one.gpus.values())
    if wanted is None or not has or wanted <= has or len(members(case)) > 1:
        return
    resource = next(iter(one.gpus))
    sizes = f"tensor parallel {one.arguments.tensor_parallel}" + _times("pipeline", one.arguments.pipeline_parallel)
    own = f"the container has only {count(has, 'GPU')} (`{resource}: {has}`)"
    sentence = f"the engine in `{one.name}`{of_it(case)} wants {wanted} GPUs ({sizes}) and {own}"
    yield Finding(
        "engine.more-gpus-than-limit",
        f"{sentence}, so it waits for GPUs that cannot come"
        if level is Level.CAUSE
        else sentence[:1].upper() + sentence[1:],
        level,
        evidence=lines,
        remedies=(
            Remedy(f"Set `{resource}` to {wanted} in the limits of `{one.name}`, if the model needs them"),
            Remedy(f"Or set `--tensor-parallel-size` to {has}, if the model fits"),
        ),
        useless=("Other nodes change nothing: a container only ever sees the GPUs of its own limit",),
        numbers={"wanted": wanted, "has": has},
    )


def _times(name: str, size: int | None) -> str:
    return f" × {name} {size}" if size is not None and size > 1 else ""


def waits(case: Case, pod: Pod, start: Start) -> Iterator[Finding]:
    """One finding: a member that does not run, a proxy between them, or the wait itself."""
    progress = start.progress
    if progress is None:
        return
    group = members(case)
    seconds = start.quiet_seconds if progress.waited_seconds is None else float(progress.waited_seconds)
    down = [one for one in group if one is not pod and (one.phase != "Running" or one.deleted)]
    if progress.waits_for in _OTHER_PODS and down:
        yield _member_missing(case, down)
    elif progress.waits_for in _OTHER_PODS and len(group) > 1 and any(proxy(one) for one in group):
        yield _proxied(case, group, start, seconds)
    elif seconds is not None and seconds > PATIENCE_SECONDS:
        yield _long_wait(pod, group, start, seconds)
    else:
        yield Finding(
            "engine.waits",
            f"its start is {progress.summary}",
            evidence=(f"its log ends: {quote(start.read.tail[-1])}",) if start.read.tail else (),
            until="all ranks of the engine have joined",
        )


def _member_missing(case: Case, down: list[Pod]) -> Finding:
    first = down[0]
    words = not_placed(first)
    said = f": {words}" if words else ""
    return Finding(
        "engine.rank-missing",
        f"it waits for the other pods of its engine, and {names([one.key for one in down])} does not run "
        f"(phase {first.phase}){said}",
        remedies=(
            Remedy(f"See why {first.key} does not run", kubectl("-n", first.namespace, "describe", "pod", first.name)),
        ),
    )


def _proxied(case: Case, group: tuple[Pod, ...], start: Start, seconds: float | None) -> Finding:
    """NCCL opens direct connections on ports of its own, which the proxy intercepts (NVIDIA/nccl#1638)."""
    name = next(filter(None, map(proxy, group)))
    nodes = sorted({one.node for one in group if one.node})
    return Finding(
        "engine.proxy-between-ranks",
        f"its start stops right after NCCL's bootstrap{lasted(seconds)}: the sidecar `{name}` intercepts the direct "
        f"connections that NCCL opens between the {len(group)} pods of this engine "
        f"({names([one.name for one in group])} on {names(nodes)})",
        evidence=(
            f"last line of its log: {quote(start.read.tail[-1])}" if start.read.tail else "its log is silent",
            f"containers named `{name}` in {names([one.key for one in group if proxy(one)])}",
        ),
        remedies=(
            Remedy(
                f"Take the proxy out of these pods: label and annotation `{_INJECT}` in the template of their owner"
                if name == "istio-proxy"
                else f"Take the proxy `{name}` out of these pods, in the template of their owner"
            ),
            Remedy("Or exclude the ranks' ports from it (`traffic.sidecar.istio.io/excludeInboundPorts` and Outbound)"),
        ),
        useless=("Waiting longer does not help, and neither GPUs nor links between them are at fault",),
    )


def _long_wait(pod: Pod, group: tuple[Pod, ...], start: Start, seconds: float) -> Finding:
    doing = start.progress.summary.partition(", for ")[0] if start.progress else "waiting"
    why = explained(start.read)
    ranks = f" The engine spans {len(group)} pods: {names([one.name for one in group])}." if len(group) > 1 else ""
    return Finding(
        "engine.waits-long",
        f"its start is {doing}{lasted(seconds)}{f': {why}' if why else ''}",
        evidence=tuple(filter(None, (quoted(start.read.cause) if start.read.cause else "", ranks.strip().rstrip(".")))),
        remedies=(
            Remedy(
                "See that all ranks run and reach each other (address of the first rank, ports, network policies)",
                kubectl("-n", pod.namespace, "get", "pods", "-o", "wide"),
            ),
        ),
    )

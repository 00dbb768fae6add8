"""How long a start may take before the kubelet, the Deployment or the engine itself gives up on it.

Three clocks run at once: the startup probe, VLLM_ENGINE_READY_TIMEOUT_S (600 s unless set, vllm-project/vllm:
vllm/envs.py) and progressDeadlineSeconds (600 s unless set). The shortest of them ends the start.
"""

from collections.abc import Iterator

from bot.domain.fields import Fields
from bot.domain.words import duration
from bot.serving.advice.advice import Advice, Remark, Setup

DEFAULT_SECONDS = 600
READY_TIMEOUT = "VLLM_ENGINE_READY_TIMEOUT_S"


def judge(setup: Setup) -> Iterator[Remark]:
    probe = setup.container.at("startupProbe")
    budget = _budget(probe)
    needed = setup.start_seconds
    if not probe:
        yield from _without(setup)
    elif needed and budget < needed:
        because = f"a start may take {duration(needed)}: the kubelet would kill it before it is ready"
        yield Remark("startup probe", duration(budget), duration(needed), because)
    wanted = max(needed, budget if probe else 0)
    if not wanted:
        return
    yield from _engine(setup, wanted)
    yield from _deadline(setup, wanted)


def _without(setup: Setup) -> Iterator[Remark]:
    if not setup.container.at("livenessProbe"):
        return
    allowed = _budget(setup.container.at("livenessProbe"))
    because = f"the liveness probe kills a start after {duration(allowed)}"
    needed = duration(setup.start_seconds) if setup.start_seconds else "the time that a start takes"
    yield Remark("startup probe", "none", needed, because)


def _engine(setup: Setup, wanted: int) -> Iterator[Remark]:
    if setup.engine != "vllm":
        return
    text = setup.environment.get(READY_TIMEOUT)
    if text == "":  # its value comes from elsewhere
        return
    now = int(text) if text and text.isascii() and text.isdecimal() and len(text) < 9 else DEFAULT_SECONDS
    if now < wanted:
        because = "the engine gives up on itself before the probe does"
        shown = duration(now) if text else f"not set ({duration(now)})"
        yield Remark(READY_TIMEOUT, shown, f"{wanted} s", because)


def _deadline(setup: Setup, wanted: int) -> Iterator[Remark]:
    if setup.kind != "Deployment":
        return
    now = setup.owner.number("spec", "progressDeadlineSeconds")
    now = DEFAULT_SECONDS if now is None else now
    if now <= wanted:
        because = "the Deployment calls the rollout failed while the model still loads"
        yield Remark("progressDeadlineSeconds", f"{now} s", f"more than {wanted} s", because)


def _budget(probe: Fields) -> int:
    """Seconds until it has failed for good; the API server's defaults where it does not say."""
    period, failures = probe.number("periodSeconds") or 10, probe.number("failureThreshold") or 3
    return (probe.number("initialDelaySeconds") or 0) + period * failures


ADVICE = Advice("startup", judge, __doc__ or "")

"""A pod of the stack below the device plugin does not get ready: toolkit or validator. All others wait for them.

NVIDIA/gpu-operator: the validator's init containers check driver, toolkit, CUDA and plugin in that order, so the
earliest one that does not end is the fault, however many pods stand in Init.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import ContainerState, Pod
from bot.domain.text import inert
from bot.domain.words import count, duration
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import since, stuck
from bot.gpu.stack.sight import NO_READING, Sight

ID = "operand"
EXPLAINS = frozenset({"plugin", "plugin_stopped", "missing", "unregistered"})
PATIENCE_SECONDS = 600.0
_STAGES = {
    "driver-validation": "the driver is not ready",
    "toolkit-validation": "the container toolkit is not ready",
    "cuda-validation": "CUDA does not work",
    "plugin-validation": "the device plugin has not registered GPUs",
}


def find(sight: Sight) -> Fault | None:
    held = [(pod, state) for link in (Link.TOOLKIT, Link.VALIDATOR) for pod, state in _held(sight, link)]
    if not held:
        return None
    pod, state = min(held, key=lambda one: _depth(one[1]))
    stage = _STAGES.get(state.name, "")
    how = f"crashes ({count(state.restarts, 'restart')})" if state.restarts else "does not end"
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s GPU stack stands still in container `{state.name}` of {pod.key}, which {how}"
        f"{f': {stage}' if stage else ''}",
        evidence=tuple(_evidence(sight, pod, len(held))),
        remedies=(Remedy("Read its log", commands.logs(pod, state.name, previous=state.restarts > 0)),),
        explains=EXPLAINS,
    )


def _held(sight: Sight, link: Link) -> Iterator[tuple[Pod, ContainerState]]:
    for pod in sight.links.get(link, ()):
        state = stuck(pod)
        age = sight.age(since(pod))
        if state is not None and (state.restarts > 1 or age is None or age > PATIENCE_SECONDS):
            yield pod, state


def _depth(state: ContainerState) -> int:
    """The earliest stage first; what is no stage stands below all of them."""
    stages = list(_STAGES)
    return stages.index(state.name) if state.name in stages else -1


def _evidence(sight: Sight, pod: Pod, number: int) -> Iterator[str]:
    reading = sight.readings.get(pod.key, NO_READING)
    if reading.last:
        yield f"log of {pod.key}: “{inert(reading.said[-1].quote if reading.said else reading.last)}”"
    age = sight.age(since(pod))
    if age is not None:
        yield f"not ready for {duration(max(1.0, age))}"
    if number > 1:
        yield f"{count(number, 'pod')} of the stack are held up there: one fault, told by its earliest stage"

"""A change of the MIG layout that was given up half way, failed, or is under way; a layout that is not valid.

NVIDIA/gpu-operator#2833, NVIDIA/mig-parted#485: the manager pauses all GPU clients by node labels. When they do not
stop in time it gives up, leaves the labels paused, and waits for a new value of nvidia.com/mig.config.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import count, names
from bot.gpu.plugin_log import Reading, Sign
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.setters import operand
from bot.gpu.stack.sight import NO_READING, Sight
from bot.gpu.stack.untracked import untracked

STUCK = "mig_stuck"
FAILED = "mig_failed"
RUNNING = "mig_changes"
INVALID = "mig_invalid"
CONFIG = "nvidia.com/mig.config"
STATE = "nvidia.com/mig.config.state"
PAUSED = "paused-for-mig-change"
OFF = "all-disabled"
EXPLAINS = frozenset("paused unplaced plugin plugin_stopped missing unregistered operand unhealthy".split())


def find(sight: Sight) -> Fault | None:
    state = sight.node.labels.get(STATE, "")
    if state == "failed":
        return _failed(sight)
    if state == "rebooting":
        return _running(sight, "the node is rebooted for it")
    if state == "pending":
        return _pending(sight)
    if sight.node.labels.get("nvidia.com/gpu.product", "").endswith("-MIG-INVALID"):
        return _invalid(sight)
    return None


def paused(sight: Sight) -> list[str]:
    """The operator's parts that the change paused there."""
    found = [operand(key) for key, value in sorted(sight.node.labels.items()) if operand(key) and value == PAUSED]
    return sorted(found, key=lambda part: part != "device-plugin")  # the one that pods miss comes first


def _reading(sight: Sight) -> Reading:
    return next((sight.readings.get(pod.key, NO_READING) for pod in sight.links.get(Link.MIG_MANAGER, ())), NO_READING)


def _pending(sight: Sight) -> Fault:
    """Given up where nobody works at it: the manager waits for another value, is gone, or does not run."""
    managers = sight.links.get(Link.MIG_MANAGER, ())
    reading = _reading(sight)
    waits = reading.ends_with is Sign.MIG_WAITS
    dead = not managers or all(stuck(pod) is not None for pod in managers)
    if not waits and not dead and (reading.last or not paused(sight)):
        return _running(sight, "the MIG manager works at it")
    return _stuck(sight, reading, waits=waits, dead=dead)


def _stuck(sight: Sight, reading: Reading, *, waits: bool, dead: bool) -> Fault:
    wanted = sight.node.labels.get(CONFIG, "")
    parts = paused(sight)
    why = (
        "the MIG manager does not run there"
        if dead
        else "the MIG manager gave up and waits for another value of the label"
    )
    sure = waits or dead
    halted = f"; {names(parts)} stay `{PAUSED}`" if parts else ""
    end = "it will not recover by itself" if sure else "it does not look as if it would recover by itself"
    return Fault(
        STUCK,
        sight.name,
        f"{sight.name}'s MIG change to `{wanted}` is stuck half way (`{STATE}` is `pending`{halted}): "
        f"{why if sure else 'nothing shows that the MIG manager works at it'}, {end}",
        evidence=tuple(_evidence(sight, reading)),
        remedies=tuple(_remedies(sight, wanted)),
        useless=(
            "Nothing is gained by time, and nothing points at the GPUs themselves: driver and cards are as before",
        ),
        unknown=() if sure else (f"the log of the MIG manager on {sight.name}",),
        explains=EXPLAINS,
    )


def _evidence(sight: Sight, reading: Reading) -> Iterator[str]:
    for part in paused(sight)[:4]:
        yield f"node label `nvidia.com/gpu.deploy.{part}={PAUSED}`"
    for pod in sight.links.get(Link.MIG_MANAGER, ())[:1]:
        if reading.last:
            said = reading.find(Sign.MIG_WAITS)
            when = f" (at {said.clock})" if said and said.clock else ""
            yield f"last line of {pod.key}{when}: “{inert(said.quote if said else reading.last)}”"
    for sign in (Sign.MIG_TIMEOUT, Sign.MIG_FAILED):
        if said := reading.find(sign):
            yield f"before that: “{inert(said.quote)}”"


def _remedies(sight: Sight, wanted: str) -> Iterator[Remedy]:
    holders = [one.pod.key for one in untracked(sight.view, sight.pods)] + [pod.key for pod in sight.users]
    yield Remedy(
        "Find the GPU client that did not stop, and end it"
        + (f": {count(len(holders), 'pod')} there can use GPUs ({names(holders)})" if holders else ""),
        commands.on_host(sight.name, "sh -c 'nvidia-smi || lsof /dev/nvidia*'"),
    )
    parts = paused(sight)
    if parts:
        pairs = [(f"nvidia.com/gpu.deploy.{part}", "true") for part in parts]
        yield Remedy("Let the paused parts run again", commands.label(sight.name, pairs), cost="none")
    other = OFF if wanted != OFF else "all-balanced"
    yield Remedy(
        f"Then change `{CONFIG}` to another value and back, so that the manager starts anew",
        f"{commands.label(sight.name, [(CONFIG, other)])} && sleep 120 && "
        f"{commands.label(sight.name, [(CONFIG, wanted)])}",
        cost="every pod that uses these GPUs ends",
    )


def _failed(sight: Sight) -> Fault:
    wanted = sight.node.labels.get(CONFIG, "")
    said = _reading(sight).find(Sign.MIG_UNKNOWN, Sign.MIG_FAILED, Sign.MIG_INVALID, Sign.MIG_TIMEOUT)
    unknown = said is not None and said.sign in (Sign.MIG_UNKNOWN, Sign.MIG_INVALID)
    managers = sight.links.get(Link.MIG_MANAGER, ())
    return Fault(
        FAILED,
        sight.name,
        f"{sight.name}'s MIG layout `{wanted}` could not be applied (`{STATE}` is `failed`)"
        f"{f': {said.sign}' if said else ''}",
        evidence=(*((f"MIG manager: “{inert(said.quote)}”",) if said else ()), *_evidence(sight, NO_READING)),
        remedies=(
            *(
                Remedy("Read why", commands.logs(pod, pod.containers[-1].name))
                for pod in managers[:1]
                if pod.containers
            ),
            *(_known_layouts(sight) if unknown else _remedies(sight, wanted)),
        ),
        explains=EXPLAINS,
    )


def _known_layouts(sight: Sight) -> Iterator[Remedy]:
    """The manager only knows the layouts of its ConfigMap."""
    manager = next(iter(sight.links.get(Link.MIG_MANAGER, ())), None)
    namespace = commands.quoted(manager.namespace if manager else "gpu-operator")
    yield Remedy(
        "See which layouts there are: they stand in the MIG manager's ConfigMap (`default-mig-parted-config` unless "
        "the ClusterPolicy's `migManager.config` names another)",
        f"kubectl -n {namespace} get configmap default-mig-parted-config -o yaml",
    )
    yield Remedy(
        f"Set `{CONFIG}` to one of them, or add the layout to the ConfigMap; `{OFF}` gives whole GPUs again",
        commands.label(sight.name, [(CONFIG, OFF)]),
        cost="every pod that uses these GPUs ends",
    )


def _running(sight: Sight, how: str) -> Fault:
    wanted = sight.node.labels.get(CONFIG, "")
    return Fault(
        RUNNING,
        sight.name,
        f"{sight.name}'s MIG layout is being changed to `{wanted}`: {how}",
        explains=EXPLAINS,
        passes=True,
        until=f"{sight.name}'s label `{STATE}` is `success`",
    )


def _invalid(sight: Sight) -> Fault:
    product = sight.node.labels["nvidia.com/gpu.product"]
    return Fault(
        INVALID,
        sight.name,
        f"{sight.name}'s MIG layout is not valid for the strategy `single`, so it offers nothing",
        evidence=(f"node label `nvidia.com/gpu.product={product}`: all GPUs need MIG on, and slices of one size only",),
        remedies=(
            Remedy(
                "Apply a layout with one size of slices on every GPU (or set the strategy to `mixed`)",
                commands.label(sight.name, [(CONFIG, "all-1g.10gb")]),
                cost="every pod that uses these GPUs ends; take a size that the GPU has",
            ),
        ),
        explains=EXPLAINS,
    )

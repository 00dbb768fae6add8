"""On machines with NVSwitch CUDA works only while fabric manager runs, in exactly the driver's version.

NVIDIA/gpu-operator#375, #545, #1043. nvidia-smi works without it, and the device plugin offers all GPUs. Racks of the
GB200 kind have no fabric manager of their own on their nodes.
"""

from collections.abc import Iterator

import msgspec

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import names
from bot.gpu.plugin_log import Said, Sign
from bot.gpu.stack import commands, packages
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import NO_READING, Sight

ID = "fabric_manager"
EXPLAINS = frozenset({"operand"})
_NOT_STARTED, _IN_PROGRESS = 1, 2  # nvmlGpuFabricState_t
_RACKS = ("GB200", "GB300", "GH200")
_DRIVER = "nvidia.com/cuda.driver-version.full"


def find(sight: Sight) -> Fault | None:
    failed = sight.kernel.fabric_failure
    told = sight.said(Sign.NO_FABRIC) or _by_user(sight)
    state = _state(sight)
    if failed is None and told is None and state not in (_NOT_STARTED, _IN_PROGRESS):
        return None
    version = driver_version(sight)
    return Fault(
        ID,
        sight.name,
        _sentence(sight, version, proven=failed is not None or state is not None),
        evidence=tuple(_evidence(sight, state, version)),
        remedies=tuple(_of_rack(sight) if in_rack(sight) else _remedies(sight, version)),
        useless=(
            *(
                ("Installing fabric manager on the node does not help: in such racks it runs on the switches",)
                if in_rack(sight)
                else ()
            ),
            "Neither another image nor another driver helps: nvidia-smi shows all GPUs also without the fabric",
        ),
        explains=EXPLAINS,
    )


def driver_version(sight: Sight) -> str:
    """As the kernel says, else the node's label."""
    return sight.kernel.loaded or sight.node.labels.get(_DRIVER, "")


def in_rack(sight: Sight) -> bool:
    """Whether its GPUs are joined by the rack's switches, and not by switches of its own."""
    return any(rack in sight.node.labels.get("nvidia.com/gpu.product", "") for rack in _RACKS)


def _sentence(sight: Sight, version: str, *, proven: bool) -> str:
    same = f"the same version as the driver{f' ({version})' if version else ''}"
    if in_rack(sight):
        return f"{sight.name}'s GPUs have not joined the rack's NVLink fabric (CUDA error 802): see its IMEX domain"
    how = "does not run" if proven else "probably does not run"
    return (
        f"{sight.name} has NVSwitches and its fabric manager {how}: CUDA answers 802 (system not yet initialized) "
        f"until fabric manager runs, in {same}"
    )


def _evidence(sight: Sight, state: int | None, version: str) -> Iterator[str]:
    if failed := sight.kernel.fabric_failure:
        yield f"{sight.ago(failed.time)}: “{inert(failed.text)}”"
    told = sight.said(Sign.NO_FABRIC) or _by_user(sight)
    if told is not None:
        yield f"log of {told[0].key}: “{inert(told[1].quote)}”"
    if state in (_NOT_STARTED, _IN_PROGRESS):
        yield f"GPU fabric state by NVML: {'not started' if state == _NOT_STARTED else 'in progress, not completed'}"
    for pod in sight.links.get(Link.VALIDATOR, ()):
        held = stuck(pod)
        if held is not None and held.restarts:
            yield f"{pod.key}: `{held.name}` was restarted {held.restarts} times"
            break
    if version:
        yield f"loaded driver: {version}"


def _by_user(sight: Sight) -> tuple[Pod, Said] | None:
    """The same from the log of a pod that uses the GPUs."""
    for pod in sight.users:
        if found := sight.readings.get(pod.key, NO_READING).find(Sign.NO_FABRIC):
            return pod, found
    return None


def _remedies(sight: Sight, version: str) -> Iterator[Remedy]:
    yield Remedy(
        "See why it does not run",
        commands.on_host(sight.name, "journalctl -b -u nvidia-fabricmanager --no-pager -n 30"),
    )
    if version:
        yield packages.fabric_manager(sight.node, version)
    yield Remedy(
        "Start fabric manager",
        commands.on_host(sight.name, "systemctl enable --now nvidia-fabricmanager"),
        cost="GPU jobs that run on the node may end",
    )
    failing = _failing(sight)
    if failing:
        yield Remedy(
            f"Then restart what failed: {names([pod.key for pod in failing])}",
            " && ".join(commands.delete(pod) for pod in failing[:3]),
        )


def _of_rack(sight: Sight) -> Iterator[Remedy]:
    """GB200 and its kin: nodes join a domain, and the service that joins them is IMEX."""
    yield Remedy(
        "See what its GPUs say of the fabric, and whether IMEX runs there",
        commands.on_host(
            sight.name, "sh -c 'nvidia-smi -q | grep -A 4 Fabric; systemctl status nvidia-imex --no-pager'"
        ),
    )
    yield Remedy(
        "Where the DRA driver forms the domain, see that it has all its nodes", "kubectl get computedomains -A"
    )
    yield Remedy("If the state stays in progress, have the rack's NVLink switches and their fabric manager looked at")


def _failing(sight: Sight) -> list[Pod]:
    """The validator's pods and the GPU pods there that do not come up."""
    return [pod for pod in (*sight.links.get(Link.VALIDATOR, ()), *sight.users) if stuck(pod) is not None]


def _state(sight: Sight) -> int | None:
    """The least advanced fabric state of its GPUs, as the node agent read it."""
    text = sight.evidence.agent(sight.name)
    if not text:
        return None
    try:
        gpus = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return None
    entries = (Fields(one) for one in gpus) if isinstance(gpus, list) else ()
    states = [state for one in entries if (state := one.number("gpuFabricInfo", "state"))]
    return min(states, default=None)

"""A driver upgrade by the GPU operator that stands still, failed, or is simply under way.

NVIDIA/gpu-operator#2166, #2509, #2570: the driver can be replaced only when nothing uses it. The upgrade evicts pods
that ask for GPUs, and a drain leaves DaemonSet pods alone, so pods that see GPUs without asking for one hold it for
ever. States: NVIDIA/k8s-operator-libs:pkg/upgrade/consts.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import count, duration, names
from bot.gpu.cordon import UPGRADE_STATE
from bot.gpu.plugin_log import Said, Sign
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.keep_off import keep_off
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.sight import Sight
from bot.gpu.stack.untracked import Untracked, untracked

IN_USE = "driver_in_use"
FAILED = "driver_upgrade_failed"
BLOCKED = "driver_upgrade_blocked"
RUNNING = "driver_upgrade_runs"
IDS = frozenset({IN_USE, FAILED, BLOCKED, RUNNING})
EXPLAINS = frozenset(
    """
    driver driver_not_loaded operand plugin plugin_stopped unplaced paused missing unregistered unhealthy handler
    """.split()
)
_WAITS_FOR_PODS = frozenset({"wait-for-jobs-required", "pod-deletion-required", "drain-required"})
_RUNNING = frozenset(
    """
    cordon-required wait-for-jobs-required pod-deletion-required drain-required node-maintenance-required
    post-maintenance-required pod-restart-required validation-required uncordon-required
    """.split()
)


def find(sight: Sight) -> Fault | None:
    state = sight.node.labels.get(UPGRADE_STATE, "")
    driver = next(iter(sight.links.get(Link.DRIVER, ())), None)
    told = sight.said(Sign.IN_USE, links=(Link.DRIVER,))
    if told is not None and stuck(told[0]) is not None:
        return _in_use(sight, told[0], told[1], state)
    blocked = sight.said(Sign.DRAIN_BLOCKED, links=(Link.DRIVER,))
    if blocked is not None and stuck(blocked[0]) is not None:
        return _blocked(sight, *blocked)
    if state == "upgrade-failed":
        return _failed(sight, driver)
    if state in _RUNNING and (driver is None or not _crashes(driver)):
        return _running(sight, state)
    return None


def _crashes(pod: Pod) -> bool:
    held = stuck(pod)
    return held is not None and held.restarts > 1


def _in_use(sight: Sight, driver: Pod, said: Said, state: str) -> Fault:
    holders = list(untracked(sight.view, sight.pods))
    held = stuck(driver)
    restarts = held.restarts if held else 0
    return Fault(
        IN_USE,
        sight.name,
        _held_sentence(sight, holders),
        evidence=(
            f"log of {driver.key}: “{inert(said.quote)}”",
            *((f"its container {held.name} was restarted {count(restarts, 'time')}",) if held and restarts else ()),
            *(one.told for one in holders[:4]),
            *((f"node label `{UPGRADE_STATE}={state}`",) if state else ()),
        ),
        remedies=tuple(_free(sight, holders)),
        useless=(
            "A drain alone does not help: it leaves DaemonSet pods where they are",
            "Deleting the driver's pod does not help: the new one finds the same module in use",
        ),
        unknown=()
        if holders
        else (f"who holds the module: no pod on {sight.name} shows it; look for processes on the host",),
        explains=EXPLAINS,
    )


def _held_sentence(sight: Sight, holders: list[Untracked]) -> str:
    asking = names([pod.key for pod in sight.users])
    if not holders:
        by = f": {asking} still use it" if asking else " by something that no pod shows"
        return f"{sight.name}'s driver cannot be replaced, the old one is in use{by}"
    who = names([one.pod.key for one in holders])
    return (
        f"{sight.name}'s driver cannot be replaced: {who} hold the old one without a GPU request, "
        "and the upgrade evicts only pods that ask for GPUs"
    )


def _free(sight: Sight, holders: list[Untracked]) -> Iterator[Remedy]:
    for one in holders[:3]:
        if one.daemon:
            yield keep_off(sight, one)
        else:
            yield Remedy(
                f"End {one.pod.key} there", commands.delete(one.pod), cost="its work; its owner may start it again"
            )
    if not holders:
        yield Remedy("See which processes hold the module", commands.on_host(sight.name, "lsmod"))
    yield Remedy(
        f"Or reboot {sight.name}: the module is unloaded with it",
        commands.on_host(sight.name, "systemctl reboot"),
        cost="ends everything on the node",
    )


def _blocked(sight: Sight, driver: Pod, said: Said) -> Fault:
    """The eviction was refused: a disruption budget, local data, or a pod that nothing would start again."""
    return Fault(
        BLOCKED,
        sight.name,
        f"{sight.name}'s driver upgrade cannot empty the node: a pod there could not be evicted",
        evidence=(
            f"log of {driver.key}: “{inert(said.quote)}”",
            *((f"GPU pods there: {names([pod.key for pod in sight.users])}",) if sight.users else ()),
        ),
        remedies=(
            Remedy("See which disruption budgets allow nothing", "kubectl get poddisruptionbudgets -A"),
            *(
                Remedy(f"End {pod.key}, if its owner agrees", commands.delete(pod), cost="its work")
                for pod in sight.users[:2]
            ),
        ),
        explains=EXPLAINS,
    )


def _failed(sight: Sight, driver: Pod | None) -> Fault:
    told = next((one for one in sight.events if one.reason == "GPUDriverUpgrade" and one.message), None)
    held = stuck(driver) if driver else None
    return Fault(
        FAILED,
        sight.name,
        f"{sight.name}'s driver upgrade has failed, and the node stays as it is until somebody starts it again",
        evidence=(
            f"node label `{UPGRADE_STATE}=upgrade-failed`{', cordoned' if sight.node.unschedulable else ''}",
            *((f"operator, {sight.ago(told.time)}: “{inert(told.message)}”",) if told else ()),
            *(
                (f"{driver.key}: container {held.name} {held.waiting or 'does not get ready'}",)
                if driver and held
                else ()
            ),
        ),
        remedies=(
            *(
                (Remedy("Read why", commands.logs(driver, held.name, previous=held.restarts > 0)),)
                if driver and held
                else ()
            ),
            Remedy(
                "Start the upgrade again once the blocker is gone",
                commands.label(sight.name, [(UPGRADE_STATE, "upgrade-required")]),
            ),
        ),
        explains=EXPLAINS,
    )


def _running(sight: Sight, state: str) -> Fault:
    told = next((one for one in sight.events if one.reason == "GPUDriverUpgrade" and one.message), None)
    age = sight.age(told.time) if told else None
    since = f" for {duration(max(1.0, age))}" if age is not None else ""
    holders = [pod.key for pod in sight.users] if state in _WAITS_FOR_PODS else []
    waits = (
        f": it waits for {names(holders)}, which {'uses' if len(holders) == 1 else 'use'} its GPUs" if holders else ""
    )
    return Fault(
        RUNNING,
        sight.name,
        f"{sight.name}'s driver is being upgraded (`{state}`{since}){waits}",
        evidence=((f"operator, {sight.ago(told.time)}: “{inert(told.message)}”",) if told else ()),
        explains=EXPLAINS,
        passes=True,
        until=f"{sight.name}'s label `{UPGRADE_STATE}` is `upgrade-done`",
    )

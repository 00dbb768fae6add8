"""No working driver: nobody installs one, its pod does not get ready, or the module is not loaded.

GoogleCloudPlatform/container-engine-accelerators#402 (installation switched off), NVIDIA's operator troubleshooting
page (headers, Secure Boot, nouveau).
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import count, duration
from bot.gpu.plugin_log import Said, Sign
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import since, stuck
from bot.gpu.stack.sight import NO_READING, Sight

NOT_INSTALLED = "driver_not_installed"
POD = "driver"
NOT_LOADED = "driver_not_loaded"
INSTALLING = "driver_installs"
BUILD_SECONDS = 1800.0
EXPLAINS = frozenset("operand plugin plugin_stopped handler missing unregistered unplaced condition".split())
_GKE = "cloud.google.com/gke-accelerator"
_GKE_INSTALLER = (
    "https://raw.githubusercontent.com/GoogleCloudPlatform/container-engine-accelerators/master/"
    "nvidia-driver-installer/cos/daemonset-preloaded.yaml"
)
_CURES = {
    Sign.NO_HEADERS: "Give the node a kernel whose headers its package sources have, or use precompiled driver images",
    Sign.SECURE_BOOT: "Sign the module or switch Secure Boot off in the machine's firmware: it refuses others",
    Sign.NOUVEAU: "Blacklist nouveau on the node and reboot it: two drivers cannot have one GPU",
    Sign.NO_DOWNLOAD: "Let the node reach its package sources, or use precompiled driver images",
    Sign.BUILD_FAILED: "Use a driver version that supports the node's kernel, or precompiled driver images",
}


def find(sight: Sight) -> Fault | None:
    return _switched_off(sight) or _pod(sight) or _not_loaded(sight)


def _switched_off(sight: Sight) -> Fault | None:
    told = sight.said(Sign.INSTALLATION_OFF)
    if told is None or sight.offered:
        return None
    pod, said = told
    source = sight.expected.source if sight.expected else "its GPU"
    held = stuck(pod)
    return Fault(
        NOT_INSTALLED,
        sight.name,
        f"{sight.name} has {source} but offers no {sight.resource}: driver installation is disabled there, "
        f"and its device plugin waits for a driver that nobody installs",
        evidence=(
            f"log of {pod.key}{f' ({held.name})' if held else ''}: “{inert(said.quote)}”",
            f"{pod.key} has been held up by it {_for(sight, pod)}",
        ),
        remedies=tuple(_install(sight)),
        useless=("Waiting does not help: nothing on the node installs a driver",),
        explains=EXPLAINS,
    )


def _install(sight: Sight) -> Iterator[Remedy]:
    if _GKE not in sight.node.labels:
        yield Remedy("Install a driver on the node, or set the node group to install one when it makes nodes")
        return
    yield Remedy(
        "Apply the driver installer (for nodes with Container-Optimized OS; Ubuntu has one of its own)",
        f"kubectl apply -f {_GKE_INSTALLER}",
        cost="none for what runs",
    )
    pool = sight.node.labels.get("cloud.google.com/gke-nodepool", "the pool")
    yield Remedy(
        f"For good: make {pool} again with a driver version (`gpu-driver-version=default` in its accelerator setting)",
        cost="its nodes are made anew",
    )


def _pod(sight: Sight) -> Fault | None:
    for pod in sight.links.get(Link.DRIVER, ()):
        held = stuck(pod)
        if held is None:
            continue
        reading = sight.readings.get(pod.key, NO_READING)
        said = reading.find(*_CURES, Sign.MISMATCH, Sign.NOT_LOADED)
        age = sight.age(pod.started or pod.created)
        if said is None and not held.restarts and not held.waiting and age is not None and age < BUILD_SECONDS:
            return _installs(sight, pod, age, reading.last)
        how = f"crashes ({count(held.restarts, 'restart')})" if held.restarts else "does not get ready"
        why = f": {said.sign}" if said else ""
        return Fault(
            POD,
            sight.name,
            f"{sight.name} has no driver: container `{held.name}` of {pod.key} {how}{why}",
            evidence=tuple(_pod_evidence(sight, pod, said, reading.last)),
            remedies=tuple(_pod_remedies(pod, held.name, held.restarts, said)),
            explains=EXPLAINS,
        )
    return None


def _installs(sight: Sight, pod: Pod, age: float, last: str) -> Fault:
    """It runs, has not failed, and takes its time: modules are built on the node."""
    made = sight.ago(sight.node.created)
    return Fault(
        INSTALLING,
        sight.name,
        f"{sight.name}'s driver is still being installed: {pod.key} has been at it for {duration(max(1.0, age))}"
        f"{f', the node was made {made}' if made else ''}, and all other parts wait for it",
        evidence=(*((f"its log ends: “{inert(last)}”",) if last else ()), "no restart so far"),
        explains=EXPLAINS,
        passes=True,
        until=f"{pod.key} is ready: building a driver takes 5 to 20 min, and the device plugin registers after it",
    )


def _pod_evidence(sight: Sight, pod: Pod, said: Said | None, last: str) -> Iterator[str]:
    if said or last:
        yield f"log of {pod.key}: “{inert(said.quote if said else last)}”"
    yield f"not ready {_for(sight, pod)}"
    waiting = [
        one.key for link in (Link.TOOLKIT, Link.DEVICE_PLUGIN, Link.VALIDATOR) for one in sight.links.get(link, ())
    ]
    behind = [key for key in waiting if (one := sight.view.pods.get(key)) is not None and stuck(one) is not None]
    if behind:
        yield f"{count(len(behind), 'other pod')} of the stack wait behind it: one fault, not several"


def _pod_remedies(pod: Pod, container: str, restarts: int, said: Said | None) -> Iterator[Remedy]:
    yield Remedy("Read its log", commands.logs(pod, container, previous=restarts > 0))
    if said and said.sign in _CURES:
        yield Remedy(_CURES[said.sign])


def _not_loaded(sight: Sight) -> Fault | None:
    """A host driver: no pod of ours brings it, so only whoever needs it tells that it is not there."""
    told = sight.said(Sign.NOT_LOADED, Sign.NO_LIBRARY, Sign.WAITS_FOR_DRIVER)
    if told is None or sight.offered:
        return None
    pod, said = told
    return Fault(
        NOT_LOADED,
        sight.name,
        f"{sight.name} has no loaded driver, so its device plugin finds no GPU ({said.sign})",
        evidence=(f"log of {pod.key}: “{inert(said.quote)}”",),
        remedies=(
            Remedy(
                "See whether the module is loaded",
                commands.on_host(sight.name, f"sh -c 'lsmod | grep -E \"{sight.vendor.module}\"'"),
            ),
            Remedy(
                "Install or build the driver for the kernel that runs, then restart the device plugin's pod; after a "
                "kernel update the module has to be built anew",
            ),
        ),
        explains=EXPLAINS,
    )


def _for(sight: Sight, pod: Pod) -> str:
    age = sight.age(since(pod))
    return f"for {duration(max(1.0, age))}" if age is not None else "for an unknown time"

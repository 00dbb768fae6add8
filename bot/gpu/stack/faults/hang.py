"""The driver of the node probably hangs, as far as it can be known without its kernel messages.

A driver that does not answer shows in several places at once: containers that never start although nothing keeps them,
pods that cannot be killed, an exporter that answers no probe, a device plugin that is restarted again and again
(NVIDIA/dcgm-exporter#215, NVIDIA/gpu-monitoring-tools#46). One of them alone means nothing; the toolkit's own words
"driver rpc error: timed out" are enough.
"""

from collections.abc import Iterator

from bot.domain.event import Event
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import duration
from bot.gpu.plugin_log import Sign
from bot.gpu.stack import commands, heard
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.faults.wedged import EXPLAINS, ID
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import asks_gpu, since
from bot.gpu.stack.sight import Sight

PATIENCE_SECONDS = 600.0
SERIES = 3  # restarts that are more than an upgrade
# Whatever a kubelet gives as the reason for a pod that does not start is not the driver.
_OTHER_REASONS = frozenset(
    """
    FailedMount FailedAttachVolume FailedCreatePodSandBox FailedMapVolume Pulling BackOff InspectFailed
    FailedPrepareDynamicResources
    """.split()
)


def find(sight: Sight) -> Fault | None:
    if sight.kernel or not sight.offered:  # kernel messages would tell; a node that offers none has a fault of its own
        return None
    told = heard.on_node(sight, Sign.RPC_TIMEOUT)
    stuck_pods = [*_starting(sight), *_leaving(sight)]
    watchers = list(_watchers(sight))
    if told is None and not (stuck_pods and watchers):
        return None
    return Fault(
        ID,
        sight.name,
        _sentence(sight, told is not None, stuck_pods),
        evidence=(*((_quote(sight, *told[:2]),) if told else ()), *stuck_pods[:4], *watchers[:3]),
        remedies=(
            commands.cordon(sight.name),
            commands.drain(sight),
            commands.reboot(sight.name, "from the cloud or its BMC if it does not go down by itself"),
        ),
        useless=(
            f"Deleting pods that do not start on {sight.name} does not help: each new one waits for the same driver",
        ),
        unknown=(
            f"the kernel messages of {sight.name}, which would prove it (`{commands.on_host(sight.name, 'dmesg -T')}`: "
            "Xid 119, 120 or 79, or tasks blocked for more than 120 seconds)",
        ),
        explains=EXPLAINS,
    )


def _sentence(sight: Sight, sure: bool, stuck_pods: list[str]) -> str:
    if sure:
        return (
            f"{sight.name}'s GPU driver does not answer: the container toolkit timed out asking it, so no container "
            "can be given a GPU there"
        )
    what = " and ".join(dict.fromkeys(one.partition(" ")[0] for one in stuck_pods[:2]))
    return (
        f"{sight.name}'s GPU driver probably hangs: {what} {'are' if ' and ' in what else 'is'} stuck there, and what "
        "watches its GPUs does not work either"
    )


def _quote(sight: Sight, pod: Pod, event: Event) -> str:
    words = event.message[max(0, event.message.find("nvidia-container-cli")) :]
    return f"kubelet of {pod.key}, {event.count}×, last {sight.ago(event.time)}: “{inert(words, 200)}”"


def _starting(sight: Sight) -> Iterator[str]:
    """GPU pods whose containers are being created for long, and nothing that a kubelet says is the reason."""
    for pod in sight.pods:
        creating = not pod.deleted and any(state.waiting == "ContainerCreating" for state in pod.states)
        age = sight.age(pod.started or pod.created)
        if not creating or not asks_gpu(pod) or age is None or age < PATIENCE_SECONDS:
            continue
        events = sight.view.events_on("Pod", pod.namespace, pod.name)
        if sight.view.knows("events") and not any(one.reason in _OTHER_REASONS for one in events):
            yield f"{pod.key} has been in ContainerCreating for {duration(age)}; no event names image, mount or network"


def _leaving(sight: Sight) -> Iterator[str]:
    """GPU pods that are long past their last moment and still there, on a node whose kubelet answers."""
    if sight.node.ready is not True:
        return
    for pod in sight.pods:
        age = sight.age(pod.deleted) if pod.deleted else None
        if asks_gpu(pod) and age is not None and age > PATIENCE_SECONDS:
            yield f"{pod.key} should have ended {duration(age)} ago and is still there"


def _watchers(sight: Sight) -> Iterator[str]:
    """Parts of the stack that ask the driver all the time."""
    for link in (Link.EXPORTER, Link.DCGM, Link.DEVICE_PLUGIN, Link.GPU_FEATURES):
        for pod in sight.links.get(link, ()):
            main = [state for state in pod.states if not state.ready]
            if main and pod.phase == "Running":
                yield f"{link} {pod.key} is not ready (last change {sight.ago(since(pod))}){_times(main[0].restarts)}"
            elif link is Link.DEVICE_PLUGIN and sum(state.restarts for state in pod.states) >= SERIES:
                yield f"{link} {pod.key} runs{_times(sum(state.restarts for state in pod.states))}"


def _times(restarts: int) -> str:
    return f", restarted {restarts} times" if restarts > 1 else ""

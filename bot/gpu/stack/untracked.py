"""Pods that can use GPUs although no GPU is counted for them: by the nvidia runtime class or NVIDIA_VISIBLE_DEVICES.

NVIDIA/nvidia-container-toolkit: a container whose environment names devices gets them when its runtime is nvidia's,
whatever the device plugin handed out. Images built on CUDA's set the variable themselves, which no pod spec shows.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from bot.domain.pod import Pod
from bot.domain.view import View
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import asks_gpu
from bot.gpu.stack.recognise import of_pod
from bot.gpu.stack.setters import operand

_NOTHING = frozenset({"", "none", "void"})
_RUNTIME = "nvidia"
_BY_OPERATOR = ("ClusterPolicy", "NVIDIADriver")


@dataclass(frozen=True, slots=True)
class Untracked:
    """`how`: why it sees GPUs, a clause. `daemon`: a DaemonSet runs it, so that a drain leaves it where it is."""

    pod: Pod
    how: str
    daemon: str = ""
    link: Link | None = None

    @property
    def told(self) -> str:
        """`dev/tool-0 (runtime class nvidia, no GPU request)`."""
        of = f", of DaemonSet {self.pod.namespace}/{self.daemon}" if self.daemon else ""
        return f"{self.pod.key} ({self.how}, no GPU request{of})"


def untracked(view: View, pods: Iterable[Pod]) -> Iterator[Untracked]:
    """Those among live pods; parts that the operator stops by itself when it has to are left out."""
    for pod in pods:
        if not pod.occupies or asks_gpu(pod) or _operands(pod):
            continue
        if how := _how(view, pod):
            owner = pod.owner
            yield Untracked(pod, how, owner.name if owner and owner.kind == "DaemonSet" else "", of_pod(pod))


def _operands(pod: Pod) -> bool:
    """Whether a node label of the operator decides where it runs, or the operator itself made it."""
    if pod.owner is not None and pod.owner.kind in _BY_OPERATOR:
        return True
    return any(operand(key) for key in pod.spec.node_selector)


def _how(view: View, pod: Pod) -> str:
    shown = next((one.visible_devices for one in pod.containers if one.visible_devices not in _NOTHING), "")
    parts = [f"runtime class {pod.runtime_class}"] if _is_nvidia(view, pod.runtime_class) else []
    if shown:
        parts.append(f"NVIDIA_VISIBLE_DEVICES={shown[:40]}")
    hidden = [one.visible_devices in ("none", "void") for one in pod.containers if not one.init]
    return "" if not shown and hidden and all(hidden) else ", ".join(parts)


def _is_nvidia(view: View, name: str) -> bool:
    if not name:
        return False
    known = view.things("runtimeclasses").get(name)
    return _RUNTIME in (known.fields.text("handler") if known else name)

"""The device plugin's pod for the node exists, and waits itself: the node has no room for it, or no free place.

kubernetes/kubernetes:pkg/controller/daemon: the pod names its node in an affinity, and the scheduler binds it as any
other. The DaemonSet counts it as desired; nothing on the node shows it.
"""

from collections.abc import Iterator

import msgspec

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import duration
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import NEEDED, Link
from bot.gpu.stack.recognise import of_pod
from bot.gpu.stack.sight import Sight

ID = "unscheduled"
EXPLAINS = frozenset("operand plugin plugin_stopped missing unregistered unplaced".split())
PATIENCE_SECONDS = 120.0
PRIORITY = "system-node-critical"
_UNITS = {"cpu": ("CPUs", 1000), "memory": ("GiB of memory", 2**30), "ephemeral-storage": ("GiB of disk", 2**30)}


def find(sight: Sight) -> Fault | None:
    found = sorted(_waiting(sight), key=lambda one: NEEDED.index(one[0]))
    if not found or sight.offered:
        return None
    link, pod = found[0]
    age = sight.age(pod.created)
    condition = pod.condition("PodScheduled")
    since = f" for {duration(max(1.0, age))}" if age is not None else ""
    return Fault(
        ID,
        sight.name,
        f"{sight.name}'s {link} is not there because its pod {pod.key} waits itself{since}: {_why(sight, pod)}",
        evidence=(
            *((f"scheduler, of that pod: “{inert(condition.message, 300)}”",) if condition else ()),
            *((f"that {sight.name} has GPUs: {sight.expected.source}",) if sight.expected else ()),
        ),
        remedies=tuple(_remedies(sight, pod)),
        explains=EXPLAINS,
    )


def _waiting(sight: Sight) -> Iterator[tuple[Link, Pod]]:
    for pod in sight.view.waiting:
        if not pod.spec.node_terms or not _names(pod, sight.name):  # nearly all: told apart before anything dearer
            continue
        link = of_pod(pod)
        if link not in NEEDED or link is None:
            continue
        age = sight.age(pod.created)
        if age is None or age > PATIENCE_SECONDS:
            yield link, pod


def _names(pod: Pod, node: str) -> bool:
    """A daemon pod asks for its node by name."""
    terms = pod.spec.node_terms or ()
    return any(field.key == "metadata.name" and node in field.values for term in terms for field in term.fields)


def _why(sight: Sight, pod: Pod) -> str:
    """What the node lacks for it, by its own requests; else that the scheduler's words tell."""
    held = sight.view.requested_on(sight.name)
    for resource, amount in {**pod.requests, "pods": 1}.items():
        left = sight.node.allocatable.get(resource, 0) - held.get(resource, 0)
        if left < amount:
            return f"{sight.name} has {_told(resource, left)} left and it asks for {_told(resource, amount)}"
    return "the scheduler does not put it there"


def _told(resource: str, amount: int) -> str:
    unit, size = _UNITS.get(resource, (resource, 1))
    return f"{max(0, amount) / size:.3g} {unit}"


def _remedies(sight: Sight, pod: Pod) -> Iterator[Remedy]:
    owner = pod.owner
    if owner is not None and owner.kind == "DaemonSet" and pod.priority_class != PRIORITY:
        patch = {"spec": {"template": {"spec": {"priorityClassName": PRIORITY}}}}
        yield Remedy(
            f"Give DaemonSet {pod.namespace}/{owner.name} the priority class `{PRIORITY}`, as parts of a node have: "
            "the scheduler then makes room for its pods",
            f"kubectl -n {commands.quoted(pod.namespace)} patch daemonset {commands.quoted(owner.name)} "
            f"--type=merge -p {commands.quoted(msgspec.json.encode(patch).decode())}",
            cost=f"pods of lower priority on {sight.name} may be evicted; the plugin's pods are restarted one by one",
        )
    yield Remedy(
        f"Or make room on {sight.name} by hand: see who asks for what there",
        f"kubectl get pods -A -o wide --field-selector spec.nodeName={commands.quoted(sight.name)}",
    )

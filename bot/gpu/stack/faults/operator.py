"""Nobody makes the device plugin's DaemonSet, because the GPU operator that should make it does not run or is at odds.

NVIDIA/gpu-operator: the operator makes a DaemonSet for each part from its ClusterPolicy; in fleets of 300 nodes it has
been killed for its memory. `status.state` is ready, notReady, ignored or disabled.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.thing import Thing
from bot.domain.words import count
from bot.gpu.stack import commands
from bot.gpu.stack.fault import Fault
from bot.gpu.stack.link import Link
from bot.gpu.stack.pods import stuck
from bot.gpu.stack.recognise import of_daemonset, of_pod
from bot.gpu.stack.sight import Sight
from bot.gpu.stack.vendor import NVIDIA

ID = "operator"
EXPLAINS = frozenset({"plugin_stopped", "missing", "unregistered"})


def find(sight: Sight) -> Fault | None:
    made = sight.plugins or sight.links.get(Link.DEVICE_PLUGIN) or not sight.view.knows("daemonsets")
    if sight.offered or made or sight.expected is None or sight.vendor is not NVIDIA:
        return None
    pods = sorted((pod for pod in sight.view.pods.values() if of_pod(pod) is Link.OPERATOR), key=lambda pod: pod.key)
    things = [one for one in sight.view.things("deployments").values() if of_daemonset(one) is Link.OPERATOR]
    if any(stuck(pod) is None and pod.node for pod in pods):
        return _policy(sight)
    if pods:
        return _down(sight, pods[0])
    return _gone(sight, things[0]) if things and sight.view.knows("pods") else None


def _head(sight: Sight) -> str:
    return f"{sight.name} offers no {sight.resource} and no device plugin is there, because the GPU operator"


def _down(sight: Sight, pod: Pod) -> Fault:
    held = stuck(pod)
    how = "has no node yet" if not pod.node else "is not ready"
    if held is not None and held.restarts:
        how = f"crashes ({count(held.restarts, 'restart')}{', ' + held.terminated if held.terminated else ''})"
    return Fault(
        ID,
        sight.name,
        f"{_head(sight)}, which makes the plugin's DaemonSet, does not run: {pod.key} {how}",
        evidence=tuple(_evidence(sight)),
        remedies=tuple(_remedies(pod)),
        useless=("Another device plugin beside it does not help for long: the operator brings its own when it runs",),
        explains=EXPLAINS,
    )


def _evidence(sight: Sight) -> Iterator[str]:
    if sight.expected is not None:
        yield f"that {sight.name} has GPUs: {sight.expected.source}"
    yield "no DaemonSet of the cluster is a device plugin for them"


def _remedies(pod: Pod) -> Iterator[Remedy]:
    held = stuck(pod)
    where = commands.quoted(pod.namespace)
    if held is not None and pod.node:
        yield Remedy("Read its last words", commands.logs(pod, held.name, previous=held.restarts > 0))
    else:
        yield Remedy("See why it does not start", f"kubectl -n {where} describe pod {commands.quoted(pod.name)}")
    yield Remedy(
        "Where it was killed for its memory (OOMKilled), give it more (chart value `operator.resources.limits.memory`)",
        f"kubectl -n {where} describe pod {commands.quoted(pod.name)}",
    )


def _gone(sight: Sight, thing: Thing) -> Fault:
    """The operator's Deployment is there, and no pod of it."""
    wanted = thing.fields.number("spec", "replicas")
    target = (
        f"kubectl -n {commands.quoted(thing.namespace)} scale deployment {commands.quoted(thing.name)} --replicas=1"
    )
    return Fault(
        ID,
        sight.name,
        f"{_head(sight)}, which makes the plugin's DaemonSet, has no pod (Deployment {thing.key}, "
        f"{count(1 if wanted is None else wanted, 'replica')} wanted)",
        evidence=tuple(_evidence(sight)),
        remedies=(Remedy("Start it again, if nobody stopped it on purpose", target),) if wanted == 0 else (),
        explains=EXPLAINS,
    )


def _policy(sight: Sight) -> Fault | None:
    """It runs: its ClusterPolicy says whether it can do its work."""
    for policy in sight.view.things("clusterpolicies").values():
        state = policy.fields.text("status", "state")
        if state in ("", "ready"):
            continue
        said = [one for one in policy.fields.each("status", "conditions") if one.text("message")]
        said.sort(key=lambda one: one.text("type") != "Error")
        return Fault(
            ID,
            sight.name,
            f"{_head(sight)} has not made it: its ClusterPolicy `{policy.name}` is `{state}`",
            evidence=(
                *((f"{said[0].text('reason')}: “{inert(said[0].text('message'), 300)}”",) if said else ()),
                *_evidence(sight),
            ),
            remedies=(Remedy("Read what it says", f"kubectl describe clusterpolicy {commands.quoted(policy.name)}"),),
            explains=EXPLAINS,
        )
    return None

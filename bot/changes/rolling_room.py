"""Whether a rollout gets through with the room there is: a surge pod needs GPUs beside those that the old pods hold.

Rounding as the Deployment controller does (bot.why.rolling.limits). The pod is tried on a copy of the cluster, as its
template would make it: like one that is there.
"""

from dataclasses import dataclass

from bot.changes.places import loose
from bot.changes.pods import serves
from bot.changes.workload_target import replicas
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.words import count
from bot.gpu.kind import gpus_of
from bot.scheduling.feasible import feasible_on
from bot.scheduling.state import State
from bot.why.members import pods_of
from bot.why.rolling import limits


@dataclass(frozen=True, slots=True)
class Rolling:
    """How the rollout goes. `stuck`: why it would not get through, empty where it would. `gap`: what is away."""

    words: str
    stuck: str = ""
    gap: str = ""


def rolling(view: View, thing: Thing) -> Rolling:
    pods = [pod for pod in set(pods_of(view, thing)) if not pod.finished]
    match thing.kind:
        case "Deployment":
            return _deployment(view, thing, pods)
        case "LeaderWorkerSet":
            return _groups(thing)
        case "DaemonSet":
            gap = "on each node its pod is away until the new one is Ready"
            return Rolling("One node after the other, the old pod first", gap=gap)
        case _:
            alone = replicas(thing) == 1
            gap = "its one pod is away until the new one is Ready" if alone else "one pod is away at a time"
            return Rolling("One pod after the other, the last one first; each is ended before its successor", gap=gap)


def _deployment(view: View, thing: Thing, pods: list[Pod]) -> Rolling:
    strategy, wanted = thing.fields.at("spec", "strategy"), replicas(thing)
    if strategy.text("type") == "Recreate":
        return Rolling(
            "All old pods end before the first new one starts (Recreate)",
            gap="nothing serves until the new pods are Ready",
        )
    surge, unavailable = limits(strategy.at("rollingUpdate"), wanted)
    ready = sum(1 for pod in pods if serves(pod))
    words = f"Rolling: up to {surge} extra and {unavailable} missing of {wanted}"
    spare = wanted - unavailable < ready  # so many may go at once that one old pod may end first
    gap = "nothing serves in between" if unavailable >= wanted else ""
    if spare or not pods or _fits(view, pods[0]):
        return Rolling(words, gap=gap)
    gpus = gpus_of(pods[0])
    needs = count(gpus, "GPU") if gpus else "room"
    return Rolling(
        words,
        stuck=f"The first new pod needs {needs} beside what the old pods hold, and no node has that free for it: the "
        "rollout would stand still with the old pods serving",
        gap=gap,
    )


def _fits(view: View, pod: Pod) -> bool:
    return bool(feasible_on(loose(pod), State(view), at_most=1))


def _groups(thing: Thing) -> Rolling:
    told = thing.fields.at("spec", "rolloutStrategy", "rollingUpdateConfiguration")
    groups = thing.fields.number("spec", "replicas") or 1
    surge, unavailable = limits(told, groups)
    gap = "its one group is away until the new one has loaded" if groups == 1 and not surge else ""
    return Rolling(f"Group by group: up to {surge} extra and {unavailable} missing of {groups}", gap=gap)

"""The plan of `/deploy` on 5,000 nodes with 150,000 pods: it fits, it does not fit, many replicas, nothing can serve it.

As with `/scale` changes flow in between, and the whole plan with preflight and manifests is made as it is for a person.
"""

from __future__ import annotations

from collections.abc import Iterator

from bot.adapters.cluster import kinds, memory
from bot.adapters.cluster.shared import Shared
from bot.changes.deploy_ask import choice_of, wish_of
from bot.changes.kind import Ask
from bot.changes.kinds.deploy import plan_of
from bot.deploying.candidate import Room
from bot.domain.pod import Pod
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.domain.workload import Namespace
from bot.gpu.inventory import Inventory
from tests.bench.figure import Figure, percentile, within
from tests.bench.scale import _spare
from tests.bench.why import NOW, POLICY, _taken
from tests.bench.why_pod import changes, filled

ROUNDS = 20
MOST_MS = 200.0
Asked = tuple[dict[str, str], Room | None]
"""What is typed, and when it would start; None: never."""
FULL: dict[str, Asked] = {
    "all GPUs are taken": ({"model": "glm"}, Room.WAITS),
    "two replicas, all taken": ({"model": "glm-4.7", "replicas": "2"}, Room.WAITS),
}
SPARE: dict[str, Asked] = {
    "one replica that fits": ({"model": "flash"}, Room.NOW),
    "eight replicas": ({"model": "flash", "replicas": "8"}, Room.NOW),
    "a whole node": ({"model": "glm-4.7"}, Room.NOW),
    "nothing can serve it": ({"model": "glm", "variant": "nvfp4"}, None),
}


def figures() -> list[Figure]:
    """First on a fleet that is full, then with empty nodes beside it."""
    view = filled()
    shared = Shared()
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    for key in list(view.resourceslices):
        view.take("resourceslices", key)  # else each GPU is offered twice, and no node can be planned for
    view.put("namespaces", "llm", Namespace(name="llm"))
    flow = changes(view)
    next(flow)
    memory.after_loading()
    inventory = Inventory(view, POLICY)
    full = [_figure(view, flow, inventory, name, *asked) for name, asked in FULL.items()]
    _spare(view, shared)
    return [*full, *(_figure(view, flow, inventory, name, *asked) for name, asked in SPARE.items())]


def _figure(
    view: View, flow: Iterator[Pod], inventory: Inventory, name: str, arguments: dict[str, str], room: Room | None
) -> Figure:
    def planned() -> None:
        ask = Ask({"namespace": "llm", **arguments}, view, inventory, NOW)
        choice = choice_of(ask, wish_of(ask.arguments))
        plan_of(ask, choice)
        if (choice.best.room if choice.best is not None else None) is not room:
            raise AssertionError(f"{name}: {choice.best and choice.best.room}, {choice.rejected}")

    taken = _taken(view, flow, planned, ROUNDS)
    label = f"/deploy: {name} (p50 {percentile(taken, 50):.0f} ms): p99 of CPU"
    return within(label, percentile(taken, 99), "ms", MOST_MS)


if __name__ == "__main__":
    for each in figures():
        print(each)

"""The plan of `/deploy` on 5,000 nodes with 150,000 pods: it fits, it does not fit, many replicas, nothing can serve it.

As with `/scale` changes flow in between, and the whole plan with preflight and manifests is made as it is for a person.
"""

from __future__ import annotations

from bot.adapters.cluster import kinds, memory
from bot.adapters.cluster.shared import Shared
from bot.changes.deploy_ask import choice_of, wish_of
from bot.changes.kind import Ask
from bot.changes.kinds.deploy import plan_of
from bot.domain.source import Reading, Source
from bot.domain.workload import Namespace
from bot.gpu.inventory import Inventory
from tests.bench.figure import Figure, percentile, within
from tests.bench.scale import _spare
from tests.bench.why import NOW, POLICY, _taken
from tests.bench.why_pod import changes, filled

ROUNDS = 20
MOST_MS = 200.0
ASKED: dict[str, tuple[dict[str, str], bool]] = {
    "one replica that fits": ({"model": "flash"}, True),
    "eight replicas": ({"model": "flash", "replicas": "8"}, True),
    "a whole node": ({"model": "glm-4.7"}, True),
    "nothing can serve it": ({"model": "glm", "variant": "nvfp4"}, False),
}


def figures() -> list[Figure]:
    view = filled()
    shared = Shared()
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    _spare(view, shared)
    view.put("namespaces", "llm", Namespace(name="llm"))
    flow = changes(view)
    next(flow)
    memory.after_loading()
    inventory = Inventory(view, POLICY)
    found: list[Figure] = []
    for name, (arguments, fits) in ASKED.items():

        def planned(arguments: dict[str, str] = arguments, fits: bool = fits) -> None:
            ask = Ask({"namespace": "llm", **arguments}, view, inventory, NOW)
            choice = choice_of(ask, wish_of(ask.arguments))
            plan_of(ask, choice)
            if (choice.best is not None) is not fits:
                raise AssertionError(f"{name}: {choice.rejected}")

        taken = _taken(view, flow, planned, ROUNDS)
        label = f"/deploy: {name} (p50 {percentile(taken, 50):.0f} ms): p99 of CPU"
        found.append(within(label, percentile(taken, 99), "ms", MOST_MS))
    return found


if __name__ == "__main__":
    for each in figures():
        print(each)

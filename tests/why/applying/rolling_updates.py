"""Scenarios: a new version whose first pod needs the place of the old one."""

from __future__ import annotations

from tests.why.applying.bench import Bench
from tests.why.applying.scenario import WAITS, Act, Expected, Scenario
from tests.why.applying.things import a_deployment, a_node

SECOND = {"spec": {"template": {"metadata": {"annotations": {"version": "2"}}}}}


def _new_version(replicas: int, gpus: int) -> Act:
    async def build(bench: Bench) -> None:
        await bench.create(a_node("gpu-1", gpus=replicas * gpus))
        await bench.create(a_deployment(WAITS, gpus, replicas))
        await bench.running(WAITS, replicas)
        await bench.patch("Deployment", WAITS, SECOND)
        await bench.refused(WAITS)

    return build


async def _another_node(bench: Bench) -> None:
    await bench.create(a_node("gpu-2"))


FIRST_OUT = "Let an old pod go first"
MORE = Expected("One more node like gpu-1", by_hand=_another_node)
SCENARIOS = (
    Scenario("the only pod of a new version waits for the old one", _new_version(1, 8), (Expected(FIRST_OUT), MORE)),
    Scenario("the first of two pods of a new version waits", _new_version(2, 4), (Expected(FIRST_OUT), MORE), count=2),
)

"""Somebody who may not list pods in a namespace, from the line that is typed to the answer."""

from bot.access.hiding import Sight
from bot.command import Cluster
from bot.dialogue import all_commands
from bot.domain.person import Asker
from bot.domain.workload import Namespace
from bot.slack.desk import Desk
from bot.slack.people import Caller
from bot.slack.shelf import Shelf
from bot.views.text import render
from tests.factories import NOW, a_cluster, a_node, a_pod
from tests.slack.conftest import nothing_to_act_with, reader


def desk(*hidden: str) -> Desk:
    cluster = a_cluster(
        a_node(),
        a_pod("payroll-0", namespace="secret", gpus=3, node="gpu-1"),
        a_pod("glm-0", namespace="llm", gpus=16),
        Namespace(name="secret"),
        Namespace(name="llm"),
    )

    async def sight(asker: Asker, of: Cluster) -> Sight:
        del asker, of
        return Sight(frozenset(hidden))

    clusters = {"test": cluster}
    return Desk(all_commands(), clusters, "test", {}, lambda: NOW, Shelf(), reader, nothing_to_act_with, sight)


async def told(desk: Desk, line: str) -> str:
    return render((await desk.ask(line, Caller("U1", "C1", "T1"))).document)


async def test_what_somebody_may_not_see_is_refused_by_name_whether_it_is_there_or_not() -> None:
    for word in ("payroll-0", "secret/payroll-0", "secret/nothing-there"):
        answer = await told(desk("secret"), f"why {word}")
        assert "You may not see" in answer
        assert "list pods" in answer


async def test_gpus_of_what_is_hidden_are_counted_and_not_named() -> None:
    everything = await told(desk(), "status --by namespace")
    less = await told(desk("secret"), "status --by namespace")
    assert "secret" in everything
    assert "secret" not in less
    assert "not visible to you" in less
    assert everything.splitlines()[0] == less.splitlines()[0], "the sums are those of the cluster"


async def test_what_may_be_seen_is_answered() -> None:
    assert "glm-0" in await told(desk("secret"), "why glm-0")

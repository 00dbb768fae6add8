"""The commands that ask for changes, as they are typed: a preview, the intent, or one sentence that helps on."""

import asyncio
from typing import Any

import pytest

from bot.command import Cluster, Reply
from bot.dialogue import all_commands, answer, understand
from bot.domain.change import Propose
from bot.domain.errors import UserError
from bot.gpu.inventory import Inventory
from tests.changes.building import a_thing, a_whole_view
from tests.factories import NOW, POLICY, a_node, a_pod, owned_by

COMMANDS = all_commands()
GLM = {"spec": {"replicas": 1, "template": {"spec": {}}}}


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    view = a_whole_view(
        a_node("gpu-1", uid="n1"),
        a_node("gpu-2", uid="n2", unschedulable=True, cordoned_by="kubectl"),
        a_pod("glm-0", gpus=8, owner=owned_by("Deployment", "glm"), uid="p0"),
        a_pod("wait-0", node="", gpus=4, owner=owned_by("StatefulSet", "wait")),
        a_thing("Deployment", "glm", GLM),
    )
    return Cluster("test", view, Inventory(view, POLICY))


def ask(cluster: Cluster, line: str) -> Reply:
    asked = understand(line, COMMANDS)
    return asyncio.run(answer(asked, {"test": cluster}, "test", lambda: NOW, COMMANDS))


@pytest.mark.parametrize(
    ("line", "title"),
    [
        pytest.param("node cordon gpu-1 because Xid 79", "cordon gpu-1", id="cordon"),
        pytest.param("/gpu node cordon node/gpu-1 because Xid 79", "cordon gpu-1", id="by its kind and name"),
        pytest.param("node uncordon gpu-2 confirm=gpu-2", "uncordon gpu-2", id="uncordon"),
        pytest.param("node drain gpu-1 because Xid 79", "drain gpu-1", id="drain"),
        pytest.param("restart deployment/glm because it hangs", "restart deployment llm/glm", id="restart"),
        pytest.param("verify gpu-2", "verify gpu-2 with a one-off pod", id="verify"),
    ],
)
def test_a_line_is_previewed_and_asks_for_the_change(cluster: Cluster, line: str, title: str) -> None:
    reply = ask(cluster, line)
    assert reply.answer.text.startswith(f"Would {title}. Nothing is changed yet.")
    [intent] = reply.intents
    assert isinstance(intent, Propose)
    assert intent.plan.title == title
    assert reply.answer.cause.id == f"change.{intent.plan.kind}"


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        pytest.param("node cordon", "Which node?", id="no node"),
        pytest.param("node cordon gpu-1", "Say why", id="no reason"),
        pytest.param("node drain gpu-1 gpu-2 because x", "One node at a time", id="two nodes"),
        pytest.param("node drain gpu1 because x", "did you mean `/gpu node drain gpu-1`?", id="a slip"),
        pytest.param("node drain gрu-1 because x", "No node is called", id="a Cyrillic р is another letter"),
        pytest.param("node cordon gpu-1;reboot because x", "No node is called", id="a command glued to a name"),
        pytest.param("verify gpu-1 image=$(reboot)", "is no image", id="an image that is none"),
        pytest.param("verify gpu-1 namespace=-x", "is no namespace", id="a namespace that is none"),
        pytest.param("restart gpu-1 because x", "cannot be restarted as a whole", id="a node is not restarted"),
        pytest.param("fix 123abc wait-0", "No remedy with the id", id="an id that no remedy has"),
        pytest.param("fix nobody", "Nothing here is called", id="a thing that is not there"),
    ],
)
def test_a_wrong_line_gets_one_sentence_that_helps_on(cluster: Cluster, line: str, wanted: str) -> None:
    with pytest.raises(UserError) as error:
        ask(cluster, line)
    assert wanted in str(error.value)


def test_what_the_cluster_does_not_allow_is_said_first_and_still_asked_for(cluster: Cluster) -> None:
    """Whoever carries it out refuses it, and records that."""
    reply = ask(cluster, "node uncordon gpu-2")
    assert reply.answer.cause.id == "change.refused"
    assert reply.answer.text.startswith("Cannot be done: gpu-2 was cordoned by a person with kubectl")
    assert len(reply.intents) == 1


# ---- fix -------------------------------------------------------------------------------------------------------------


def fixes(cluster: Cluster, line: str) -> Any:
    return ask(cluster, line).answer.numbers["fixes"]


def test_remedies_are_listed_under_ids_that_stay_the_same(cluster: Cluster) -> None:
    about_one, about_all = fixes(cluster, "fix wait-0"), fixes(cluster, "fix")
    assert "uncordon" in about_one.values()
    assert about_one.items() <= about_all.items()
    assert about_one == fixes(cluster, "fix wait-0")


def test_a_remedy_by_its_id_is_planned_by_its_kind(cluster: Cluster) -> None:
    [wanted] = [id_ for id_, kind in fixes(cluster, "fix wait-0").items() if kind == "uncordon"]
    [intent] = ask(cluster, f"fix {wanted} wait-0").intents
    assert isinstance(intent, Propose)
    assert (intent.plan.kind, intent.plan.arguments) == ("uncordon", {"node": "gpu-2"})
    assert "not by gpubot" in intent.plan.refused, "the kind's own rules hold for remedies too"


def test_a_list_asks_for_no_change(cluster: Cluster) -> None:
    assert ask(cluster, "fix wait-0").intents == ()

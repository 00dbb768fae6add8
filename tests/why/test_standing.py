"""How owners stand: what counts as all is well."""

from typing import Any

import pytest

from bot.domain.pod import ContainerState
from bot.domain.thing import Thing
from bot.why.standing import Standing, stands
from tests.factories import a_pod
from tests.why.builders_owners import a_deployment, a_member, a_thing, ahead, asked, owners_view

READY = {"states": (ContainerState("vllm", ready=True),)}


def a_job(**status: Any) -> Thing:
    return a_thing("Job", "score", spec={"parallelism": 8, "completions": 10}, status=status)


def a_daemonset(wanted: int) -> Thing:
    return a_thing("DaemonSet", "plugin", status={"desiredNumberScheduled": wanted})


@pytest.mark.parametrize(
    ("owner", "pods", "words", "well"),
    [
        pytest.param(a_deployment(replicas=0), 0, "is scaled to 0", True, id="nothing is wanted"),
        pytest.param(a_deployment(replicas=0), 1, "is scaled to 0", False, id="nothing is wanted, a pod is left"),
        pytest.param(a_deployment(replicas=2), 1, "has 1 of 2 pods ready", False, id="one is missing"),
        pytest.param(a_daemonset(2), 2, "has 2 of 2 pods ready", True, id="a DaemonSet on all its nodes"),
        pytest.param(a_daemonset(3), 2, "has 2 of 3 pods ready", False, id="a DaemonSet that lacks one"),
        pytest.param(a_job(succeeded=7), 3, "has done 7 of 10, 3 of 3 pods run", True, id="the last runs of a Job"),
        pytest.param(a_job(), 3, "has 3 of 8 pods ready", False, id="the first runs of a Job"),
    ],
)
def test_an_owner_stands(owner: Thing, pods: int, words: str, well: bool) -> None:
    members = [a_member(owner, f"m-{number}", **READY) for number in range(pods)]
    assert stands(asked(owners_view(owner, *members), owner)) == Standing(words, well=well)


@pytest.mark.parametrize(
    ("deleted", "well"),
    [
        pytest.param(ahead(seconds=50), True, id="it has little time left"),
        pytest.param(ahead(minutes=30), False, id="it has much time left"),
    ],
)
def test_a_pod_in_its_grace_period_is_being_ended(deleted: str, well: bool) -> None:
    pod = a_pod(deleted=deleted)
    assert stands(asked(owners_view(pod), pod)) == Standing("is being ended", well=well)

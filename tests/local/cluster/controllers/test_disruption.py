"""How many pods of a PodDisruptionBudget may go, counted as the pods come and go."""

import pytest

from tests.local.cluster.controllers.helpers import a_cluster, a_node, a_workload


def budget(**spec):
    return {"metadata": {"name": "keep"}, "spec": {"selector": {"matchLabels": {"app": "web"}}, **spec}}


def counted(cluster):
    status = cluster.get("poddisruptionbudgets", "keep")["status"]
    return status["currentHealthy"], status["desiredHealthy"], status["disruptionsAllowed"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"minAvailable": 3}, (4, 3, 1), id="a number that must stay"),
        pytest.param({"minAvailable": "50%"}, (4, 2, 2), id="a share that must stay"),
        pytest.param({"maxUnavailable": 1}, (4, 3, 1), id="a number that may go"),
        pytest.param({"maxUnavailable": "30%"}, (4, 2, 2), id="a share that may go is rounded up"),
        pytest.param({"minAvailable": 5}, (4, 5, 0), id="more than there are"),
    ],
)
async def test_what_may_go_is_counted(spec, expected):
    async with a_cluster(a_node()) as cluster:
        cluster.add("deployments", a_workload("web", replicas=4))
        cluster.add("poddisruptionbudgets", budget(**spec))
        await cluster.until(lambda: counted(cluster) == expected)


async def test_a_pod_that_goes_is_counted_until_its_successor_is_ready():
    async with a_cluster(a_node()) as cluster:
        cluster.add("deployments", a_workload("web", replicas=2))
        cluster.add("poddisruptionbudgets", budget(minAvailable=1))
        await cluster.until(lambda: counted(cluster) == (2, 1, 1))
        cluster.kubelet = False
        cluster.delete("pods", cluster.names("pods")[0])
        await cluster.until(lambda: counted(cluster) == (1, 1, 0))

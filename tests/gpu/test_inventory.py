"""An inventory that is kept up to date says the same as one made from scratch, and looks only at what changed."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bot.gpu.inventory as module
from bot.domain.workload import Namespace, Workload
from bot.gpu.inventory import Inventory
from bot.gpu.status import Ask, status
from tests.factories import NOW, POLICY, a_claim, a_cpu_node, a_node, a_pod, a_slice, a_taint, a_view, owned_by, put

NODES = ("n0", "n1", "n2")
PRODUCTS = ("NVIDIA-H200", "NVIDIA-A10")


def nodes() -> st.SearchStrategy[Any]:
    return st.builds(
        lambda name, product, healthy, cordoned, taints, pool: a_node(
            name, product=product, healthy=healthy, unschedulable=cordoned, taints=taints, more_labels={"pool": pool}
        ),
        st.sampled_from(NODES),
        st.sampled_from(PRODUCTS),
        st.integers(0, 8),
        st.booleans(),
        st.sampled_from([(), (a_taint("dedicated=train:NoSchedule"),)]),
        st.sampled_from(["a", "b"]),
    )


def pods() -> st.SearchStrategy[Any]:
    return st.builds(
        lambda name, node, gpus, phase, priority, deleted: a_pod(
            name, node=node, gpus=gpus, phase=phase, priority=priority, deleted=deleted
        ),
        st.sampled_from(["p0", "p1", "p2", "p3"]),
        st.sampled_from(["", *NODES]),
        st.integers(0, 8),
        st.sampled_from(["Pending", "Running", "Succeeded"]),
        st.sampled_from([-1, 0]),
        st.sampled_from(["", "2026-11-30T11:00:00Z"]),
    )


def changes() -> st.SearchStrategy[Any]:
    takes = st.sampled_from([("nodes", name) for name in NODES] + [("pods", f"llm/p{index}") for index in range(4)])
    return st.one_of(nodes(), pods(), takes)


def picture(inventory: Inventory) -> Any:
    inventory.refresh()
    return [
        (key, totals.nodes, dict(+totals.sums), totals.largest, totals.largest_on, totals.buckets, dict(totals.holders))
        for key, totals in inventory.totals()
    ], sorted(inventory.nodes)


@settings(max_examples=150, deadline=None)
@given(st.lists(changes(), max_size=25), st.integers(1, 5))
def test_any_order_of_changes_gives_what_a_fresh_look_gives(order: list[Any], every: int) -> None:
    view = a_view()
    kept = Inventory(view, POLICY)
    for index, change in enumerate(order):
        if isinstance(change, tuple):
            view.take(*change)
        else:
            put(view, change)
        if index % every == 0:
            kept.refresh(at_most=1)
    assert picture(kept) == picture(Inventory(view, POLICY))


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the nodes that are inspected from here on."""
    names: list[str] = []
    real = module.inspect

    def spy(view: Any, node: Any, policy: Any) -> Any:
        names.append(node.name)
        return real(view, node, policy)

    monkeypatch.setattr(module, "inspect", spy)
    return names


def test_only_changed_nodes_are_looked_at_again(looked: list[str]) -> None:
    view = a_view(*(a_node(f"gpu-{index}") for index in range(20)))
    inventory = Inventory(view, POLICY)
    inventory.refresh()
    looked.clear()
    pod = a_pod(node="gpu-7", gpus=2)
    put(view, pod)
    assert inventory.refresh() == 0
    assert looked == ["gpu-7"]
    looked.clear()
    put(view, a_pod(node="gpu-7", requests=pod.requests, phase="Running", reason="changed"))
    inventory.refresh()
    assert looked == [], "a status that changes no account is no reason to look"


def test_refreshing_in_small_steps_says_what_is_left() -> None:
    inventory = Inventory(a_view(*(a_node(f"gpu-{index}") for index in range(5))), POLICY)
    assert [inventory.refresh(at_most=2) for _ in range(3)] == [3, 1, 0]


def holders(inventory: Inventory, by: str) -> dict[str, int]:
    found = status(inventory, Ask(by=by), NOW)
    return {who: sum(amounts.values()) for who, amounts in found.holders}


def test_an_owner_that_becomes_known_later_renames_who_holds() -> None:
    pod = a_pod("glm-6d5-x", owner=owned_by("ReplicaSet", "glm-6d5", "rs-uid"))
    view = a_view(a_node(), pod)
    inventory = Inventory(view, POLICY)
    assert holders(inventory, "owner") == {"llm/replicaset/glm-6d5": 1}
    put(
        view,
        Workload(name="glm-6d5", uid="rs-uid", kind="ReplicaSet", namespace="llm", owner=owned_by("Deployment", "glm")),
    )
    assert holders(inventory, "owner") == {"llm/deployment/glm": 1}


def test_the_template_hash_names_the_deployment_where_replicasets_are_not_read() -> None:
    pod = a_pod("glm-6d5-x", owner=owned_by("ReplicaSet", "glm-6d5"), labels={"pod-template-hash": "6d5"})
    assert holders(Inventory(a_view(a_node(), pod), POLICY), "owner") == {"llm/deployment/glm": 1}


def test_a_team_label_on_the_namespace_counts_where_the_pod_has_none() -> None:
    view = a_view(a_node(), a_pod("a"), a_pod("b", labels={"team": "research"}))
    inventory = Inventory(view, POLICY)
    assert holders(inventory, "team") == {"no team (llm)": 1, "research": 1}
    put(view, Namespace(name="llm", labels={"team": "serving"}))
    assert holders(inventory, "team") == {"serving": 1, "research": 1}


def test_a_job_counts_as_what_made_it() -> None:
    job = Workload(name="eval-29", uid="job-uid", kind="Job", namespace="llm", owner=owned_by("CronJob", "eval"))
    pod = a_pod("eval-29-x", owner=owned_by("Job", "eval-29", "job-uid"))
    assert holders(Inventory(a_view(a_node(), pod, job), POLICY), "owner") == {"llm/cronjob/eval": 1}


def test_a_static_pod_counts_as_itself() -> None:
    pod = a_pod("dcgm-gpu-1", owner=owned_by("Node", "gpu-1"))
    assert holders(Inventory(a_view(a_node(), pod), POLICY), "owner") == {"llm/pod/dcgm-gpu-1": 1}


def test_a_claim_that_ends_frees_its_device() -> None:
    view = a_view(a_cpu_node("dra-1"), a_slice("dra-1", devices=2), a_claim("c", ("dra-1", "gpu-0")))
    inventory = Inventory(view, POLICY)
    assert status(inventory, Ask(), NOW).kinds[0].totals.sums["free"] == 1
    view.take("resourceclaims", "llm/c")
    assert status(inventory, Ask(), NOW).kinds[0].totals.sums["free"] == 2


def test_the_largest_block_is_the_most_on_one_node_and_the_first_by_name_of_equals() -> None:
    view = a_view(
        a_node("b"),
        a_node("a"),
        a_pod(node="a", gpus=4),
        a_pod("other", node="b", gpus=4),
        a_node("c", unschedulable=True),
    )
    totals = status(Inventory(view, POLICY), Ask(), NOW).kinds[0].totals
    assert (totals.sums["free"], totals.largest, totals.largest_on) == (8, 4, "a")


def test_a_device_that_two_claims_share_is_held_until_both_are_gone() -> None:
    shared = [a_claim(name, ("dra-1", "gpu-0")) for name in ("one", "two")]
    view = a_view(a_cpu_node("dra-1"), a_slice("dra-1", devices=2), *shared)
    inventory = Inventory(view, POLICY)
    free = []
    for name in ("one", "two"):
        view.take("resourceclaims", f"llm/{name}")
        free.append(status(inventory, Ask(), NOW).kinds[0].totals.sums["free"])
    assert free == [1, 2]

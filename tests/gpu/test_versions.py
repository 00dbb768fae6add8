"""Which versions nodes run, who is not like the pool, what is said of a driver, and who manages a node's GPU stack."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import msgspec
import pytest

from bot.adapters.cluster import kinds
from bot.command import Cluster, Reply
from bot.dialogue import all_commands, decide, request_of, understand
from bot.domain.errors import NotFoundError
from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import Owner
from bot.domain.source import Reading, Source
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.past import Said
from bot.gpu.stack.manager import By, manager
from bot.gpu.versions import Ask, versions
from bot.views import gpu_driver
from tests.factories import NOW, POLICY, a_cpu_node, a_node
from tests.fakes_nodes import NodeMemory
from tests.views.golden_files import matches
from tests.why.builders_stack import a_daemonset, a_stack_pod, a_stack_view, sight_of

KNOWN = all_commands()
TODAY = date(2026, 11, 30)
TOOLKIT = "nvcr.io/nvidia/k8s/container-toolkit:v1.19.0"


def node(name: str, driver: str = "580.95.05", cuda: str = "13.0", pool: str = "train", **changed: Any) -> Node:
    labels = {"pool": pool, "nvidia.com/cuda.driver-version.full": driver, "nvidia.com/cuda.runtime-version.full": cuda}
    told = {"kubelet_version": "v1.36.3", "kernel_version": "6.8.0-88", "runtime_version": "containerd://2.1.5"}
    more = changed.pop("more_labels", {})
    return a_node(name, more_labels={key: text for key, text in (labels | more).items() if text}, **(told | changed))


def pods(name: str, plugin: str = "v0.20.0") -> list[Pod]:
    image = f"nvcr.io/nvidia/k8s-device-plugin:{plugin}"
    return [
        a_stack_pod(f"nvidia-device-plugin-{name}", node=name, image=image),
        a_stack_pod(f"nvidia-container-toolkit-{name}", node=name, image=TOOLKIT),
    ]


def cluster(*records: Any) -> Cluster:
    view = a_stack_view(*records)
    return Cluster("test", view, Inventory(view, POLICY))


def alike(*names: str, pool: str = "train") -> list[Any]:
    return [record for name in names for record in (node(name, pool=pool), *pods(name))]


def ask(line: str, of: Cluster) -> Reply:
    asked = understand(line, KNOWN)
    return decide(asked, request_of(asked, {"test": of}, "test", lambda: NOW, KNOWN))


def story() -> Cluster:
    """One node behind, one pool divided, one pool with a driver that nobody mends, one that is being upgraded."""
    return cluster(
        *alike("gpu-1", "gpu-2", "gpu-3"),
        node("gpu-4", "570.172.08", "12.8"),
        *pods("gpu-4", "v0.17.4"),
        node("a10-1", pool="a10", product="NVIDIA-A10"),
        node("a10-2", "595.71.05", "13.2", pool="a10", product="NVIDIA-A10"),
        node("t4-1", "535.230.02", "12.2", pool="old", product="NVIDIA-T4"),
        node("new-1", "", "", pool="new", more_labels={"nvidia.com/gpu-driver-upgrade-state": "drain-required"}),
        a_cpu_node("cpu-1"),
    )


@pytest.mark.parametrize(
    ("name", "of"),
    [
        ("story", story),
        ("alike", lambda: cluster(*alike("gpu-1", "gpu-2"))),
        ("one", lambda: cluster(*alike("gpu-1"))),
        ("none", lambda: cluster(a_cpu_node("cpu-1"))),
    ],
)
def test_looks_as_kept(name: str, of: Any) -> None:
    matches(f"gpu_versions_{name}", ask("gpu versions", of()).answer.text)


def test_the_node_that_differs_from_most_of_its_pool_is_named_with_both_versions() -> None:
    answer = ask("gpu versions pool=train", story()).answer
    assert answer.cause.id == "versions.odd"
    assert answer.cause.sentence.startswith("1 GPU node is not like its pool: gpu-4 (driver, CUDA and plugin).")
    assert "odd: driver 570.172.08 on gpu-4 (the others 580.95.05)" in answer.evidence
    assert answer.numbers["train"]["odd"] == {"gpu-4": {"driver": "570.172.08", "CUDA": "12.8", "plugin": "v0.17.4"}}
    assert answer.numbers["train"]["driver"] == {"580.95.05": 3, "570.172.08": 1}


def test_where_two_versions_are_as_frequent_nobody_is_odd() -> None:
    [pool] = versions(story().inventory, Ask(pool="a10"))
    assert pool.odd == {}
    assert [part.name for part in pool.divided] == ["driver", "CUDA"]


def test_a_version_that_nobody_tells_is_neither_odd_nor_usual() -> None:
    [pool] = versions(cluster(*alike("gpu-1", "gpu-2"), node("gpu-3", "", "")).inventory, Ask())
    assert pool.odd == {}
    assert pool.parts["driver"].untold == ("gpu-3",)
    assert pool.parts["plugin"].untold == ("gpu-3",)


def test_pools_are_compared_each_by_itself() -> None:
    found = versions(cluster(*alike("gpu-1"), node("gpu-2", "570.1.1", pool="eval")).inventory, Ask())
    assert [(pool.name, pool.odd) for pool in found] == [("eval", {}), ("train", {})]


def test_without_a_pool_label_nodes_with_the_same_gpus_on_the_same_machine_are_a_pool() -> None:
    machine = {"node.kubernetes.io/instance-type": "h200.8x", "pool": ""}
    found = versions(cluster(node("gpu-1", more_labels=machine), node("gpu-2", more_labels=machine)).inventory, Ask())
    assert [(pool.name, len(pool.nodes)) for pool in found] == [("H200 on h200.8x", 2)]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("gpu versions pool=zebra", "No pool of GPU nodes here is called “zebra”; there are: a10, new, old, train."),
        ("gpu versions product=h200 pool=a10", "No GPU product here is called “h200”; there are: A10."),
    ],
)
def test_a_filter_that_matches_nothing_is_one_sentence(line: str, says: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        ask(line, story())
    assert str(raised.value) == says


def test_where_nodes_may_not_be_read_nothing_is_called_alike() -> None:
    of = cluster()
    of.view.sources["nodes"] = Source("nodes", Reading.FORBIDDEN, None, "needs `list nodes`")
    answer = ask("gpu versions", of).answer
    assert (answer.cause.id, answer.told) == ("versions.unknown", False)


def test_a_large_fleet_fits_one_message() -> None:
    records = [
        node(f"gpu-{at:03}", f"580.{at % 7}.{at % 3}", pool=f"pool-{at % 30:02}-{'x' * 60}") for at in range(300)
    ]
    assert len(ask("gpu versions", cluster(*records)).answer.text) <= 4_000


@pytest.mark.parametrize(
    ("driver", "says", "starts"),
    [
        pytest.param("580.95.05", "supported until June 2028", "CUDA 13", id="long-term"),
        pytest.param("570.172.08", "out of support since February 2026", "CUDA 12", id="over, and since when"),
        pytest.param("515.48.07", "out of support", "CUDA 11", id="older than any that is supported"),
        pytest.param("700.10.01", "", "CUDA 13", id="a branch that nobody has told of is not called over"),
        pytest.param("not a version", "", "", id="no version"),
        pytest.param("", "", "", id="not told"),
    ],
)
def test_what_is_said_of_a_driver(driver: str, says: str, starts: str) -> None:
    assert gpu_driver.supported(driver, TODAY) == says
    assert gpu_driver.starts(driver).startswith(f"images with {starts} and older start" if starts else "")
    assert bool(gpu_driver.starts(driver)) == bool(starts)


@pytest.mark.parametrize(
    ("driver", "product", "says"),
    [
        pytest.param(
            "550.144.03",
            "NVIDIA H100 80GB HBM3",
            "images with CUDA 12 and older start (cu129 by minor-version compatibility); "
            "cu130 only with cuda-compat-13-0, opted in",
            id="a data-centre GPU takes a compatibility package",
        ),
        pytest.param(
            "550.144.03",
            "NVIDIA GeForce RTX 4090",
            "images with CUDA 12 and older start (cu129 by minor-version compatibility); cu130 not at all",
            id="a consumer GPU takes none",
        ),
        pytest.param(
            "575.57.08",
            "NVIDIA RTX PRO 6000 Blackwell Server Edition",
            "images with CUDA 12 and older start; cu130 only with cuda-compat-13-0, if that GPU takes it",
            id="of other boards their vendor knows; 575 is the toolkit's own driver",
        ),
        pytest.param("580.95.05", "NVIDIA H200", "images with CUDA 13 and older start", id="everything starts"),
    ],
)
def test_which_builds_of_engines_start_and_how(driver: str, product: str, says: str) -> None:
    assert gpu_driver.starts(driver, product) == says


def test_builds_are_told_to_scripts() -> None:
    assert gpu_driver.builds("550.144.03", "NVIDIA-H200") == {
        "cu130": "forward compatibility",
        "cu129": "minor-version compatibility",
    }


# ---- who manages a node --------------------------------------------------------------------------------------------


def policy(state: str = "ready") -> Thing:
    raw = msgspec.json.encode({"status": {"state": state}})
    return Thing(name="cluster-policy", kind="ClusterPolicy", raw=raw)


def stack(*records: Any, policies: tuple[Thing, ...] = ()) -> View:
    view = a_stack_view(*records)
    view.sources["clusterpolicies"] = Source("clusterpolicies", Reading.LIVE, NOW)
    for one in policies:
        view.put("clusterpolicies", one.name, one)
    return view


PLUGIN = a_stack_pod("nvidia-device-plugin-x")
OWNED = {"owner": Owner("ClusterPolicy", "cluster-policy", "uid-policy")}
PLAIN = a_daemonset("nvidia-device-plugin", namespace="kube-system")
OPERATORS = a_daemonset("nvidia-device-plugin", namespace="gpu-operator", **OWNED)
LEFT_OVER = {"nvidia.com/gpu.deploy.operands": "true"}
GKE = {"cloud.google.com/gke-nodepool": "gpus"}


@pytest.mark.parametrize(
    ("view", "by", "told"),
    [
        pytest.param(
            stack(a_node(), PLUGIN, OPERATORS, policies=(policy(),)),
            By.OPERATOR,
            "GPU operator (ClusterPolicy cluster-policy: ready)",
            id="the plugin's DaemonSet belongs to a ClusterPolicy",
        ),
        pytest.param(stack(a_node(), PLUGIN, PLAIN), By.PLUGIN, "plain device plugin (DaemonSet kube-system/", id="plain"),
        pytest.param(
            stack(a_node(more_labels=LEFT_OVER), PLUGIN, PLAIN),
            By.PLUGIN,
            "plain device plugin",
            id="labels that an operator left behind do not make one",
        ),
        pytest.param(
            stack(a_node(), policies=(policy("notReady"),)),
            By.OPERATOR,
            "GPU operator (ClusterPolicy cluster-policy: notReady)",
            id="an operator that has made no plugin",
        ),
        pytest.param(
            stack(a_node(more_labels=GKE), a_daemonset("nvidia-gpu-device-plugin", "gke.gcr.io/plugin:1")),
            By.PROVIDER,
            "GKE, with its own device plugin",
            id="the provider's own DaemonSet",
        ),
        pytest.param(
            stack(a_node(more_labels={"eks.amazonaws.com/nodegroup": "g"})),
            By.PROVIDER,
            "EKS, with a device plugin that is no pod",
            id="GPUs are offered and no pod does it",
        ),
        pytest.param(stack(a_node(healthy=0, gpus=0)), By.NOBODY, "no GPU operator", id="nobody"),
    ],
)  # fmt: skip
def test_who_manages_a_nodes_gpu_stack(view: View, by: By, told: str) -> None:
    found = manager(sight_of(view))
    assert (found.by, found.told[: len(told)]) == (by, told)


def test_a_node_keeps_what_its_kubelet_runs_on() -> None:
    info = {
        "kernelVersion": "6.8.0-88",
        "containerRuntimeVersion": "containerd://2.1.5",
        "osImage": "Ubuntu 24.04.3 LTS",
    }
    kind = kinds.of_object("Node")
    assert kind is not None
    wire = {"metadata": {"name": "gpu-1"}, "status": {"nodeInfo": info}}
    _, found = kinds.decode(kind, msgspec.json.encode(wire))
    assert isinstance(found, Node)
    assert (found.kernel_version, found.runtime_version, found.os_image) == tuple(info.values())


# ---- what ran before -----------------------------------------------------------------------------------------------


def remembered(*steps: tuple[int, str, dict[str, str]]) -> NodeMemory:
    """Days ago, on which node, which versions were first seen."""
    memory = NodeMemory()
    for days, name, parts in steps:
        told = {part: Said(value, "agent") for part, value in parts.items()}
        memory.look("test", {name: told}, NOW - timedelta(days=days))
    return memory


def with_past(of: Cluster, *steps: tuple[int, str, dict[str, str]]) -> Cluster:
    return replace(of, past=remembered(*steps))


def test_a_change_of_the_last_weeks_is_told_with_its_age() -> None:
    changed = (50, "gpu-1", {"driver": "580.82.07"}), (2, "gpu-1", {"driver": "580.95.05"})
    also = (50, "gpu-2", {"driver": "580.82.07"}), (2, "gpu-2", {"driver": "580.95.05"})
    answer = ask("gpu versions", with_past(cluster(*alike("gpu-1", "gpu-2")), *changed, *also)).answer
    assert "driver was 580.82.07 until 2 d ago on gpu-1 and gpu-2" in answer.evidence
    assert answer.cause.id == "versions.alike"


def test_a_step_back_stands_in_the_first_line() -> None:
    steps = (50, "gpu-4", {"driver": "580.95.05"}), (2, "gpu-4", {"driver": "570.172.08"})
    answer = ask("gpu versions", with_past(story(), *steps)).answer
    assert answer.cause.id == "versions.stepped_back"
    assert answer.cause.sentence.startswith("gpu-4: driver went back from 580.95.05 to 570.172.08 2 d ago. ")


def test_what_changed_long_ago_is_not_told() -> None:
    steps = (90, "gpu-1", {"driver": "580.82.07"}), (40, "gpu-1", {"driver": "580.95.05"})
    assert "driver was" not in ask("gpu versions", with_past(cluster(*alike("gpu-1")), *steps)).answer.text


def test_a_memory_that_is_not_kept_is_said() -> None:
    memory = remembered((2, "gpu-1", {"driver": "580.95.05"}))
    memory.kept["test"] = msgspec.structs.replace(memory.kept["test"], trouble="versions of nodes not kept: disk full")
    answer = ask("gpu versions", replace(cluster(*alike("gpu-1")), past=memory)).answer
    assert "versions of nodes not kept: disk full" in answer.unknown


def test_a_nodes_own_page_tells_what_it_ran_before_and_that_it_went_back() -> None:
    steps = (50, "gpu-4", {"driver": "580.95.05", "kubelet": "v1.35.1"}), (3, "gpu-4", {"kubelet": "v1.36.3"})
    of = with_past(story(), *steps, (2, "gpu-4", {"driver": "570.172.08"}))
    answer = ask("gpu node gpu-4", of).answer
    assert "before: driver was 580.95.05 until 2 d ago, kubelet was v1.35.1 until 3 d ago" in answer.text
    assert answer.cause.sentence.startswith("gpu-4's driver went back from 580.95.05 2 d ago to 570.172.08")

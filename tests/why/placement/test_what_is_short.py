"""CPU, disk, hugepages and pods on nodes with free GPUs; where a number comes from; promised, overdue and starting nodes."""

from typing import Any

import pytest

from bot.domain.node import Taint
from bot.domain.pod import Container, Pod
from bot.domain.pod_spec import PodSpec, SpreadConstraint
from bot.domain.selectors import NodeTerm, Requirement, Selector
from bot.domain.workload import PriorityClass
from bot.why.finding import Finding
from bot.why.stages.placement import STAGE
from tests.factories import a_cpu_node, a_node, a_pod, a_taint, owned_by
from tests.why.builders_fleet import GPU, ZONE, a_holder, a_waiting, case_of_pod, h200s, scheduler_said
from tests.why.builders_owners import a_template, a_thing, ago, words

GIB = 2**30


def told(pod: Pod, *records: Any) -> Finding:
    return next(iter(STAGE.judge(case_of_pod(pod, *records))))


def asks(**requests: int) -> Pod:
    """One GPU and what else is asked for; `hugepages` stands for hugepages-1Gi."""
    more = {
        "hugepages-1Gi" if name == "hugepages" else name.replace("_", "-"): value for name, value in requests.items()
    }
    return a_waiting(requests={GPU: 1, **more})


# ---- what runs out beside GPUs -----------------------------------------------------------------------------------------


def test_cpu_is_short_and_its_holders_can_end() -> None:
    holder = a_pod("etl-0", gpus=0, namespace="etl", requests={"cpu": 150_000}, started=ago(hours=3))
    finding = told(asks(cpu=64_000), a_node(), holder)
    assert "it needs 64 CPUs, and at most 42 of 192 are free on one node (gpu-1), although 8 GPUs are free" in words(
        finding
    )
    assert [one.action for one in finding.remedies] == [
        "Ask for 42 CPUs instead of 64: fits on gpu-1 now; the spec of a pod cannot be changed: make it anew with that",
        "End etl/etl-0 (frees gpu-1)",
    ]
    assert all(one.verified for one in finding.remedies)


@pytest.mark.parametrize(
    ("asked", "node", "text"),
    [
        pytest.param(
            {"hugepages": 16 * GIB},
            {"hugepages-1Gi": 8 * GIB},
            "it asks for 16 GiB hugepages-1Gi, and the largest node in question has 8 GiB in all (gpu-2)",
            id="too few hugepages, by the node that has most",
        ),
        pytest.param(
            {"hugepages": 16 * GIB},
            {},
            "the largest node in question has none",
            id="no hugepages anywhere",
        ),
        pytest.param(
            {"ephemeral_storage": 50 * GIB},
            {"ephemeral-storage": 35 * GIB},
            "it asks for 50 GiB ephemeral storage, and the largest node in question has 35 GiB in all (gpu-2)",
            id="disk",
        ),
    ],
)
def test_the_largest_node_is_told(asked: dict[str, int], node: dict[str, int], text: str) -> None:
    rich = a_node("gpu-2")
    rich = a_node("gpu-2", allocatable={**rich.allocatable, **node})
    finding = told(asks(**asked), a_node(), rich)
    assert text in finding.sentence
    assert "Reserve hugepages-1Gi" in words(finding) or "hugepages" not in asked


def test_a_tenth_of_what_is_asked_for_is_no_offer() -> None:
    holder = a_pod("etl-0", gpus=0, namespace="etl", requests={"cpu": 188_000})
    assert "Ask for 4 CPUs" not in words(told(asks(cpu=64_000), a_node(), holder))


def test_no_more_pods_is_a_setting() -> None:
    full = a_node(allocatable={**a_node().allocatable, "pods": 1})
    finding = told(a_waiting(gpus=1), full, a_pod("agent", gpus=0))
    assert "gpu-1 takes no more pods (1 is the limit), although 8 GPUs are free there" in finding.sentence
    assert "`maxPods`" in finding.remedies[0].action


def test_a_limit_range_put_it_in() -> None:
    owner = a_thing("StatefulSet", "glm", spec={"template": a_template()})
    ranges = a_thing(
        "LimitRange", "defaults", spec={"limits": [{"type": "Container", "defaultRequest": {"cpu": "400"}}]}
    )
    pod = a_waiting(requests={GPU: 1, "cpu": 400_000}, owner=owned_by("StatefulSet", "glm", owner.uid))
    assert "LimitRange `defaults` of namespace llm sets it by default" in words(told(pod, a_node(), owner, ranges))
    asked = a_thing(
        "StatefulSet", "glm", spec={"template": a_template(container={"resources": {"requests": {"cpu": "400"}}})}
    )
    assert "by default" not in words(told(pod, a_node(), asked, ranges))


# ---- where the number comes from ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("containers", "total", "text"),
    [
        pytest.param(
            (Container("asr", requests={GPU: 4}), Container("tts", requests={GPU: 8})),
            12,
            "12 H200 (`asr` 4 + `tts` 8) on one node",
            id="two containers add up",
        ),
        pytest.param(
            (Container("compile", requests={GPU: 16}, init=True), Container("run", requests={GPU: 2})),
            16,
            "16 H200 (its init container `compile` asks for that, the others for 2) on one node",
            id="an init container asks for more",
        ),
        pytest.param((Container("run", requests={GPU: 16}),), 16, "16 H200 on one node", id="one container"),
        pytest.param(
            tuple(Container(f"c{number}", requests={GPU: 4}) for number in range(4)),
            16,
            "16 H200 (4 containers together) on one node",
            id="many containers",
        ),
    ],
)
def test_whose_request_it_is(containers: tuple[Container, ...], total: int, text: str) -> None:
    assert text in told(a_waiting(gpus=total, containers=containers), a_node()).sentence


# ---- promised, overdue, of higher priority -----------------------------------------------------------------------------


def test_what_is_free_may_be_meant_for_another() -> None:
    rival = a_waiting("big-0", gpus=8, namespace="prod", priority=1000, nominated="gpu-1")
    finding = told(a_waiting(gpus=2), a_node(), a_holder("eval", "gpu-1", 4), rival)
    assert finding.id == "resources.promised"
    assert "the 4 free ones on gpu-1 are kept for prod/big-0 (priority 1,000)" in finding.sentence


def test_a_pod_that_should_be_gone_is_not_waited_for() -> None:
    ghost = a_holder("old", "gpu-1", 8, deleted=ago(hours=5))
    finding = told(a_waiting(), a_node(), ghost)
    assert finding.until == ""
    assert finding.remedies[0].action.startswith("See why train/old does not end: deleted 5 h ago and still there")
    assert finding.remedies[0].command == "/why train/old"
    assert "terminating for 5 h" in finding.groups[-1].lines[0]
    going = a_holder("old", "gpu-1", 8, deleted=ago(minutes=1))
    assert told(a_waiting(), a_node(), going).until.startswith("train/old on gpu-1")


def test_nobody_of_higher_priority_is_ended_for_it() -> None:
    finding = told(a_waiting(priority=-10), a_node(), a_holder("serve", "gpu-1", 8, priority=1000))
    assert "End train/serve" not in words(finding)


# ---- priority ----------------------------------------------------------------------------------------------------------


def test_a_class_that_never_preempts() -> None:
    classes = (
        PriorityClass(name="high", value=900),
        PriorityClass(name="polite", value=1000, preemption_policy="Never"),
    )
    pod = a_waiting(priority=1000, spec=PodSpec(preemption_policy="Never"))
    finding = told(pod, a_node(), a_holder("nb", "gpu-1", 8), *classes)
    assert "it evicts nobody (`preemptionPolicy: Never`)" in finding.useless[0]
    assert any("priority class `high` (900), whose pods may evict others" in one.action for one in finding.remedies)


def test_a_higher_class_that_never_preempts_is_no_remedy() -> None:
    polite = PriorityClass(name="polite", value=1000, preemption_policy="Never")
    assert "`polite`" not in words(told(a_waiting(), a_node(), a_holder("nb", "gpu-1", 8), polite))


# ---- nodes that are not ready for pods ---------------------------------------------------------------------------------

STARTING = Taint("node.cloudprovider.kubernetes.io/uninitialized", "true", "NoSchedule")


def test_a_node_that_is_being_set_up_is_waited_for() -> None:
    finding = told(a_waiting(), a_node(taints=(STARTING,), created=ago(minutes=2)))
    assert "is not set up yet: the cloud controller manager still has to take its taint" in finding.sentence
    assert finding.until == "gpu-1 is set up, which joined 2 min ago and has room for it"
    assert "olerate" not in words(finding)


@pytest.mark.parametrize(
    ("taint", "state", "action"),
    [
        pytest.param(
            STARTING, "not set up yet", "See why the cloud controller manager has not taken", id="never set up"
        ),
        pytest.param(
            a_taint("node.kubernetes.io/disk-pressure:NoSchedule"),
            "disk pressure",
            "Free disk space on gpu-1",
            id="no disk",
        ),
        pytest.param(
            a_taint("node.kubernetes.io/unreachable:NoSchedule"), "unreachable", "Bring gpu-1 back", id="out of reach"
        ),
    ],
)
def test_a_node_that_could_be_brought_back(taint: Taint, state: str, action: str) -> None:
    finding = told(a_waiting(), a_node(taints=(taint,), created=ago(days=9)))
    assert state in finding.sentence
    assert finding.until == ""
    assert finding.remedies[0].action.startswith(action)
    assert "olerate" not in words(finding)
    assert "more node" not in words(finding)


def test_a_node_that_an_autoscaler_takes_away() -> None:
    finding = told(a_waiting(), a_node(taints=(a_taint("ToBeDeletedByClusterAutoscaler=1:NoSchedule"),)))
    assert finding.sentence == "gpu-1 has 8 GPUs free but is on its way out: the cluster autoscaler is removing it"
    assert "olerate" not in words(finding)


# ---- labels, spread ----------------------------------------------------------------------------------------------------


def test_nodes_that_feature_discovery_has_missed() -> None:
    pod = a_waiting(spec=PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-H200"}))
    daemon = a_thing(
        "DaemonSet", "gpu-feature-discovery", "gpu", status={"desiredNumberScheduled": 3, "numberReady": 1}
    )
    finding = told(pod, *h200s(0), a_node("gpu-2", product=""), a_node("gpu-3", product=""), daemon)
    assert "gpu-2 and gpu-3 have room" in finding.sentence
    assert "lack any label `nvidia.com/gpu.product`, which feature discovery sets" in finding.sentence
    assert "`daemonset/gpu-feature-discovery` in gpu: 1 of 3 pods ready" in finding.evidence


def test_another_product_is_not_a_missing_label() -> None:
    pod = a_waiting(spec=PodSpec(node_selector={"nvidia.com/gpu.product": "NVIDIA-H200"}))
    finding = told(pod, *h200s(0), a_node("gpu-2", product="NVIDIA-L4"), a_node("gpu-3", product="NVIDIA-L4"))
    assert "none is free on gpu-1" in finding.sentence


def test_the_label_is_on_other_nodes_than_the_gpus() -> None:
    pod = a_waiting(spec=PodSpec(node_selector={"pool": "infer"}))
    gpus = a_node(more_labels={"pool": "research"}, taints=(a_taint("dedicated=research:NoSchedule"),))
    finding = told(pod, gpus, a_cpu_node(labels={"pool": "infer"}))
    assert "none of those is one with `nvidia.com/gpu`: those have `research`" in finding.sentence
    assert "taint `dedicated=research:NoSchedule`" in finding.evidence[0]
    assert finding.remedies[0].action.startswith("Both at once: do not ask for the label `pool`, and tolerate")
    assert finding.remedies[0].verified


@pytest.mark.parametrize(
    ("key", "value", "hinted"),
    [
        pytest.param("nvidia.com/gpu.product", "NVIDIA-H20O", True, id="a typing mistake"),
        pytest.param("kubernetes.io/arch", "amd64", False, id="another architecture is none"),
    ],
)
def test_a_label_that_no_node_has(key: str, value: str, hinted: bool) -> None:
    finding = told(
        a_waiting(spec=PodSpec(node_selector={key: value})), a_node(more_labels={"kubernetes.io/arch": "arm64"})
    )
    assert (" was meant" in finding.sentence) is hinted


def test_no_node_at_all() -> None:
    assert told(a_waiting()).sentence == "the cluster has no node at all"


def test_too_few_zones_for_min_domains() -> None:
    rule = SpreadConstraint(ZONE, selector=Selector((Requirement("app", "In", ("s",)),)), min_domains=3)
    pod = a_waiting("s-2", gpus=1, labels={"app": "s"}, spec=PodSpec(spread=(rule,)))
    nodes = [a_node(f"gpu-{zone}", more_labels={ZONE: zone}) for zone in ("a", "b")]
    there = [a_pod(f"s-{zone}", node=f"gpu-{zone}", labels={"app": "s"}) for zone in ("a", "b")]
    finding = told(pod, *nodes, *there)
    assert finding.id == "spread.min-domains"
    assert "wants 3 of them (`minDomains: 3`) and the nodes that it may use have 2" in finding.sentence


def test_a_pod_for_one_node_counts_no_others() -> None:
    only = PodSpec(node_terms=(NodeTerm(fields=(Requirement("metadata.name", "In", ("gpu-1",)),)),))
    finding = told(a_waiting(gpus=1, spec=only), *h200s(0), a_node("gpu-2"), a_node("gpu-3"))
    assert "none is free on gpu-1" in finding.sentence
    assert any("2 other nodes, for which it is not meant" in line for group in finding.groups for line in group.lines)


# ---- what the API does not show ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "text"),
    [
        pytest.param("1 vgpu: card memory insufficient", "“vgpu: card memory insufficient”", id="an extender"),
        pytest.param(
            "1 node(s) didn't match scheduler-enforced node affinity",
            "(`addedAffinity`)",
            id="the profile's own affinity",
        ),
        pytest.param(
            "1 rejected due to timeout after waiting 30s at plugin Coscheduling",
            "after a node was chosen",
            id="a plugin",
        ),
    ],
)
def test_a_reason_that_is_not_ours_to_check(message: str, text: str) -> None:
    pod = a_waiting()
    finding = told(pod, a_node(), scheduler_said(pod, f"0/1 nodes are available: {message}."))
    assert finding.id == "placement.beyond"
    assert text in finding.sentence
    assert finding.until == ""


def test_a_known_reason_that_no_longer_holds_is_waited_for() -> None:
    pod = a_waiting()
    finding = told(pod, a_node(), scheduler_said(pod, "0/1 nodes are available: 1 Insufficient nvidia.com/gpu."))
    assert finding.id == "placement.fits"
    assert "within 5 min" in finding.until
    assert "The scheduler's last word" in finding.evidence[1]

"""What autoscalers say, taken apart; their status in both of its forms."""

import pytest

from bot.domain.fields import Fields
from bot.why.autoscaler_messages import PoolWhy, group_reasons, growths, nominated, pool_reasons
from bot.why.autoscaler_status import from_config_map, from_log, refusals

OLD_STATUS = """Cluster-autoscaler status at 2026-11-30 11:59:00
NodeGroups:
  Name:        gpu-asg
  Health:      Healthy (ready=0 unready=0 notStarted=0 registered=0 cloudProviderTarget=0 (minSize=0, maxSize=4))
               LastProbeTime: 2026-11-30
  ScaleUp:     Backoff (ready=0 cloudProviderTarget=0)
  Name:        cpu-asg
  Health:      Healthy (ready=2 unready=0 notStarted=0 registered=2 cloudProviderTarget=2 (minSize=1, maxSize=2))
  ScaleUp:     NoActivity (ready=2 cloudProviderTarget=2)
"""
NEW_STATUS = """autoscalerStatus: Running
clusterWide:
  health:
    status: Healthy
nodeGroups:
- health:
    cloudProviderTarget: 0
    maxSize: 4
    minSize: 0
    nodeCounts:
      longUnregistered: 0
      registered:
        notStarted: 0
        ready: 0
        total: 0
    status: Healthy
  name: gpu-asg
  scaleDown:
    status: NoCandidates
  scaleUp:
    backoffInfo:
      errorCode: OutOfStock
      errorMessage: "no machines left"
    status: Backoff
time: 2026-11-30 11:59:00
"""


def test_growths_name_group_and_sizes() -> None:
    found = growths("pod triggered scale-up: [{gpu-asg 0->1 (max: 4)} {b 1->3 (max: 3)}]")
    assert [(one.group, one.old, one.new, one.most) for one in found] == [("gpu-asg", 0, 1, 4), ("b", 1, 3, 3)]


@pytest.mark.parametrize(
    ("message", "counts", "resources"),
    [
        pytest.param(
            "pod didn't trigger scale-up: 2 max node group size reached, 1 node(s) had untolerated taint {a: b}, 3 "
            "Insufficient amd.com/gpu",
            [2, 1, 3],
            ["", "", "amd.com/gpu"],
            id="several reasons",
        ),
        pytest.param(
            "pod didn't trigger scale-up (it wouldn't fit if a new node is added): 2 Insufficient nvidia.com/gpu",
            [2],
            ["nvidia.com/gpu"],
            id="the older wording",
        ),
        pytest.param("max total nodes in cluster reached", [0], [""], id="a message without counts"),
        pytest.param("pod didn't trigger scale-up: ", [], [], id="no reason at all"),
    ],
)
def test_reasons_of_node_groups(message: str, counts: list[int], resources: list[str]) -> None:
    found = group_reasons(message)
    assert [one.count for one in found] == counts
    assert [one.resource for one in found] == resources


@pytest.mark.parametrize(
    ("text", "why", "pool", "key"),
    [
        pytest.param(
            'incompatible with nodepool "gpu", daemonset overhead={"cpu":"1"}, incompatible requirements, label "a/b" does '
            "not have known values",
            PoolWhy.LABEL,
            "gpu",
            "a/b",
            id="a label, older releases",
        ),
        pytest.param(
            "did not tolerate taint (taint=a=b:NoSchedule) (NodePool=gpu)",
            PoolWhy.TAINT,
            "gpu",
            "a=b:NoSchedule",
            id="a taint",
        ),
        pytest.param(
            "incompatible requirements, key x/y, x/y In [a] not in x/y In [b] (NodePool=gpu)",
            PoolWhy.REQUIREMENT,
            "gpu",
            "x/y",
            id="a requirement",
        ),
        pytest.param(
            'all available instance types exceed limits for nodepool: "gpu"', PoolWhy.LIMIT, "gpu", "", id="limits"
        ),
        pytest.param(
            "no instance type has enough resources, requirements=x", PoolWhy.TOO_BIG, "", "", id="no machine type"
        ),
        pytest.param("something new", PoolWhy.OTHER, "", "", id="unknown words"),
    ],
)
def test_reasons_of_node_pools(text: str, why: PoolWhy, pool: str, key: str) -> None:
    (only,) = pool_reasons(f"Failed to schedule pod, {text}")
    assert (only.why, only.pool, only.key) == (why, pool, key)


def test_a_typo_that_karpenter_suspects_is_kept() -> None:
    (only,) = pool_reasons(
        'Failed to schedule pod, label "karpenter.sh/zone" does not have known values (typo of "zone"?)'
    )
    assert only.typo == "zone"


def test_nominated_names_claim_and_node() -> None:
    assert nominated("Pod should schedule on: nodeclaim/a, node/b") == ("a", "b")
    assert nominated("nothing") == ("", "")


@pytest.mark.parametrize(
    ("status", "backoff"),
    [
        pytest.param(OLD_STATUS, "a moment ago", id="up to 1.29"),
        pytest.param(NEW_STATUS, "no machines left", id="from 1.30"),
    ],
)
def test_the_status_tells_sizes_and_backoff(status: str, backoff: str) -> None:
    first = from_config_map(Fields({"data": {"status": status}}))[0]
    assert (first.name, first.target, first.least, first.most, first.empty) == ("gpu-asg", 0, 0, 4, True)
    assert backoff in first.backoff


def test_a_second_group_of_the_old_status_keeps_its_own_numbers() -> None:
    second = from_config_map(Fields({"data": {"status": OLD_STATUS}}))[1]
    assert (second.name, second.target, second.most, second.backoff, second.empty) == ("cpu-asg", 2, 2, "", False)


@pytest.mark.parametrize(
    "text", ["", "{", "- x", "a: b\nnodeGroups: 7", "a: b\nnodeGroups:\n- name: 3\n- 7", "\nnodeGroups:" * 5000]
)
def test_any_status_is_survived(text: str) -> None:
    assert isinstance(from_config_map(Fields({"data": {"status": text}})), list)


def test_the_log_tells_sizes_and_refusals() -> None:
    log = (
        "I1130 static_autoscaler.go:230] node group gpu-asg min=0 max=4 target=0\n"
        "I1130 scale_up.go:288] Pod llm/glm-0 can't be scheduled on gpu-asg, predicate checking error: Insufficient "
        "nvidia.com/gpu; predicateName=NodeResourcesFit\n"
    )
    (only,) = from_log(log)
    assert (only.name, only.target, only.most) == ("gpu-asg", 0, 4)
    assert refusals(log, "llm/glm-0") == {"gpu-asg": "Insufficient nvidia.com/gpu"}
    assert refusals(log, "llm/other") == {}


def test_a_group_that_grows_is_not_in_backoff() -> None:
    calm = NEW_STATUS.replace("status: Backoff", "status: InProgress")
    assert from_config_map(Fields({"data": {"status": calm}}))[0].backoff == ""

"""Where a DaemonSet's pods come to, and what keeps them away."""

from typing import Any

import pytest

from bot.gpu.stack.placement import of_daemonset
from tests.factories import a_taint
from tests.why.builders_stack import GPU, NFD_LABEL, a_daemonset, a_silent_node

WANTS_NFD = [{"key": NFD_LABEL, "operator": "In", "values": ["true"]}]


@pytest.mark.parametrize(
    ("spec", "labels", "taints"),
    [
        pytest.param({}, {}, (), id="asks for nothing"),
        pytest.param({"node_selector": {"a": "b"}}, {"a": "b"}, (), id="the label is there"),
        pytest.param({"terms": WANTS_NFD}, {NFD_LABEL: "true"}, (), id="the affinity holds"),
        pytest.param({}, {}, (f"{GPU}=present:NoSchedule",), id="the taint is tolerated"),
        pytest.param({"tolerations": []}, {}, (f"{GPU}=x:PreferNoSchedule",), id="a taint that only sways"),
        pytest.param({}, {}, ("node.kubernetes.io/unschedulable:NoSchedule",), id="a cordon keeps no daemon pod away"),
        pytest.param({"tolerations": [{"operator": "Exists"}]}, {}, ("x=y:NoExecute",), id="tolerates everything"),
    ],
)
def test_it_comes(spec: dict[str, Any], labels: dict[str, str], taints: tuple[str, ...]) -> None:
    node = a_silent_node(labels=labels, taints=tuple(map(a_taint, taints)))
    assert of_daemonset(a_daemonset("any", **spec)).obstacle(node) is None


@pytest.mark.parametrize(
    ("spec", "labels", "taint", "missing"),
    [
        pytest.param({"node_selector": {"a": "b"}}, {"a": "c"}, "", "a", id="another value"),
        pytest.param({"terms": WANTS_NFD}, {}, "", NFD_LABEL, id="the label is not there"),
        pytest.param({"tolerations": []}, {}, f"{GPU}=true:NoSchedule", "", id="nothing is tolerated"),
        pytest.param(
            {"tolerations": [{"key": GPU, "operator": "Equal", "value": "present", "effect": "NoSchedule"}]},
            {},
            f"{GPU}=true:NoSchedule",
            "",
            id="another value is tolerated",
        ),
    ],
)
def test_it_does_not_come(spec: dict[str, Any], labels: dict[str, str], taint: str, missing: str) -> None:
    node = a_silent_node(labels=labels, taints=(a_taint(taint),) if taint else ())
    obstacle = of_daemonset(a_daemonset("any", **spec)).obstacle(node)
    assert obstacle is not None
    assert [one.key for one in obstacle.labels] == ([missing] if missing else [])
    assert str(obstacle.taint or "") == taint


@pytest.mark.parametrize(
    "spec",
    [
        {"node_selector": [1, 2]},
        {"tolerations": "all"},
        {"terms": "x"},
        {"terms": [{"key": 3}]},
        {"tolerations": [None]},
    ],
)
def test_odd_shapes_raise_nothing(spec: dict[str, Any]) -> None:
    of_daemonset(a_daemonset("any", **spec)).obstacle(a_silent_node())

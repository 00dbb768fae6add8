import pytest

from bot.local.cluster.controllers.scheduler.pod import host_ports, pod_requests
from tests.local.cluster.controllers.helpers import GPU, a_container

SIDECAR = {"restartPolicy": "Always"}


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            {"containers": [a_container(gpu="2"), a_container("b", gpu="1")]}, {GPU: 3}, id="containers add up"
        ),
        pytest.param(
            {"containers": [a_container(gpu="1")], "initContainers": [a_container("i", gpu="4")]},
            {GPU: 4},
            id="an init container counts if it is the largest",
        ),
        pytest.param(
            {"containers": [a_container(gpu="1")], "initContainers": [{**a_container("s", gpu="1"), **SIDECAR}]},
            {GPU: 2},
            id="a sidecar adds for good",
        ),
        pytest.param(
            {
                "containers": [a_container(gpu="1")],
                "initContainers": [{**a_container("s", gpu="2"), **SIDECAR}, a_container("i", gpu="3")],
            },
            {GPU: 5},
            id="an init container runs beside the sidecars before it",
        ),
        pytest.param(
            {"containers": [a_container(cpu="1")], "overhead": {"cpu": "250m"}}, {"cpu": 1250}, id="overhead adds"
        ),
        pytest.param(
            {"containers": [a_container(cpu="1", gpu="1")], "resources": {"requests": {"cpu": "4"}}},
            {"cpu": 4000, GPU: 1},
            id="pod-level resources replace cpu but not devices",
        ),
        pytest.param(
            {"containers": [{"name": "c", "resources": {"limits": {GPU: "2"}}}]},
            {GPU: 2},
            id="a limit alone is a request",
        ),
        pytest.param({"containers": [{"name": "c"}]}, {}, id="nothing asked"),
    ],
)
def test_what_a_pod_takes(spec, expected):
    assert pod_requests(spec) == expected


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"ports": [{"containerPort": 80}]}, set(), id="a container's port takes nothing of the node"),
        pytest.param({"ports": [{"containerPort": 80, "hostPort": 81}]}, {("0.0.0.0", "TCP", 81)}, id="a host port"),
        pytest.param(
            {"ports": [{"containerPort": 80, "hostPort": 81, "protocol": "UDP", "hostIP": "10.0.0.1"}]},
            {("10.0.0.1", "UDP", 81)},
            id="with address and protocol",
        ),
    ],
)
def test_host_ports(spec, expected):
    assert host_ports({"containers": [spec]}) == expected


def test_on_the_hosts_network_every_port_is_the_hosts():
    assert host_ports({"hostNetwork": True, "containers": [{"ports": [{"containerPort": 80}]}]}) == {
        ("0.0.0.0", "TCP", 80)
    }

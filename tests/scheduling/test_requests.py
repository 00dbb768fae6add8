"""What the scheduler counts for a pod: kubernetes/component-helpers:resource/helpers.go."""

import pytest

from bot.domain.pod import Container
from bot.scheduling.requests import effective

Amounts = dict[str, int]


def app(**requests: int) -> Container:
    return Container("app", requests=requests)


def init(**requests: int) -> Container:
    return Container("init", requests=requests, init=True)


def sidecar(**requests: int) -> Container:
    return Container("sidecar", requests=requests, init=True, sidecar=True)


@pytest.mark.parametrize(
    ("containers", "counted"),
    [
        pytest.param([], {}, id="nobody asks for anything"),
        pytest.param([app(cpu=1)], {"cpu": 1}, id="one container counts as it is"),
        pytest.param(
            [app(cpu=1, gpu=2), app(cpu=2, memory=5)], {"cpu": 3, "gpu": 2, "memory": 5}, id="containers add up"
        ),
        pytest.param([init(cpu=5), app(cpu=1)], {"cpu": 5}, id="a larger init container counts for ever"),
        pytest.param([init(cpu=1), app(cpu=3)], {"cpu": 3}, id="a smaller init container counts for nothing"),
        pytest.param([init(cpu=2), init(cpu=4), app(cpu=1)], {"cpu": 4}, id="init containers run one after another"),
        pytest.param([init(gpu=8), app(cpu=1)], {"gpu": 8, "cpu": 1}, id="resource by resource"),
        pytest.param([sidecar(cpu=2), app(cpu=3)], {"cpu": 5}, id="a sidecar stays, so it is added"),
        pytest.param([sidecar(gpu=1), app(gpu=1)], {"gpu": 2}, id="a GPU sidecar needs a GPU of its own"),
        pytest.param(
            [sidecar(cpu=2), init(cpu=4), app(cpu=3)], {"cpu": 6}, id="an init container beside an earlier sidecar"
        ),
        pytest.param(
            [init(cpu=4), sidecar(cpu=2), app(cpu=1)], {"cpu": 4}, id="an init container before a later sidecar"
        ),
        pytest.param(
            [sidecar(cpu=1), init(cpu=9), sidecar(cpu=2), init(cpu=8), app(cpu=3)],
            {"cpu": 11},
            id="each init container beside all sidecars before it",
        ),
        pytest.param([sidecar(cpu=1), sidecar(cpu=2), app()], {"cpu": 3}, id="sidecars add up among themselves"),
        pytest.param([app(gpu=0)], {"gpu": 0}, id="an explicit nothing is kept"),
    ],
)
def test_containers_come_to(containers: list[Container], counted: Amounts) -> None:
    assert effective(containers) == counted


@pytest.mark.parametrize(
    ("pod_level", "overhead", "counted"),
    [
        pytest.param({"cpu": 9}, {}, {"cpu": 9, "gpu": 1}, id="a larger pod-level request replaces the sum"),
        pytest.param({"cpu": 1}, {}, {"cpu": 1, "gpu": 1}, id="a smaller pod-level request replaces it too"),
        pytest.param(
            {"memory": 7}, {}, {"cpu": 2, "gpu": 1, "memory": 7}, id="memory may be asked for by the pod alone"
        ),
        pytest.param({"hugepages-2Mi": 4}, {}, {"cpu": 2, "gpu": 1, "hugepages-2Mi": 4}, id="hugepages as well"),
        pytest.param({"gpu": 5}, {}, {"cpu": 2, "gpu": 1}, id="extended resources are never the pod's"),
        pytest.param({}, {"cpu": 3, "memory": 1}, {"cpu": 5, "gpu": 1, "memory": 1}, id="the overhead is added"),
        pytest.param({"cpu": 9}, {"cpu": 3}, {"cpu": 12, "gpu": 1}, id="the overhead comes on top of the pod's own"),
    ],
)
def test_pod_level_requests_and_overhead(pod_level: Amounts, overhead: Amounts, counted: Amounts) -> None:
    assert effective([app(cpu=2, gpu=1)], pod_level=pod_level, overhead=overhead) == counted


def test_the_containers_are_left_as_they_were() -> None:
    containers = [sidecar(cpu=1), init(cpu=5), app(cpu=2)]
    effective(containers, overhead={"cpu": 1})
    assert [dict(container.requests) for container in containers] == [{"cpu": 1}, {"cpu": 5}, {"cpu": 2}]

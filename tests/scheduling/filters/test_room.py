"""Filters that look at what is taken on a node: resources and host ports."""

import pytest

from bot.domain.pod_spec import HostPort
from bot.scheduling.filters.node_resources_fit import Shortage
from bot.scheduling.framework import Code
from tests.scheduling.placing import a_place, failure, placed, waiting

ROOM = {"cpu": 4_000, "memory": 100, "pods": 3, "nvidia.com/gpu": 8}


@pytest.mark.parametrize(
    ("wanted", "taken", "reasons", "code"),
    [
        pytest.param({"cpu": 4_000}, {}, (), None, id="exactly all of it fits"),
        pytest.param({"cpu": 1}, {"cpu": 4_000}, ("Insufficient cpu",), Code.UNSCHEDULABLE, id="full, but large enough"),
        pytest.param({"cpu": 4_001}, {}, ("Insufficient cpu",), Code.UNRESOLVABLE, id="larger than the whole node"),
        pytest.param({"cpu": 0}, {"cpu": 5_000}, (), None, id="a zero request fits an over-committed node"),
        pytest.param({"amd.com/gpu": 1}, {}, ("Insufficient amd.com/gpu",), Code.UNRESOLVABLE, id="not offered there"),
        pytest.param(
            {"nvidia.com/gpu": 4, "cpu": 5_000, "memory": 60},
            {"nvidia.com/gpu": 6, "memory": 60},
            ("Insufficient cpu", "Insufficient memory", "Insufficient nvidia.com/gpu"),
            Code.UNRESOLVABLE,
            id="every resource that is short is told, the worst decides",
        ),
        pytest.param(
            {"nvidia.com/gpu": 1}, {"nvidia.com/gpu": 9}, ("Insufficient nvidia.com/gpu",), Code.UNSCHEDULABLE,
            id="more is taken than is left of broken GPUs",
        ),
    ],
)  # fmt: skip
def test_resources(wanted: dict[str, int], taken: dict[str, int], reasons: tuple[str, ...], code: Code | None) -> None:
    there = placed("n1", requests=taken)
    found = failure("NodeResourcesFit", waiting(requests=wanted), a_place(allocatable=ROOM), there)
    assert (found.reasons if found else ()) == reasons
    assert (found.code if found else None) == code


def test_a_shortage_has_its_numbers() -> None:
    pod, there = waiting(requests={"nvidia.com/gpu": 4}), placed("n1", requests={"nvidia.com/gpu": 6})
    found = failure("NodeResourcesFit", pod, a_place(allocatable=ROOM), there)
    assert found is not None
    (short,) = found.detail
    assert short == Shortage("nvidia.com/gpu", requested=4, used=6, allocatable=8)
    assert (short.free, short.too_small) == (2, False)


def test_a_node_takes_only_so_many_pods() -> None:
    others = [placed("n1", f"p{number}", requests={}) for number in range(3)]
    found = failure("NodeResourcesFit", waiting(requests={}), a_place(allocatable=ROOM), *others)
    assert found is not None
    assert (found.code, found.reasons) == (Code.UNSCHEDULABLE, ("Too many pods",))


def test_finished_pods_hold_nothing_and_terminating_ones_still_do() -> None:
    done = placed("n1", "done", requests={"cpu": 4_000}, phase="Succeeded")
    leaving = placed("n1", "leaving", requests={"cpu": 4_000}, deleted="2026-11-30T12:00:00Z")
    pod, node = waiting(requests={"cpu": 1}), a_place(allocatable=ROOM)
    assert failure("NodeResourcesFit", pod, node, done) is None
    assert failure("NodeResourcesFit", pod, node, leaving) is not None


def port(number: int, protocol: str = "TCP", address: str = "0.0.0.0") -> HostPort:
    return HostPort(number, protocol, address)


@pytest.mark.parametrize(
    ("wanted", "used", "passes"),
    [
        pytest.param(port(80), port(81), True, id="another port"),
        pytest.param(port(80), port(80), False, id="the same port"),
        pytest.param(port(80), port(80, "UDP"), True, id="the same port of another protocol"),
        pytest.param(port(80, address="10.0.0.1"), port(80, address="10.0.0.2"), True, id="on another address"),
        pytest.param(port(80, address="10.0.0.1"), port(80), False, id="all addresses are taken"),
        pytest.param(port(80), port(80, address="10.0.0.1"), False, id="all addresses are wanted"),
    ],
)
def test_host_ports(wanted: HostPort, used: HostPort, passes: bool) -> None:
    pod, there = waiting(host_ports=(wanted,)), placed("n1", host_ports=(used,))
    found = failure("NodePorts", pod, a_place(), there)
    assert (found is None) is passes
    if found is not None:
        assert (found.code, found.detail) == (Code.UNSCHEDULABLE, wanted)

"""DynamicResources, a sentence at a time: who gets devices, and what is told of those who do not."""

from typing import Any

import pytest

from bot.scheduling.filters import dynamic_resources as dra
from bot.scheduling.framework import Code, Failure
from bot.scheduling.state import State
from tests.scheduling.filters.objects import Object, a_node, a_pod, a_view_of, an_object, ask, reasons, the_filter

DRIVER = "gpu.example.com"
MINE = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "c"}]}
MADE = {"resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]}
POD = a_pod("p", **MINE)
OWNED = {"ownerReferences": [{"kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}]}


def a_device(name: str, **fields: Any) -> Object:
    """Attributes are given as their own types, `v1.2.3` as a version; `mem` is its capacity."""
    typed = {}
    for key, value in fields.pop("attributes", {}).items():
        kind = "bool" if isinstance(value, bool) else "int" if isinstance(value, int) else "string"
        typed[key] = {kind: value}
    capacity = {"memory": {"value": fields.pop("mem", "80Gi")} | fields.pop("policy", {})}
    return {"name": name, "attributes": typed, "capacity": capacity, **fields}


def a_slice(*devices: Object, node: str = "n1", pool: str = "n1", slices: int = 1, **spec: Any) -> Object:
    name = spec.pop("name", f"slice-{pool}")
    generation = spec.pop("generation", 1)
    where = {} if spec.keys() & {"allNodes", "nodeSelector", "perDeviceNodeSelection"} else {"nodeName": node}
    pool_of = {"name": pool, "generation": generation, "resourceSliceCount": slices}
    return an_object(
        "ResourceSlice", name, spec={"driver": DRIVER, "pool": pool_of, "devices": list(devices), **where, **spec}
    )


def a_class(name: str = "gpu", *expressions: str, **spec: Any) -> Object:
    return an_object(
        "DeviceClass", name, spec={"selectors": [{"cel": {"expression": one}} for one in expressions], **spec}
    )


def exactly(count: int = 1, *expressions: str, **fields: Any) -> Object:
    selectors = [{"cel": {"expression": one}} for one in expressions]
    return {"deviceClassName": "gpu", "allocationMode": "ExactCount", "count": count, "selectors": selectors, **fields}


def every(**fields: Any) -> Object:
    return {"deviceClassName": "gpu", "allocationMode": "All", **fields}


def a_claim(*requests: Object, name: str = "c", constraints: Any = (), **fields: Any) -> Object:
    devices = {
        "requests": [
            {"name": f"r{number}", **(one if "firstAvailable" in one else {"exactly": one})}
            for number, one in enumerate(requests)
        ],
        "constraints": list(constraints),
    }
    return an_object("ResourceClaim", name, namespace="default", spec={"devices": devices}, **fields)


def first_of(*requests: Object) -> Object:
    return {"firstAvailable": [{"name": f"s{number}", **one} for number, one in enumerate(requests)]}


def held(
    *devices: str, name: str = "other", pool: str = "n1", user: str = "q", at: str = "n1", **result: Any
) -> Object:
    """A claim that has devices; nobody uses it where `user` is empty."""
    results = [{"driver": DRIVER, "pool": pool, "device": one, "request": "r0", **result} for one in devices]
    selector = {"nodeSelectorTerms": [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [at]}]}]}
    users = [{"resource": "pods", "name": user, "uid": f"uid-{user}"}] if user else []
    allocation = {"devices": {"results": results}, "nodeSelector": selector}
    return a_claim(exactly(), name=name, status={"allocation": allocation, "reservedFor": users})


def ask_of(*objects: Object) -> Failure | None:
    return ask("DynamicResources", a_node(), a_class(), *objects)


TWO = (a_device("d0", attributes={"numa": 0, "model": "A"}), a_device("d1", attributes={"numa": 1, "model": "B"}))
BAD = [{"key": "bad", "value": "x", "effect": "NoSchedule"}]
NUMA = f"{DRIVER}/numa"
SHARED = a_device(
    "d0",
    mem="40Gi",
    allowMultipleAllocations=True,
    policy={"requestPolicy": {"default": "10Gi", "validValues": ["10Gi", "20Gi"]}},
)
PARTS = [
    a_device(f"d{i}", consumesCounters=[{"counterSet": "all", "counters": {"mem": {"value": "40Gi"}}}])
    for i in range(3)
]
COUNTERS = a_slice(slices=2, name="counters", sharedCounters=[{"name": "all", "counters": {"mem": {"value": "80Gi"}}}])
SHARE = {"shareID": "00000000-0000-4000-8000-000000000000"}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([a_claim(exactly(2)), a_slice(*TWO)], (), id="enough devices"),
        pytest.param([a_claim(exactly(3)), a_slice(*TWO)], dra.CANNOT, id="too few devices"),
        pytest.param([a_claim(exactly())], dra.CANNOT, id="no devices at all"),
        pytest.param([a_claim(exactly()), a_slice(*TWO, node="n2")], dra.CANNOT, id="devices of another node"),
        pytest.param([a_claim(exactly()), a_slice(*TWO, allNodes=True)], (), id="devices that all nodes reach"),
        pytest.param([a_claim(exactly(2)), a_slice(*TWO), held("d0")], dra.CANNOT, id="one is held"),
        pytest.param(
            [a_claim(exactly(2)), a_slice(*TWO), held("d0", adminAccess=True)], (), id="an administrator holds nothing"
        ),
        pytest.param(
            [a_claim(exactly(2, adminAccess=True)), a_slice(*TWO), held("d0")],
            (),
            id="an administrator may look at what is held",
        ),
        pytest.param(
            [a_claim(exactly(1, "device.attributes['gpu.example.com'].model == 'B'")), a_slice(*TWO)],
            (),
            id="a selector that one matches",
        ),
        pytest.param(
            [a_claim(exactly(2, "device.attributes['gpu.example.com'].model == 'B'")), a_slice(*TWO)],
            dra.CANNOT,
            id="a selector that only one matches",
        ),
        pytest.param([a_claim(every()), a_slice(*TWO)], (), id="all devices"),
        pytest.param([a_claim(every()), a_slice(*TWO), held("d1")], dra.CANNOT, id="all devices, but one is held"),
        pytest.param([a_claim(every())], dra.CANNOT, id="all of none is not enough"),
        pytest.param(
            [a_claim(exactly()), a_slice(*TWO, slices=2)], dra.CANNOT, id="a pool with a slice missing gives nothing"
        ),
        pytest.param(
            [a_claim(exactly()), a_slice(*TWO, slices=2), a_slice(TWO[0], slices=2, name="again")],
            dra.INVALID,
            id="a device twice",
        ),
        pytest.param(
            [a_claim(exactly(2)), a_slice(*TWO), a_slice(TWO[0], generation=2, name="new")],
            dra.CANNOT,
            id="an old generation is gone",
        ),
        pytest.param(
            [a_claim(exactly(2)), a_slice(*TWO, name="a-old"), a_slice(TWO[0], generation=2, name="new")],
            dra.CANNOT,
            id="an old generation is gone, whatever it is called",
        ),
        pytest.param(
            [
                a_claim(exactly(1, tolerations=[{"key": "bad", "operator": "Exists"}])),
                a_slice(a_device("d0", taints=[*BAD, {"key": "odd", "effect": "None"}])),
            ],
            (),
            id="a taint that only informs",
        ),
        pytest.param(
            [a_claim(exactly(2)), a_slice(TWO[0], a_device("d1", taints=BAD))], dra.CANNOT, id="a tainted device"
        ),
        pytest.param(
            [
                a_claim(exactly(2, tolerations=[{"key": "bad", "operator": "Exists"}])),
                a_slice(TWO[0], a_device("d1", taints=BAD)),
            ],
            (),
            id="a tolerated taint",
        ),
        pytest.param(
            [a_claim(exactly(2), constraints=[{"matchAttribute": NUMA}]), a_slice(*TWO)],
            dra.CANNOT,
            id="devices that must be alike",
        ),
        pytest.param(
            [
                a_claim(exactly(2), constraints=[{"matchAttribute": NUMA}]),
                a_slice(*TWO, a_device("d2", attributes={"numa": 1})),
            ],
            (),
            id="the search goes back for two that are alike",
        ),
        pytest.param(
            [a_claim(exactly(2), constraints=[{"distinctAttribute": NUMA}]), a_slice(*TWO)],
            (),
            id="devices that must differ",
        ),
        pytest.param(
            [a_claim(exactly(3), constraints=[{"distinctAttribute": NUMA}]), a_slice(*TWO, a_device("d2"))],
            dra.CANNOT,
            id="a device without the attribute",
        ),
        pytest.param(
            [a_claim(exactly(), exactly(), constraints=[{"matchAttribute": NUMA, "requests": ["r0"]}]), a_slice(*TWO)],
            (),
            id="a constraint on one request leaves the other alone",
        ),
        pytest.param([a_claim(first_of(exactly(3), exactly(2))), a_slice(*TWO)], (), id="the second choice will do"),
        pytest.param([a_claim(first_of(exactly(3), exactly(4))), a_slice(*TWO)], dra.CANNOT, id="no choice will do"),
        pytest.param(
            [a_claim(exactly()), a_slice(SHARED), held("d0", **SHARE, consumedCapacity={"memory": "30Gi"})],
            (),
            id="a portion is left",
        ),
        pytest.param(
            [a_claim(exactly()), a_slice(SHARED), held("d0", **SHARE, consumedCapacity={"memory": "40Gi"})],
            dra.CANNOT,
            id="no portion is left",
        ),
        pytest.param(
            [
                a_claim(exactly(1, capacity={"requests": {"memory": "11Gi"}})),
                a_slice(SHARED),
                held("d0", **SHARE, consumedCapacity={"memory": "30Gi"}),
            ],
            dra.CANNOT,
            id="portions are rounded up",
        ),
        pytest.param(
            [a_claim(exactly(1, capacity={"requests": {"memory": "81Gi"}})), a_slice(*TWO)],
            dra.CANNOT,
            id="larger than any device",
        ),
        pytest.param(
            [a_claim(exactly(2)), a_slice(*PARTS, slices=2), COUNTERS], (), id="as many parts as the whole has"
        ),
        pytest.param(
            [a_claim(exactly(3)), a_slice(*PARTS, slices=2), COUNTERS], dra.CANNOT, id="more parts than the whole has"
        ),
        pytest.param(
            [a_claim(exactly(2)), a_slice(*PARTS, slices=2), COUNTERS, held("d2")],
            dra.CANNOT,
            id="a part that is held counts",
        ),
        pytest.param([a_claim(exactly()), a_slice(*PARTS)], dra.INVALID, id="a counter that nobody defined"),
        pytest.param([held("d0", name="c", user="")], (), id="a claim that has its device here"),
        pytest.param([held("d0", name="c", at="n2")], dra.ELSEWHERE, id="a claim that has its device elsewhere"),
    ],
)
def test_claims_on_a_node(objects: list[Object], expected: tuple[str, ...]) -> None:
    failure = ask_of(POD, *objects)
    assert reasons(failure) == expected
    assert failure is None or failure.code is Code.UNRESOLVABLE


@pytest.mark.parametrize(
    ("objects", "text"),
    [
        pytest.param(
            [a_claim(every()), a_slice(*TWO, slices=2)],
            f"claim default/c, request r0: asks for all devices, but resource pool {DRIVER}/n1 is currently being updated",
            id="all devices of a pool that is not complete",
        ),
        pytest.param(
            [a_claim(every(), constraints=[{"matchAttribute": NUMA}]), a_slice(*TWO)],
            f"claim default/c, request r0: cannot add device {DRIVER}/n1/d1 because a claim constraint would not be satisfied",
            id="all devices, which are not alike",
        ),
        pytest.param(
            [a_claim(exactly(33)), a_slice(*TWO)],
            "claim default/c: number of requested devices 33 exceeds the claim limit of 32",
            id="more than a claim can hold",
        ),
        pytest.param(
            [a_claim(exactly(1, "device.attributes['gpu.example.com'].nothing")), a_slice(*TWO)],
            "claim default/c: selector #0: CEL runtime error: no such key: nothing",
            id="a selector that breaks",
        ),
        pytest.param(
            [a_claim(exactly(1, "device.attributes['gpu.example.com'].?model.orValue('') == 'A'")), a_slice(*TWO)],
            "not evaluated: claim default/c: selector #0: not a CEL expression that can be read here: CELParseError",
            id="a selector that cannot be evaluated here",
        ),
        pytest.param(
            [
                a_claim(exactly(16), constraints=[{"matchAttribute": NUMA}]),
                a_slice(*(a_device(f"d{i}", attributes={"numa": i % 2}) for i in range(30))),
            ],
            "not evaluated: the search for devices was given up: too many combinations",
            id="a search without end",
        ),
    ],
)
def test_what_ends_the_cycle(objects: list[Object], text: str) -> None:
    failure = ask_of(POD, *objects)
    assert failure is not None
    assert (failure.code, failure.reasons) == (Code.ERROR, (text,))
    assert isinstance(failure.detail, dra.Unknown) is text.startswith("not evaluated")


def test_a_selector_that_is_never_reached_breaks_nothing() -> None:
    broken = a_claim(exactly(1, "device.driver == 'x'", "device.attributes['gpu.example.com'].nothing"))
    assert reasons(ask_of(POD, broken, a_slice(*TWO))) == dra.CANNOT
    assert reasons(ask_of(POD, a_claim(exactly(1, "device.nothing")), a_slice(TWO[0]), held("d0"))) == dra.CANNOT


@pytest.mark.parametrize(
    ("pod", "objects", "text"),
    [
        pytest.param(POD, [], 'could not find ResourceClaim "default/c"', id="a claim that is missing"),
        pytest.param(
            a_pod("p", **MADE), [], 'pod "default/p": ResourceClaim not created yet', id="a claim still to be made"
        ),
        pytest.param(
            POD,
            [a_claim(metadata={"deletionTimestamp": "now"})],
            'resourceclaim "c" is being deleted',
            id="a claim on its way out",
        ),
        pytest.param(
            a_pod("p", status={"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "c"}]}, **MADE),
            [a_claim()],
            "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)",
            id="somebody else's claim",
        ),
        pytest.param(
            a_pod("p", status={"resourceClaimStatuses": [{"name": "gpu", "resourceClaimName": "c"}]}, **MADE),
            [a_claim(metadata=OWNED)],
            "",
            id="the pod's own claim",
        ),
        pytest.param(
            a_pod("p", status={"resourceClaimStatuses": [{"name": "gpu"}]}, **MADE),
            [],
            "",
            id="a claim that was not needed",
        ),
        pytest.param(
            a_pod("p", resourceClaims=[{"name": "gpu"}]),
            [],
            'pod "default/p", spec.resourceClaim "gpu": none of the supported fields are set',
            id="a reference to nothing",
        ),
    ],
)
def test_what_keeps_a_pod_out_of_the_queue(pod: Object, objects: list[Object], text: str) -> None:
    view = a_view_of(a_node(), pod, *objects)
    one = the_filter("DynamicResources")
    assert one.preenqueue
    assert reasons(one.preenqueue(view.pods["default/p"], State(view))) == ((text,) if text else ())
    assert reasons(ask_of(pod, *objects)) == ((text,) if text else ())


def test_a_class_that_does_not_exist_ends_the_cycle_before_any_node() -> None:
    for request, name in ((exactly(), "r0"), (first_of(exactly()), "r0/s0")):
        failure = ask("DynamicResources", a_node(), POD, a_claim(request))
        assert reasons(failure) == (f"request {name}: device class gpu does not exist",)


EXTENDED = {"extendedResourceName": "example.com/gpu"}


def asking(resource: str, count: str, *init: Object, **spec: Any) -> Object:
    container = {"name": "main", "resources": {"requests": {resource: count}}}
    return a_pod("p", containers=[container], initContainers=list(init), **spec)


@pytest.mark.parametrize(
    ("pod", "objects", "expected"),
    [
        pytest.param(
            asking("example.com/gpu", "2"), [a_node(), a_class(**EXTENDED), a_slice(*TWO)], (), id="by devices"
        ),
        pytest.param(
            asking("example.com/gpu", "3"),
            [a_node(), a_class(**EXTENDED), a_slice(*TWO)],
            dra.CANNOT,
            id="by too few devices",
        ),
        pytest.param(
            asking("example.com/gpu", "3"),
            [a_node(example_com__gpu="1"), a_class(**EXTENDED)],
            (),
            id="a node with its own is not asked for devices",
        ),
        pytest.param(
            asking("example.com/gpu", "1"),
            [a_node(example_com__gpu="0"), a_class(**EXTENDED)],
            dra.CANNOT,
            id="a node with none of its own is",
        ),
        pytest.param(
            asking("deviceclass.resource.kubernetes.io/gpu", "1"),
            [a_node(), a_class(), a_slice(*TWO)],
            (),
            id="by the name of the class",
        ),
        pytest.param(
            asking("example.com/gpu", "1", {"name": "i", "resources": {"requests": {"example.com/none": "1"}}}),
            [a_node(), a_class(**EXTENDED), a_slice(*TWO)],
            dra.UNOFFERED,
            id="beside something that nobody has",
        ),
        pytest.param(
            asking("example.com/gpu", "1", {"name": "i", "resources": {"requests": {"example.com/gpu": "2"}}}),
            [a_node(), a_class(**EXTENDED), a_slice(*TWO)],
            (),
            id="an init container uses the others' devices too",
        ),
        pytest.param(
            asking("example.com/gpu", "1", {"name": "i", "resources": {"requests": {"example.com/gpu": "3"}}}),
            [a_node(), a_class(**EXTENDED), a_slice(*TWO)],
            dra.CANNOT,
            id="and may still need more",
        ),
        pytest.param(
            asking("example.com/gpu", "1"), [a_node(), a_class()], (), id="a resource that is none of our business"
        ),
    ],
)
def test_extended_resources_that_devices_stand_behind(
    pod: Object, objects: list[Object], expected: tuple[str, ...]
) -> None:
    assert reasons(ask("DynamicResources", pod, *objects)) == expected


def test_a_shortfall_tells_what_each_request_finds_and_who_has_it() -> None:
    claim = a_claim(exactly(2, "device.attributes['gpu.example.com'].model == 'A'"), first_of(exactly(9)))
    devices = (TWO[0], a_device("d2", attributes={"model": "A"}, taints=BAD), TWO[1])
    failure = ask_of(POD, claim, a_slice(*devices), held("d0"), a_slice(pool="n9", slices=2))
    assert failure is not None
    picked, choice = failure.detail.found()
    assert (picked.request, picked.wanted, picked.offered, picked.selected, picked.tainted, picked.free) == (
        "r0",
        2,
        3,
        2,
        1,
        0,
    )
    assert [(str(device), who) for device, who in picked.held] == [(f"{DRIVER}/n1/d0", "default/other")]
    assert (choice.request, choice.wanted, choice.selected) == ("r1/s0", 9, 3)
    assert failure.detail.unusable == ((f"{DRIVER}/n9", "some of its slices are missing"),)


@pytest.mark.parametrize(
    ("user", "text"),
    [
        pytest.param("", dra.GIVEN_BACK, id="devices that nobody uses are given back"),
        pytest.param("p", dra.GIVEN_BACK, id="devices that only this pod uses are given back"),
        pytest.param("q", dra.STILL_NOT, id="devices that another pod uses are not"),
    ],
)
def test_the_last_word(user: str, text: str) -> None:
    view = a_view_of(a_node(), POD, held("d0", name="c", at="n2", user=user))
    state, one = State(view), the_filter("DynamicResources")
    pod = view.pods["default/p"]
    data = one.prefilter(pod, state).data
    assert one.filter
    assert one.postfilter
    failure = one.filter(pod, state.info("n1"), data, state)
    assert failure is not None
    assert one.postfilter(pod, state, data, [failure]) == text
    assert one.postfilter(pod, state, data, []) == dra.STILL_NOT
    assert one.postfilter(pod, state, None, []) == dra.NO_CLAIMS

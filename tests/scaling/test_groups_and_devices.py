"""Groups that have a rack for themselves, and devices of claims that are made for each pod."""

from typing import Any

import pytest

from bot.scaling.devices_said import devices
from bot.scaling.more import Up
from bot.scaling.objections import unknown
from bot.scaling.preview import Preview
from tests.scaling.building import Object, deployment, node, pod, pod_spec, previewed, running, view_of

LWS = "leaderworkerset.sigs.k8s.io/"
DRIVER = "gpu.nvidia.com"


# ---- groups ----------------------------------------------------------------------------------------------------------


def _racks(*sizes: int) -> list[Object]:
    """Nodes of eight GPUs, so many in each rack."""
    return [
        node(f"r{rack}-{number}", labels={"rack": f"r{rack}"})
        for rack, size in enumerate(sizes)
        for number in range(size)
    ]


def _lws(replicas: int, **annotations: str) -> Object:
    template = {"metadata": {"labels": {"app": "glm"}}, "spec": pod_spec(8)}
    return {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "metadata": {"name": "glm", "namespace": "llm", "uid": "lws", "annotations": annotations},
        "spec": {"replicas": replicas, "leaderWorkerTemplate": {"size": 2, "workerTemplate": template}},
    }


def _member(worker: int, on: str, rack: str) -> Object:
    """Of group 0, as the webhook of LeaderWorkerSet makes it for a rack of its own."""
    key = LWS + "group-key"
    own = {"matchExpressions": [{"key": key, "operator": "In", "values": ["abc"]}]}
    others = {
        "matchExpressions": [{"key": key, "operator": "Exists"}, {"key": key, "operator": "NotIn", "values": ["abc"]}]
    }
    terms = "requiredDuringSchedulingIgnoredDuringExecution"
    apart = {
        "podAffinity": {terms: [{"topologyKey": "rack", "labelSelector": own}]},
        "podAntiAffinity": {terms: [{"topologyKey": "rack", "labelSelector": others}]},
    }
    spec = pod_spec(8, **({"nodeSelector": {"rack": rack}} if worker else {"affinity": apart}))
    name = f"glm-0-{worker}" if worker else "glm-0"
    labels = {LWS + "name": "glm", LWS + "group-index": "0", LWS + "worker-index": str(worker), key: "abc"}
    owner = {
        "apiVersion": "apps/v1",
        "kind": "StatefulSet",
        "metadata": {"name": "glm", "namespace": "llm", "uid": "sts"},
        "spec": {"template": {"metadata": {"labels": labels}, "spec": spec}},
    }
    return pod(owner, name, on)


def _groups(*objects: Object, wanted: int) -> Up:
    up = previewed(view_of(*objects), wanted, kind="LeaderWorkerSet").up
    assert up is not None
    return up


@pytest.mark.parametrize(
    ("sizes", "starts"),
    [
        pytest.param((2, 2, 2), 2, id="one in each rack that is left"),
        pytest.param((4, 2), 1, id="what is left of its own rack stays empty"),
        pytest.param((2, 1, 1), 0, id="no other rack is large enough"),
    ],
)
def test_a_group_has_a_rack_for_itself(sizes: tuple[int, ...], starts: int) -> None:
    lws = _lws(1, **{LWS + "exclusive-topology": "rack"})
    up = _groups(*_racks(*sizes), lws, _member(0, "r0-0", "r0"), _member(1, "r0-1", "r0"), wanted=4)
    assert (up.starts, up.waits) == (starts, 3 - starts)
    assert not {one for one in up.placing.nodes if one.startswith("r0")}


def test_groups_from_none_have_racks_for_themselves_too() -> None:
    up = _groups(*_racks(4, 3, 1), _lws(0, **{LWS + "exclusive-topology": "rack"}), wanted=4)
    assert up.starts == 2
    assert _groups(*_racks(4, 3, 1), _lws(0), wanted=4).starts == 4


# ---- devices ---------------------------------------------------------------------------------------------------------


def _slice(on: str, number: int) -> Object:
    offered = [{"name": f"gpu-{index}", "attributes": {"type": {"string": "gpu"}}} for index in range(number)]
    pool = {"name": on, "generation": 1, "resourceSliceCount": 1}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": on},
        "spec": {"driver": DRIVER, "nodeName": on, "pool": pool, "devices": offered},
    }


def _named(kind: str, name: str, spec: dict[str, Any], namespace: str = "") -> Object:
    place = {"namespace": namespace} if namespace else {}
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "metadata": {"name": name, **place}, "spec": spec}


CLASS = _named("DeviceClass", DRIVER, {"selectors": [{"cel": {"expression": f"device.driver == '{DRIVER}'"}}]})


def _asking(count: int) -> dict[str, Any]:
    return {"devices": {"requests": [{"name": "gpu", "exactly": {"deviceClassName": DRIVER, "count": count}}]}}


def _template(count: int) -> Object:
    return _named("ResourceClaimTemplate", "some", {"spec": _asking(count)}, "llm")


def _with_claim(**claim: str) -> Object:
    return deployment(replicas=0, gpus=0, resourceClaims=[{"name": "gpu", **claim}])


def _told(*objects: Object, wanted: int) -> Preview:
    nodes = [node("gpu-1", gpus=0), node("gpu-2", gpus=0)]
    return previewed(view_of(*nodes, _slice("gpu-1", 4), _slice("gpu-2", 3), CLASS, *objects), wanted)


@pytest.mark.parametrize(("count", "starts"), [(1, 7), (2, 3), (3, 2), (4, 1), (5, 0)])
def test_each_pod_gets_devices_of_its_own(count: int, starts: int) -> None:
    told = _told(_template(count), _with_claim(resourceClaimTemplateName="some"), wanted=8)
    assert told.up is not None
    assert (told.up.starts, told.up.waits) == (starts, 8 - starts)
    assert told.gpus_each == count


def test_one_claim_for_all_keeps_them_on_one_node() -> None:
    shared = _named("ResourceClaim", "shared", _asking(1), "llm")
    told = _told(shared, _with_claim(resourceClaimName="shared"), wanted=3)
    assert told.up is not None
    assert told.up.starts == 3
    assert len(set(told.up.placing.nodes)) == 1


def test_the_cluster_itself_stays_as_it_is() -> None:
    view = view_of(
        node("gpu-1", gpus=0), _slice("gpu-1", 4), CLASS, _template(2), _with_claim(resourceClaimTemplateName="some")
    )
    previewed(view, 2)
    assert not view.resourceclaims
    assert not view.devices.holders


def test_a_template_of_claims_that_is_not_there_is_said_to_be_left_out() -> None:
    told = _told(_with_claim(resourceClaimTemplateName="some"), wanted=1)
    assert any("`some`" in one for one in unknown(told))


# ---- words -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("resource", "words"),
    [
        pytest.param("nvidia.com/gpu", "4 GPUs", id="whole ones"),
        pytest.param("habana.ai/gaudi", "4 GPUs", id="of another vendor"),
        pytest.param("nvidia.com/mig-3g.40gb", "4 `nvidia.com/mig-3g.40gb`", id="slices"),
        pytest.param("nvidia.com/gpu.shared", "4 `nvidia.com/gpu.shared`", id="shares"),
        pytest.param("example.com/nic", "", id="no GPU at all"),
    ],
)
def test_devices_in_words(resource: str, words: str) -> None:
    limits = {"limits": {resource: "2"}, "requests": {resource: "2"}}
    objects = running(["gpu-1"], containers=[{"name": "engine", "image": "x", "resources": limits}])
    assert devices(previewed(view_of(node("gpu-1"), *objects), 2), 2) == words

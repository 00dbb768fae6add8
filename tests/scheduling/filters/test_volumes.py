"""The four volume filters, a sentence at a time."""

from typing import Any

import pytest

from bot.scheduling.filters import node_volume_limits, volume_binding, volume_restrictions, volume_zone
from bot.scheduling.framework import Code
from bot.scheduling.state import State
from bot.scheduling.volumes.provisioning import Obstacle
from tests.scheduling.filters.objects import (
    a_claim,
    a_class,
    a_csi_node,
    a_node,
    a_pod,
    a_view_of,
    a_volume,
    an_object,
    ask,
    by_claim,
    reasons,
    the_filter,
)

ONE_POD = {"accessModes": ["ReadWriteOncePod"]}
DRIVER = an_object("CSIDriver", "disk.example.com", spec={"storageCapacity": True})
BAD = "no-such-thing"


def a_disk(kind: str, name: str = "d", **fields: Any) -> dict[str, Any]:
    return {"name": name, kind: fields}


def a_room(size: str, zone: str = "a", **fields: Any) -> dict[str, Any]:
    topology = {"matchLabels": {"topology.kubernetes.io/zone": zone}}
    fields = {"storageClassName": "later", "capacity": size, "nodeTopology": topology} | fields
    return an_object("CSIStorageCapacity", f"room-{size}-{zone}".lower(), namespace="default", **fields)


def selected(node: str) -> dict[str, Any]:
    return {"annotations": {"volume.kubernetes.io/selected-node": node}}


def an_attachment(volume: str, node: str = "n1", attacher: str = "disk.example.com") -> dict[str, Any]:
    spec = {"attacher": attacher, "nodeName": node, "source": {"persistentVolumeName": volume}}
    return an_object("VolumeAttachment", f"attach-{volume}", spec=spec)


ZONE_A, ZONE_B = ({"topology.kubernetes.io/zone": zone} for zone in "ab")
LATER = (a_node(labels=ZONE_A), a_pod("p", by_claim("c")), a_class())
TOPOLOGY = [{"matchLabelExpressions": [{"key": "topology.kubernetes.io/zone", "values": ["b"]}]}]


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([a_pod("p"), a_node()], (), id="a pod without volumes goes anywhere"),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c"))],
            ('persistentvolumeclaim "c" not found',),
            id="a claim that is missing",
        ),
        pytest.param(
            [a_node(), a_pod("p", {"name": "v", "ephemeral": {}})],
            ('waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',),
            id="a claim that is still to be made",
        ),
        pytest.param(
            [a_node(), a_pod("p", {"name": "v", "ephemeral": {}}), a_claim("p-v", volume="v")],
            ("PVC default/p-v was not created for pod default/p (pod is not owner)",),
            id="somebody else's claim by the same name",
        ),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c")), a_claim(volume="v", phase="Lost")],
            ('persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',),
            id="a claim that lost its volume",
        ),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c")), a_claim(volume="v", metadata={"deletionTimestamp": "now"})],
            ('persistentvolumeclaim "c" is being deleted',),
            id="a claim on its way out",
        ),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c")), a_claim(storage_class="now"), a_class("now", mode="Immediate")],
            (volume_binding.UNBOUND,),
            id="a claim that should be bound by now",
        ),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c")), a_claim(storage_class=BAD)],
            (volume_binding.UNBOUND,),
            id="a claim of a class that does not exist",
        ),
        pytest.param(
            [*LATER, a_claim(spec={"volumeName": "v"})], (volume_binding.UNBOUND,), id="a binding that is not completed"
        ),
        pytest.param([a_node(), a_pod("p", by_claim("c")), a_claim(volume="v"), a_volume()], (), id="a bound volume"),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c")), a_claim(volume="v"), a_volume(host="n2")],
            (volume_binding.NOT_REACHABLE,),
            id="a volume of another node",
        ),
        pytest.param(
            [a_node(), a_pod("p", by_claim("c")), a_claim(volume="v")],
            (volume_binding.NO_VOLUME,),
            id="a volume that is gone",
        ),
        pytest.param([*LATER, a_claim()], (), id="a volume can be made"),
        pytest.param(
            [*LATER[:2], a_class(provisioner="kubernetes.io/no-provisioner"), a_claim()],
            (volume_binding.NONE_FOUND,),
            id="a class that makes none",
        ),
        pytest.param(
            [*LATER[:2], a_class(allowedTopologies=TOPOLOGY), a_claim()],
            (volume_binding.NONE_FOUND,),
            id="a class that makes none in this zone",
        ),
        pytest.param(
            [*LATER[:2], a_class(allowedTopologies=[{}]), a_claim()],
            (volume_binding.NONE_FOUND,),
            id="an empty topology allows nothing",
        ),
        pytest.param([*LATER, a_claim(), DRIVER, a_room("10Gi")], (), id="just enough storage is left"),
        pytest.param([*LATER, a_claim(), DRIVER, a_room("9Gi")], (volume_binding.NO_ROOM,), id="too little is left"),
        pytest.param(
            [*LATER, a_claim(), DRIVER, a_room("9Gi"), a_room("90Gi", "b")],
            (volume_binding.NO_ROOM,),
            id="what is left in another zone does not count",
        ),
        pytest.param(
            [*LATER, a_claim(), DRIVER, a_room("100Gi", maximumVolumeSize="5Gi")],
            (volume_binding.NO_ROOM,),
            id="the largest volume counts before what is left in all",
        ),
        pytest.param(
            [*LATER, a_claim(), DRIVER], (volume_binding.NO_ROOM,), id="a driver that says nothing has nothing"
        ),
        pytest.param([*LATER, a_claim(metadata=selected("n1"))], (), id="a volume that is being made for this node"),
        pytest.param(
            [*LATER, a_claim(metadata=selected("n2"))],
            (volume_binding.NONE_FOUND,),
            id="a volume that is being made for another node",
        ),
        pytest.param(
            [*LATER[:2], a_class(provisioner=""), a_claim(), a_volume(phase="Available")], (), id="a volume is found"
        ),
        *[
            pytest.param(
                [*LATER[:2], a_class(provisioner=""), a_claim(**claim), a_volume(**({"phase": "Available"} | volume))],
                (volume_binding.NONE_FOUND,),
                id=name,
            )
            for name, claim, volume in (
                ("a volume that is too small", {}, {"size": "9Gi"}),
                ("a volume of another node cannot be found", {}, {"host": "n2"}),
                ("a volume of another mode", {}, {"volumeMode": "Block"}),
                ("a volume that is kept for another claim", {}, {"claimRef": {"namespace": "default", "name": "x"}}),
                ("a volume that is not available", {}, {"phase": "Released"}),
                ("a volume without the labels", {"spec": {"selector": {"matchLabels": {"a": "b"}}}}, {}),
                ("a volume without the access mode", {"spec": {"accessModes": ["ReadWriteMany"]}}, {}),
                ("a volume with other attributes", {"spec": {"volumeAttributesClassName": "fast"}}, {}),
            )
        ],
    ],
)
def test_volume_binding(objects: list[dict[str, Any]], expected: tuple[str, ...]) -> None:
    failure = ask("VolumeBinding", *objects)
    assert reasons(failure) == expected
    assert failure is None or failure.code is Code.UNRESOLVABLE


def test_each_claim_takes_a_volume_of_its_own_and_the_smallest_that_will_do() -> None:
    both = a_pod("p", by_claim("c"), by_claim("d"))
    claims = (a_claim("c", size="20Gi"), a_claim("d"))
    volumes = [a_volume(f"v{size}", size=f"{size}Gi", phase="Available") for size in (30, 12)]
    where = (a_node(), both, a_class(provisioner=""), *claims)
    assert ask("VolumeBinding", *where, *volumes) is None
    assert reasons(ask("VolumeBinding", *where, volumes[0])) == (volume_binding.NONE_FOUND,)


def test_the_detail_names_claim_volume_and_what_is_in_the_way() -> None:
    gone = ask("VolumeBinding", a_node(), a_pod("p", by_claim("c")), a_claim(volume="v"), a_volume(host="n2"))
    full = ask("VolumeBinding", *LATER, a_claim(), DRIVER, a_room("9Gi"))
    assert gone is not None
    assert full is not None
    assert (gone.detail[0].claim, gone.detail[0].volume) == ("c", "v")
    assert (full.detail[0].unmade.why, full.detail[0].unmade.largest) == (Obstacle.CAPACITY, 9 * 2**30)


@pytest.mark.parametrize(
    ("mine", "theirs", "conflict"),
    [
        pytest.param(
            a_disk("gcePersistentDisk", pdName="x"), a_disk("gcePersistentDisk", pdName="x"), True, id="one disk twice"
        ),
        pytest.param(
            a_disk("gcePersistentDisk", pdName="x", readOnly=True),
            a_disk("gcePersistentDisk", pdName="x", readOnly=True),
            False,
            id="both only read",
        ),
        pytest.param(
            a_disk("gcePersistentDisk", pdName="x", readOnly=True),
            a_disk("gcePersistentDisk", pdName="x"),
            True,
            id="one of them writes",
        ),
        pytest.param(
            a_disk("awsElasticBlockStore", volumeID="x", readOnly=True),
            a_disk("awsElasticBlockStore", volumeID="x", readOnly=True),
            True,
            id="disks of Amazon are for one, even to read",
        ),
        pytest.param(a_disk("iscsi", iqn="x"), a_disk("iscsi", iqn="x"), True, id="one iSCSI target"),
        pytest.param(a_disk("iscsi", iqn="x"), a_disk("iscsi", iqn="y"), False, id="two iSCSI targets"),
        pytest.param(
            a_disk("rbd", image="x", monitors=["a", "b"]),
            a_disk("rbd", image="x", monitors=["b"]),
            True,
            id="one image",
        ),
        pytest.param(
            a_disk("rbd", image="x", monitors=["a"]),
            a_disk("rbd", image="x", monitors=["b"]),
            False,
            id="one image of two Cephs",
        ),
        pytest.param(
            a_disk("rbd", image="x", monitors=["a"]),
            a_disk("rbd", image="x", monitors=["a"], pool="other"),
            False,
            id="one image of two pools",
        ),
        pytest.param(
            a_disk("azureDisk", diskName="x"),
            a_disk("azureDisk", diskName="x"),
            False,
            id="a kind that is not looked at",
        ),
    ],
)
def test_disks_that_one_node_may_not_mount_twice(mine: dict[str, Any], theirs: dict[str, Any], conflict: bool) -> None:
    failure = ask("VolumeRestrictions", a_node(), a_pod("p", mine), a_pod("q", theirs, node="n1"))
    assert reasons(failure) == (volume_restrictions.NO_DISK if conflict else ())
    assert failure is None or (failure.code, failure.detail.holder) == (Code.UNSCHEDULABLE, "default/q")


def test_a_claim_for_one_pod_is_in_use_wherever_its_user_is_until_that_one_goes() -> None:
    user = a_pod("q", by_claim("c"), node="n2")
    view = a_view_of(a_node(), a_node("n2"), a_pod("p", by_claim("c")), user, a_claim(volume="v", spec=ONE_POD))
    state, one = State(view), the_filter("VolumeRestrictions")
    waiting, other = view.pods["default/p"], view.pods["default/q"]
    data = one.prefilter(waiting, state).data
    assert one.filter
    assert one.copy
    assert one.update
    failure = one.filter(waiting, state.info("n1"), data, state)
    assert reasons(failure) == volume_restrictions.IN_USE
    assert failure is not None
    assert failure.detail == volume_restrictions.ClaimInUse(("c",), ("default/q",))
    without = one.copy(data)
    one.update(without, waiting, other, view.nodes["n2"], -1)
    assert one.filter(waiting, state.info("n2"), without, state) is None
    assert one.filter(waiting, state.info("n2"), data, state) is not None


def test_a_claim_for_many_is_not_in_use() -> None:
    user = a_pod("q", by_claim("c"), node="n1")
    assert ask("VolumeRestrictions", a_node(), a_pod("p", by_claim("c")), user, a_claim(volume="v")) is None


BOUND = (a_pod("p", by_claim("c")), a_claim(volume="v"), a_volume())
FULL = (a_pod("q", by_claim("d"), node="n1"), a_claim("d", volume="w"), a_volume("w"))
MOVED = {"gcePersistentDisk": {"pdName": "x"}}


@pytest.mark.parametrize(
    ("objects", "exceeded"),
    [
        pytest.param([*BOUND, *FULL, a_csi_node(most=1)], True, id="one more than the node attaches"),
        pytest.param([*BOUND, *FULL, a_csi_node(most=2)], False, id="as many as the node attaches"),
        pytest.param([*BOUND, *FULL, a_csi_node()], False, id="no limit"),
        pytest.param([*BOUND, *FULL], False, id="a node that says nothing of drivers"),
        pytest.param(
            [*BOUND, a_pod("q", by_claim("c"), node="n1"), a_csi_node(most=1)], False, id="a volume counts once"
        ),
        pytest.param(
            [*BOUND, a_volume("w"), an_attachment("w"), a_csi_node(most=1)], True, id="an attachment of nobody counts"
        ),
        pytest.param(
            [*BOUND, *FULL, an_attachment("w"), a_csi_node(most=2)], False, id="an attachment of a pod counts once"
        ),
        pytest.param(
            [*BOUND, a_volume("w"), an_attachment("w", node="n2"), a_csi_node(most=1)],
            False,
            id="an attachment elsewhere does not count",
        ),
        pytest.param(
            [a_pod("p", by_claim("c")), a_claim(), a_class(), *FULL, a_csi_node(most=1)],
            True,
            id="a volume that is still to be made counts",
        ),
        pytest.param(
            [*BOUND, a_pod("q", by_claim("gone"), node="n1"), a_csi_node(most=1)],
            False,
            id="a missing claim of another pod does not count",
        ),
        pytest.param(
            [a_pod("p", {"name": "d", **MOVED}), a_csi_node(most=0)], False, id="another driver's limit is no limit"
        ),
    ],
)
def test_volumes_that_a_node_attaches(objects: list[dict[str, Any]], exceeded: bool) -> None:
    failure = ask("NodeVolumeLimits", a_node(), *objects)
    assert reasons(failure) == (node_volume_limits.EXCEEDED if exceeded else ())
    assert failure is None or failure.code is Code.UNSCHEDULABLE


def test_in_tree_disks_are_counted_for_the_driver_that_took_over() -> None:
    limits = {"drivers": [{"name": "pd.csi.storage.gke.io", "nodeID": "n1", "allocatable": {"count": 1}}]}
    used = a_pod("q", {"name": "d", "gcePersistentDisk": {"pdName": "y"}}, node="n1")
    objects = (a_node(), a_pod("p", {"name": "d", **MOVED}), an_object("CSINode", "n1", spec=limits))
    assert ask("NodeVolumeLimits", *objects) is None
    failure = ask("NodeVolumeLimits", *objects, used)
    assert failure is not None
    assert failure.detail == node_volume_limits.Limit("pd.csi.storage.gke.io", 1, 1, 1)


@pytest.mark.parametrize(
    ("labels", "zone", "fits"),
    [
        pytest.param(ZONE_A, "a", True, id="the volume's zone"),
        pytest.param(ZONE_B, "a", False, id="another zone"),
        pytest.param(ZONE_B, "a__b", True, id="one of the volume's zones"),
        pytest.param({}, "a", True, id="a node that says nothing of zones"),
        pytest.param({"topology.kubernetes.io/region": "r"}, "a", False, id="a node that says its region only"),
        pytest.param(ZONE_A, "b__c", False, id="none of the volume's zones"),
        pytest.param(ZONE_B, "a__", True, id="a label that cannot be read is no label"),
        pytest.param(ZONE_B, "", True, id="a volume without a zone"),
    ],
)
def test_zones_of_volumes(labels: dict[str, str], zone: str, fits: bool) -> None:
    failure = ask(
        "VolumeZone", a_node(labels=labels), a_pod("p", by_claim("c")), a_claim(volume="v"), a_volume(zone=zone)
    )
    assert reasons(failure) == (() if fits else volume_zone.NO_ZONE)


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        pytest.param([], 'persistentvolumeclaim "c" not found', id="no claim"),
        pytest.param([a_claim(volume="v")], 'persistentvolume "v" not found', id="no volume"),
        pytest.param(
            [a_claim(storage_class="")],
            "PersistentVolumeClaim had no pv name and storageClass name",
            id="a claim that says nothing",
        ),
        pytest.param([a_claim()], 'storageclass.storage.k8s.io "later" not found', id="no class"),
        pytest.param([a_claim(), a_class(mode="Immediate")], "PersistentVolume had no name", id="no volume yet"),
        pytest.param([a_claim(), a_class()], "", id="a volume that waits for the pod"),
    ],
)
def test_volume_zone_asks_before_any_node(objects: list[dict[str, Any]], reason: str) -> None:
    failure = ask("VolumeZone", a_node(), a_pod("p", by_claim("c")), *objects)
    assert reasons(failure) == ((reason,) if reason else ())


def test_a_disk_of_a_moved_plugin_is_looked_for_by_the_driver_s_own_label() -> None:
    terms = [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}]
    affinity = {"required": {"nodeSelectorTerms": terms}}
    volume = a_volume(source={"awsElasticBlockStore": {"volumeID": "x"}, "nodeAffinity": affinity})
    moved = a_csi_node(annotations={"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/aws-ebs"})
    pod, claim = a_pod("p", by_claim("c")), a_claim(volume="v")
    new = a_node(labels={"topology.ebs.csi.aws.com/zone": "a"})
    assert ask("VolumeBinding", a_node(labels=ZONE_A), pod, claim, volume) is None
    assert ask("VolumeBinding", a_node(labels=ZONE_A), pod, claim, volume, a_csi_node()) is None
    assert ask("VolumeBinding", a_node(labels=ZONE_A), pod, claim, volume, moved) is not None
    assert ask("VolumeBinding", new, pod, claim, volume, moved) is None


def test_a_disk_of_azure_is_looked_for_as_it_says_itself() -> None:
    terms = [{"matchExpressions": [{"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["a"]}]}]
    affinity = {"required": {"nodeSelectorTerms": terms}}
    volume = a_volume(source={"azureDisk": {"diskName": "x", "diskURI": "/x"}, "nodeAffinity": affinity})
    moved = a_csi_node(annotations={"storage.alpha.kubernetes.io/migrated-plugins": "kubernetes.io/azure-disk"})
    pod, claim = a_pod("p", by_claim("c")), a_claim(volume="v")
    own = a_node(labels={"topology.disk.csi.azure.com/zone": "a"})
    assert ask("VolumeBinding", a_node(labels=ZONE_A), pod, claim, volume, moved) is None
    assert ask("VolumeBinding", own, pod, claim, volume, moved) is not None


@pytest.mark.parametrize(
    ("source", "zone", "error"),
    [
        pytest.param(
            {"gcePersistentDisk": {"pdName": "x"}},
            "eu-west-a__eu-north-a",
            "failed to get region from zones: multiple or no regions gotten from zones, "
            "got: map[eu-north:{} eu-west:{}]",
            id="a disk of two regions",
        ),
        pytest.param(
            {"awsElasticBlockStore": {"volumeID": "aws://eu-north-a/x"}},
            "",
            "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://eu-north-a/x)",
            id="a disk that no name is right for",
        ),
    ],
)
def test_a_disk_that_its_driver_would_not_know(source: dict[str, Any], zone: str, error: str) -> None:
    volume = a_volume(source=source, zone=zone)
    plugins = "kubernetes.io/gce-pd,kubernetes.io/aws-ebs"
    moved = a_csi_node(annotations={"storage.alpha.kubernetes.io/migrated-plugins": plugins})
    failure = ask("VolumeBinding", a_node(), a_pod("p", by_claim("c")), a_claim(volume="v"), volume, moved)
    assert failure is not None
    assert error in " ".join(reasons(failure))

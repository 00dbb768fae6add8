"""Disks that are named without a CSI driver, of which some have been taken over by one, and attachments."""

from typing import NamedTuple

from tests.judge.making.world import Object, World, name_of


class Moved(NamedTuple):
    """The in-tree plugin that a CSI driver took over; `zone` is the driver's own label, where it has one."""

    plugin: str
    driver: str
    zone: str = ""


MOVED = {
    "gcePersistentDisk": Moved("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "topology.gke.io/zone"),
    "awsElasticBlockStore": Moved("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "topology.ebs.csi.aws.com/zone"),
    "azureDisk": Moved("kubernetes.io/azure-disk", "disk.csi.azure.com", "topology.disk.csi.azure.com/zone"),
    "cinder": Moved("kubernetes.io/cinder", "cinder.csi.openstack.org", "topology.cinder.csi.openstack.org/zone"),
    "portworxVolume": Moved("kubernetes.io/portworx-volume", "pxd.portworx.com"),
}
EXCLUSIVE = ("gcePersistentDisk", "awsElasticBlockStore", "iscsi", "rbd")
"""Of these one node mounts the same disk once only, or several times where all only read."""


def source(world: World, kind: str, disk: str) -> Object:
    """The field of a volume that names the disk."""
    only_reads = world.draw.maybe(0.4, readOnly=True)
    forms: dict[str, Object] = {
        "gcePersistentDisk": {"pdName": disk, **only_reads},
        "awsElasticBlockStore": {"volumeID": _on_amazon(world, disk), **only_reads},
        "azureDisk": {"diskName": disk, "diskURI": f"/subscriptions/s/disks/{disk}", "kind": "Managed", **only_reads},
        "cinder": {"volumeID": disk, **only_reads},
        "portworxVolume": {"volumeID": disk},
        "iscsi": {"targetPortal": "10.0.0.9", "iqn": f"iqn.2026-01.com.example:{disk}", "lun": 0, **only_reads},
        "rbd": {"monitors": world.draw.some(("10.0.0.7", "10.0.0.8"), 2), "image": disk, **only_reads},
    }
    return {kind: forms[kind]}


def _on_amazon(world: World, disk: str) -> str:
    """The last form is none that the driver knows."""
    forms = {f"vol-{disk}": 4.0, f"aws://eu-north-a/vol-{disk}": 4.0, f"aws://eu-north-a/{disk}": 0.5}
    return world.draw.by_weight(forms)


def inline(world: World) -> Object:
    """A disk that the pod itself names: few different ones, so that pods meet."""
    kind = world.draw.one((*EXCLUSIVE, *EXCLUSIVE, *MOVED))
    return source(world, kind, world.draw.one(("d1", "d2", "d3")))


def attach(world: World, volume: Object) -> None:
    """Somewhere, whether a pod there uses it or not."""
    for kind, moved in MOVED.items():
        if kind in volume["spec"]:
            driver = moved.driver
            break
    else:
        driver = volume["spec"].get("csi", {}).get("driver", "")
    if driver:
        world.add(
            "storage.k8s.io/v1",
            "VolumeAttachment",
            world.name("attached"),
            spec={
                "attacher": driver,
                "nodeName": name_of(world.any_node()),
                "source": {"persistentVolumeName": name_of(volume)},
            },
            status={"attached": world.draw.chance(0.8)},
        )

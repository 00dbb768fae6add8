"""Volumes of a pod that the scheduler has to think about: kubernetes/api:core/v1/types.go (VolumeSource).

All others, such as config maps and empty directories, are left out.
"""

import msgspec

from bot.adapters.cluster.wire import Wire
from bot.domain.pod_spec import Disk, Volume


class WireClaimSource(Wire):
    """persistentVolumeClaim."""

    claim_name: str = ""


class WireEphemeral(Wire):
    """A volume for which a claim is made; that it is one is enough."""


class WireCsi(Wire):
    """csi."""

    driver: str = ""


class WireDisk(Wire):
    """Any of the sources that name a disk: each has another field for its name."""

    pd_name: str | None = ""
    volume_id: str | None = msgspec.field(name="volumeID", default="")
    disk_name: str | None = ""
    iqn: str | None = ""
    image: str | None = ""
    pool: str | None = "rbd"
    monitors: list[str] | None = None
    volume_path: str | None = ""
    share_name: str | None = ""
    read_only: bool | None = False

    @property
    def id(self) -> str:
        names = (self.pd_name, self.volume_id, self.disk_name, self.iqn, self.image, self.volume_path, self.share_name)
        return next(filter(None, names), "")


class WireVolume(Wire):
    """One volume."""

    name: str = ""
    persistent_volume_claim: WireClaimSource | None = None
    ephemeral: WireEphemeral | None = None
    csi: WireCsi | None = None
    gce_persistent_disk: WireDisk | None = None
    aws_elastic_block_store: WireDisk | None = None
    azure_disk: WireDisk | None = None
    azure_file: WireDisk | None = None
    cinder: WireDisk | None = None
    vsphere_volume: WireDisk | None = None
    portworx_volume: WireDisk | None = None
    iscsi: WireDisk | None = None
    rbd: WireDisk | None = None


DISKS = (
    ("gcePersistentDisk", "gce_persistent_disk"),
    ("awsElasticBlockStore", "aws_elastic_block_store"),
    ("azureDisk", "azure_disk"),
    ("azureFile", "azure_file"),
    ("cinder", "cinder"),
    ("vsphereVolume", "vsphere_volume"),
    ("portworxVolume", "portworx_volume"),
    ("iscsi", "iscsi"),
    ("rbd", "rbd"),
)


_TOKEN = b'"name":"kube-api-access-'
_volumes = msgspec.json.Decoder(list[WireVolume] | None)


def alike(raw: msgspec.Raw) -> tuple[bytes, bytes]:
    """What pods of a template have in common: all but the random name of the volume for the account's token."""
    head, token, rest = bytes(raw).partition(_TOKEN)
    return (head, rest[rest.find(b'"') :]) if token else (head, rest)


def volumes(raw: msgspec.Raw) -> tuple[Volume, ...]:
    """Those with a claim, an inline driver or a disk. Raises msgspec.DecodeError."""
    return tuple([volume for wire in _volumes.decode(raw) or () if (volume := _volume(wire)) is not None])


def claimed(known: tuple[Volume, ...], pod: str) -> tuple[Volume, ...]:
    """Claims of ephemeral volumes are called after their pod: kubernetes/component-helpers:storage/ephemeral."""
    return tuple([Volume(one.name, f"{pod}-{one.name}", ephemeral=True) if one.ephemeral else one for one in known])


def _volume(wire: WireVolume) -> Volume | None:
    if wire.persistent_volume_claim is not None:
        return Volume(wire.name, claim=wire.persistent_volume_claim.claim_name)
    if wire.ephemeral is not None:
        return Volume(wire.name, ephemeral=True)
    if wire.csi is not None:
        return Volume(wire.name, csi_driver=wire.csi.driver)
    found = disk(wire)
    return None if found is None else Volume(wire.name, disk=found)


def disk(wire: WireVolume) -> Disk | None:
    """The disk that a volume names itself; those of a cluster have the same fields."""
    for kind, field in DISKS:
        one: WireDisk | None = getattr(wire, field)
        if one is not None:
            return Disk(kind, one.id, bool(one.read_only), one.pool or "", frozenset(one.monitors or ()))
    return None

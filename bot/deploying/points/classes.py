"""What storage classes can make, by the driver behind them: volumes that many nodes mount, or that one does.

https://kubernetes.io/docs/concepts/storage/persistent-volumes/#access-modes and https://kubernetes-csi.github.io/docs/drivers.html
"""

from bot.deploying.manifests.claim import MANY
from bot.domain.view import View

_FOR_MANY = (
    "beegfs.csi.netapp.com",
    "cephfs.csi.ceph.com",
    "csi.juicefs.com",
    "csi.vastdata.com",
    "csi.weka.io",
    "driver.longhorn.io",
    "efs.csi.aws.com",
    "exa.csi.ddn.com",
    "file.csi.azure.com",
    "filestore.csi.storage.gke.io",
    "fsx.csi.aws.com",
    "lustre.csi.storage.gke.io",
    "nasplugin.csi.alibabacloud.com",
    "nfs.csi.k8s.io",
    "spectrumscale.csi.ibm.com",
)
_FOR_ONE = (
    "cinder.csi.openstack.org",
    "disk.csi.azure.com",
    "diskplugin.csi.alibabacloud.com",
    "ebs.csi.aws.com",
    "kubernetes.io/aws-ebs",
    "kubernetes.io/azure-disk",
    "kubernetes.io/gce-pd",
    "local.csi.openebs.io",
    "pd.csi.storage.gke.io",
    "rancher.io/local-path",
    "rbd.csi.ceph.com",
    "topolvm.io",
)


def for_many(view: View, name: str) -> bool | None:
    """Whether its volumes are mounted by many nodes; None: neither its driver nor a volume that is there tells."""
    driver = view.storageclasses[name].provisioner
    if driver.endswith(_FOR_MANY) or _there(view, name):  # ceph's have the cluster's name before them
        return True
    return False if driver.endswith(_FOR_ONE) else None


def _there(view: View, name: str) -> bool:
    claims = view.persistentvolumeclaims.values()
    return any(one.bound and one.storage_class == name and one.access_modes & MANY for one in claims)

"""Which kinds the cluster serves: one row a resource, and nothing else anywhere decides it.

Rows follow `kubectl api-resources` and the REST storage of kubernetes/kubernetes:pkg/registry.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

# apiVersion plural Kind scope(n: namespaced, c: cluster) short-names subresources categories; "-" is none
_TABLE = """
v1 namespaces Namespace c ns status,finalize -
v1 nodes Node c no status -
v1 pods Pod n po status,log,binding,eviction,ephemeralcontainers,resize all
v1 services Service n svc status all
v1 configmaps ConfigMap n cm - -
v1 secrets Secret n - - -
v1 events Event n ev - -
v1 persistentvolumeclaims PersistentVolumeClaim n pvc status -
v1 persistentvolumes PersistentVolume c pv status -
v1 serviceaccounts ServiceAccount n sa - -
v1 resourcequotas ResourceQuota n quota status -
v1 limitranges LimitRange n limits - -
v1 endpoints Endpoints n ep - -
v1 replicationcontrollers ReplicationController n rc status,scale all
v1 podtemplates PodTemplate n - - -
apps/v1 deployments Deployment n deploy status,scale all
apps/v1 replicasets ReplicaSet n rs status,scale all
apps/v1 statefulsets StatefulSet n sts status,scale all
apps/v1 daemonsets DaemonSet n ds status all
apps/v1 controllerrevisions ControllerRevision n - - -
batch/v1 jobs Job n - status all
batch/v1 cronjobs CronJob n cj status all
autoscaling/v2 horizontalpodautoscalers HorizontalPodAutoscaler n hpa status all
policy/v1 poddisruptionbudgets PodDisruptionBudget n pdb status -
coordination.k8s.io/v1 leases Lease n - - -
scheduling.k8s.io/v1 priorityclasses PriorityClass c pc - -
storage.k8s.io/v1 storageclasses StorageClass c sc - -
storage.k8s.io/v1 csinodes CSINode c - - -
storage.k8s.io/v1 csidrivers CSIDriver c - - -
storage.k8s.io/v1 csistoragecapacities CSIStorageCapacity n - - -
storage.k8s.io/v1 volumeattachments VolumeAttachment c - status -
resource.k8s.io/v1 resourceslices ResourceSlice c - - -
resource.k8s.io/v1 resourceclaims ResourceClaim n - status -
resource.k8s.io/v1 resourceclaimtemplates ResourceClaimTemplate n - - -
resource.k8s.io/v1 deviceclasses DeviceClass c - - -
node.k8s.io/v1 runtimeclasses RuntimeClass c - - -
networking.k8s.io/v1 ingresses Ingress n ing status -
networking.k8s.io/v1 ingressclasses IngressClass c - - -
networking.k8s.io/v1 networkpolicies NetworkPolicy n netpol - -
discovery.k8s.io/v1 endpointslices EndpointSlice n - - -
rbac.authorization.k8s.io/v1 roles Role n - - -
rbac.authorization.k8s.io/v1 clusterroles ClusterRole c - - -
rbac.authorization.k8s.io/v1 rolebindings RoleBinding n - - -
rbac.authorization.k8s.io/v1 clusterrolebindings ClusterRoleBinding c - - -
authorization.k8s.io/v1 selfsubjectaccessreviews SelfSubjectAccessReview c - - -
authorization.k8s.io/v1 subjectaccessreviews SubjectAccessReview c - - -
authorization.k8s.io/v1 selfsubjectrulesreviews SelfSubjectRulesReview c - - -
authentication.k8s.io/v1 tokenreviews TokenReview c - - -
authentication.k8s.io/v1 selfsubjectreviews SelfSubjectReview c - - -
metrics.k8s.io/v1beta1 nodes NodeMetrics c - - -
metrics.k8s.io/v1beta1 pods PodMetrics n - - -
apiextensions.k8s.io/v1 customresourcedefinitions CustomResourceDefinition c crd,crds status api-extensions
"""
_CREATE_ONLY_GROUPS = frozenset({"authorization.k8s.io", "authentication.k8s.io"})
_READ_ONLY_GROUPS = frozenset({"metrics.k8s.io"})
_ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")


@dataclass(frozen=True, slots=True)
class Resource:
    """One kind as the API serves it; `key` is what tables are keyed by."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    short_names: tuple[str, ...] = ()
    subresources: frozenset[str] = frozenset()
    categories: tuple[str, ...] = ()
    custom: bool = False
    """Whether a CustomResourceDefinition made it: no strategic merge, no schema of ours."""

    @property
    def api_version(self) -> str:
        """`group/version`, or `version` in the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def key(self) -> tuple[str, str]:
        """(group, plural)."""
        return (self.group, self.plural)

    @property
    def qualified(self) -> str:
        """As messages name it: `pods`, `deployments.apps`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def singular(self) -> str:
        """The lower-case kind, which kubectl accepts as a name."""
        return self.kind.lower()

    @property
    def verbs(self) -> tuple[str, ...]:
        """What discovery says can be done with it."""
        if self.group in _CREATE_ONLY_GROUPS:
            return ("create",)
        return ("get", "list") if self.group in _READ_ONLY_GROUPS else _ALL_VERBS


def _words(cell: str) -> tuple[str, ...]:
    return () if cell == "-" else tuple(cell.split(","))


def _rows() -> Iterator[Resource]:
    for line in _TABLE.split("\n"):
        if not line:
            continue
        api_version, plural, kind, scope, short, subresources, categories = line.split()
        group, _, version = api_version.rpartition("/")
        yield Resource(
            group,
            version,
            plural,
            kind,
            scope == "n",
            _words(short),
            frozenset(_words(subresources)),
            _words(categories),
        )


RESOURCES: Mapping[tuple[str, str], Resource] = MappingProxyType({row.key: row for row in _rows()})
"""Every built-in resource by (group, plural); kinds of CustomResourceDefinitions are in `Store.resources`."""

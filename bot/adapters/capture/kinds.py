"""What a capture reads: API paths as data, in the order in which they are written.

Secrets are not among them. `versions` are tried in turn; a kind that the server does not serve is no trouble: there
are no objects of it.
"""

from typing import NamedTuple


class Listed(NamedTuple):
    """One kind: its plural, what its objects call themselves, the API's group and versions in order of preference."""

    plural: str
    kind: str
    versions: tuple[str, ...] = ("v1",)

    def path(self, version: str) -> str:
        """Where the API server lists the kind in all namespaces."""
        return f"/apis/{version}/{self.plural}" if "/" in version else f"/api/{version}/{self.plural}"


_DRA = ("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1")
_KUEUE = ("kueue.x-k8s.io/v1", "kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1")

KINDS: tuple[Listed, ...] = (
    Listed("namespaces", "Namespace"),
    Listed("nodes", "Node"),
    Listed("pods", "Pod"),
    Listed("replicationcontrollers", "ReplicationController"),
    Listed("deployments", "Deployment", ("apps/v1",)),
    Listed("replicasets", "ReplicaSet", ("apps/v1",)),
    Listed("statefulsets", "StatefulSet", ("apps/v1",)),
    Listed("daemonsets", "DaemonSet", ("apps/v1",)),
    Listed("controllerrevisions", "ControllerRevision", ("apps/v1",)),
    Listed("jobs", "Job", ("batch/v1",)),
    Listed("cronjobs", "CronJob", ("batch/v1",)),
    Listed("horizontalpodautoscalers", "HorizontalPodAutoscaler", ("autoscaling/v2",)),
    Listed("poddisruptionbudgets", "PodDisruptionBudget", ("policy/v1",)),
    Listed("services", "Service"),
    Listed("endpointslices", "EndpointSlice", ("discovery.k8s.io/v1",)),
    Listed("configmaps", "ConfigMap"),
    Listed("persistentvolumeclaims", "PersistentVolumeClaim"),
    Listed("persistentvolumes", "PersistentVolume"),
    Listed("storageclasses", "StorageClass", ("storage.k8s.io/v1",)),
    Listed("csinodes", "CSINode", ("storage.k8s.io/v1",)),
    Listed("csidrivers", "CSIDriver", ("storage.k8s.io/v1",)),
    Listed("csistoragecapacities", "CSIStorageCapacity", ("storage.k8s.io/v1",)),
    Listed("volumeattachments", "VolumeAttachment", ("storage.k8s.io/v1",)),
    Listed("resourcequotas", "ResourceQuota"),
    Listed("limitranges", "LimitRange"),
    Listed("serviceaccounts", "ServiceAccount"),
    Listed("priorityclasses", "PriorityClass", ("scheduling.k8s.io/v1",)),
    Listed("runtimeclasses", "RuntimeClass", ("node.k8s.io/v1",)),
    Listed("leases", "Lease", ("coordination.k8s.io/v1",)),
    Listed("deviceclasses", "DeviceClass", _DRA),
    Listed("resourceslices", "ResourceSlice", _DRA),
    Listed("resourceclaims", "ResourceClaim", _DRA),
    Listed("resourceclaimtemplates", "ResourceClaimTemplate", _DRA),
    Listed("apiservices", "APIService", ("apiregistration.k8s.io/v1",)),
    Listed("mutatingwebhookconfigurations", "MutatingWebhookConfiguration", ("admissionregistration.k8s.io/v1",)),
    Listed("validatingwebhookconfigurations", "ValidatingWebhookConfiguration", ("admissionregistration.k8s.io/v1",)),
    Listed("clusterpolicies", "ClusterPolicy", ("nvidia.com/v1",)),
    Listed("nvidiadrivers", "NVIDIADriver", ("nvidia.com/v1alpha1",)),
    Listed("clusterqueues", "ClusterQueue", _KUEUE),
    Listed("localqueues", "LocalQueue", _KUEUE),
    Listed("resourceflavors", "ResourceFlavor", _KUEUE),
    Listed("workloads", "Workload", _KUEUE),
    Listed("admissionchecks", "AdmissionCheck", _KUEUE),
    Listed("workloadpriorityclasses", "WorkloadPriorityClass", _KUEUE),
    Listed("leaderworkersets", "LeaderWorkerSet", ("leaderworkerset.x-k8s.io/v1",)),
    Listed("jobsets", "JobSet", ("jobset.x-k8s.io/v1alpha2",)),
    Listed("jobs", "Job", ("batch.volcano.sh/v1alpha1",)),
    Listed("podgroups", "PodGroup", ("scheduling.volcano.sh/v1beta1",)),
    Listed("queues", "Queue", ("scheduling.volcano.sh/v1beta1",)),
    Listed("podgroups", "PodGroup", ("scheduling.run.ai/v2alpha2",)),
    Listed("queues", "Queue", ("scheduling.run.ai/v2",)),
    Listed("podgroups", "PodGroup", ("scheduling.x-k8s.io/v1alpha1",)),
    Listed("nodepools", "NodePool", ("karpenter.sh/v1", "karpenter.sh/v1beta1")),
    Listed("nodeclaims", "NodeClaim", ("karpenter.sh/v1", "karpenter.sh/v1beta1")),
    Listed("inferenceservices", "InferenceService", ("serving.kserve.io/v1beta1",)),
    Listed("scaledobjects", "ScaledObject", ("keda.sh/v1alpha1",)),
    Listed("podautoscalers", "PodAutoscaler", ("autoscaling.internal.knative.dev/v1alpha1",)),
    Listed("revisions", "Revision", ("serving.knative.dev/v1",)),
    Listed("certificates", "Certificate", ("cert-manager.io/v1",)),
    Listed("events", "Event"),
)

"""Taints of nodes that are being set up or taken down. Each belongs to its own controller: nobody has to tolerate it.

kubernetes/cloud-provider:api/well_known_taints.go, cilium/cilium:pkg/defaults/node.go, kubernetes-sigs/karpenter:pkg/
apis, kubernetes-sigs/aws-ebs-csi-driver:docs (and its siblings), kubernetes/autoscaler:cluster-autoscaler/utils/taints.
"""

LEAVING = {
    "ToBeDeletedByClusterAutoscaler": "the cluster autoscaler",
    "karpenter.sh/disrupted": "Karpenter",
    "karpenter.sh/disruption": "Karpenter",
}

STARTING = {
    "node.cloudprovider.kubernetes.io/uninitialized": "the cloud controller manager",
    "node.cilium.io/agent-not-ready": "Cilium's agent",
    "ebs.csi.aws.com/agent-not-ready": "the EBS CSI driver",
    "efs.csi.aws.com/agent-not-ready": "the EFS CSI driver",
    "fsx.csi.aws.com/agent-not-ready": "the FSx CSI driver",
    "karpenter.sh/unregistered": "Karpenter",
}

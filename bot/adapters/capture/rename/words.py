"""What renaming leaves alone, as data: names that everybody has tell nobody where a cluster stands."""

import re

STANDARD_NAMESPACES = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})

# Domains of label keys, taints, resources, registries and hosts that are public. Subdomains count too.
PUBLIC_DOMAINS = frozenset(
    "kubernetes.io k8s.io x-k8s.io nvidia.com amd.com intel.com habana.ai google.com gke.io amazonaws.com aws "
    "eksctl.io azure.com azmk8s.io oracle.com oraclecloud.com coreweave.com coreweave.cloud nebius.com "
    "digitalocean.com karpenter.sh volcano.sh run.ai hami.io kserve.io knative.dev kubeflow.org ray.io "
    "keda.sh cert-manager.io openshift.io cilium.io projectcalico.org tigera.io helm.sh argoproj.io fluxcd.io "
    "istio.io linkerd.io weave.works cattle.io rancher.io k3s.io coreos.com prometheus.io grafana.com "
    "jetstack.io hashicorp.com crossplane.io tekton.dev kyverno.io gatekeeper.sh vllm.ai sglang.ai "
    "huggingface.co github.com githubusercontent.com docker.io docker.com ghcr.io quay.io nvcr.io "
    "gcr.io pkg.dev mcr.microsoft.com ecr.aws cluster.local kubevirt.io longhorn.io ceph.com rook.io "
    "mellanox.com openebs.io piraeus.io metallb.io ngc.nvidia.com".split()
)
REGISTRIES = frozenset(
    "docker.io index.docker.io ghcr.io quay.io nvcr.io gcr.io registry.k8s.io k8s.gcr.io public.ecr.aws "
    "mcr.microsoft.com".split()
)
PUBLIC_OWNERS = frozenset(  # first parts of image paths
    "library vllm lmsysorg nvidia nvidian kserve kubeflow ray rayproject huggingface pytorch tensorflow "
    "bitnami grafana prometheus prom jetstack cilium calico coredns metrics-server kueue jobset lws "
    "e2e-test-images karpenter volcanosh argoproj istio envoyproxy cloud-native k8s-staging rancher "
    "longhornio sig-storage node-problem-detector kube-state-metrics nfd eks-distro".split()
)
TOP_DOMAINS = frozenset(
    "com net org io dev ai cloud app internal local localdomain lan corp intra home example test invalid tech "
    "info biz eu de uk fr nl ch at it es pl se no dk fi be cz us ca br jp kr cn hk tw sg au nz in za il edu "
    "gov mil int".split()
)

# Components that run in many clusters; the whole name, or its beginning before a hyphen.
COMPONENT = re.compile(
    r"(?:nvidia|gpu-operator|gpu-feature-discovery|dcgm|dcgm-exporter|nfd|node-feature-discovery|mps-control-daemon"
    r"|amd-gpu|kube-(?:apiserver|scheduler|controller-manager|proxy|dns|state-metrics|flannel|root-ca)|kubernetes|kubelet"
    r"|etcd|coredns|calico|cilium|flannel|weave|multus|konnectivity|metrics-server|node-problem-detector|node-exporter"
    r"|prometheus|alertmanager|grafana|thanos|loki|fluent-?bit|fluentd|vector|otel|opentelemetry|cert-manager|ingress-nginx"
    r"|istio|istiod|envoy|kueue|jobset|lws|leaderworkerset|volcano|karpenter|cluster-autoscaler|keda|kserve|knative"
    r"|kuberay|ray|argo|argocd|flux|helm|local-path|csi|ebs-csi|efs-csi|nfs|rook|ceph|longhorn|aws-node|gke|aks|eks"
    r"|vllm|sglang|triton|tgi|lmcache|network-operator|rdma|sriov|topolvm|descheduler|kured|velero|system"
    r"|leader|worker|head|init|sidecar|main|istio-proxy|default-scheduler|pause)(?:[-.].*)?"
)
PUBLIC_VALUE = re.compile(  # values of labels that are no names
    r"(?i:true|false|yes|no|on|off|none|auto|enabled|disabled|\d+|v?\d+(?:\.\d+)+[\w.+-]*|\d+(?:\.\d+)?[kmgtpe]i?b?"
    r"|.*(?:a10|a30|a40|a100|h100|h200|h20|h800|b100|b200|b300|gb200|gb300|l4|l40|l40s|t4|v100|p100|rtx|mi\d{3}x?|gaudi)"
    r"(?:[-_.].*)?)"
)
# Models by the names that everybody knows them by: catalogues go by them.
PUBLIC_MODEL = re.compile(
    r"(?i:.*(?:glm|llama|qwen|deepseek|mistral|mixtral|gemma|phi|gpt-oss|kimi|minimax|nemotron|granite|falcon|bge|e5|"
    r"whisper|flux)[-_.]?v?\d.*)"
)

# Words of the control plane's own messages and of everyday use. As names they are replaced only where a name is meant.
PLAIN = frozenset(
    "a an and are as at available back batch be because been by cache cannot capacity cluster claim config "
    "configmap container containers controller could count cpu created data deadline default deleted "
    "deployment dev disk do does due error event evicted exceeded exist exit failed failure filesystem for "
    "found free from full get go gpu gpus had has have health healthy host http https if image images in "
    "insufficient into is it job jobs key kill killing label limit llm local log logs match matching memory "
    "message ml missing mode model models mount name namespace network new no node nodes not object of on "
    "only operator or out over pending ports pod pods port preemption pressure probe prod production pull "
    "pulled pulling pool queue quota ready readiness reason replica replicas request requests resource "
    "resources restarting running scheduled scheduler scheduling secret selector serve server service serving "
    "set sets staging start started state status stop stopping storage succeeded success tag taint taints "
    "team test that the they time to token too topology training unable unbound unhealthy unknown untolerated "
    "up used user using value victims volume volumes wait waiting was web were will with zone inference api "
    "app ai infra platform monitoring eval search chat train".split()
)
# Right before a name in the control plane's messages.
NOUNS = (
    "pod node namespace deployment replicaset statefulset daemonset job cronjob container volume claim queue "
    "persistentvolumeclaim persistentvolume secret configmap service serviceaccount quota clusterqueue "
    "localqueue set".split()
)

# Fields that hold one of a few fixed words, a version or a time.
FIXED = frozenset(
    "kind apiVersion phase type status reason operator effect protocol restartPolicy dnsPolicy "
    "imagePullPolicy action concurrencyPolicy mode operation fieldsType manager scope whenUnsatisfiable "
    "preemptionPolicy volumeMode accessModes provisioner driver resourceVersion kubeletVersion "
    "kubeProxyVersion containerRuntimeVersion kernelVersion osImage architecture operatingSystem medium "
    "propagation terminationMessagePolicy sessionAffinity ipFamilyPolicy resource divisor podManagementPolicy "
    "reclaimPolicy persistentVolumeReclaimPolicy volumeBindingMode creationTimestamp signerName subresource "
    "schedulingPolicy allocationMode".split()
)
MAPS = frozenset("labels annotations matchLabels nodeSelector selector matchLabelKeys".split())
LABEL_MAPS = frozenset("labels matchLabels nodeSelector selector".split())
KEYS = frozenset({"key", "topologyKey"})  # fields that hold a label's or a taint's key
# Labels under well-known keys whose values are names all the same.
NAMING_KEYS = re.compile(r"app\.kubernetes\.io/(?:name|instance|part-of|component|managed-by)|kueue\.x-k8s\.io/.*name")
HASH_KEYS = frozenset(
    {"pod-template-hash", "controller-revision-hash", "pod-template-generation", "job-name", "controller-uid"}
)
MODEL_FLAGS = frozenset({"serve", "--model", "--model-path", "--model-name", "--tokenizer", "--speculative-model"})

# How a new name of each kind begins. Kinds further up name a word first, where several kinds use it.
ROLES = {
    "Namespace": "ns",
    "Node": "node",
    "Deployment": "deploy",
    "StatefulSet": "sts",
    "DaemonSet": "ds",
    "LeaderWorkerSet": "lws",
    "JobSet": "jobset",
    "CronJob": "cron",
    "Job": "job",
    "ReplicaSet": "rs",
    "Pod": "pod",
    "Service": "svc",
    "PersistentVolumeClaim": "pvc",
    "PersistentVolume": "pv",
    "ConfigMap": "cm",
    "Secret": "secret",
    "ServiceAccount": "sa",
    "StorageClass": "sc",
    "PriorityClass": "priority",
    "ClusterQueue": "cq",
    "LocalQueue": "lq",
    "ResourceFlavor": "flavor",
    "NodePool": "pool",
}

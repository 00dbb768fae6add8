"""Labels that Karpenter can plan a node with, and those that it cannot know.

Karpenter plans nodes from the NodePool and the cloud's catalogue of machines. A label that something sets on running
nodes (GPU feature discovery, a device plugin) is in neither, so a pod that selects it never gets a new node.
kubernetes-sigs/karpenter:pkg/scheduling/requirements.go, pkg/apis/v1/labels.go.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.pod import Pod
from bot.domain.thing import Thing
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.shell import patch

# domains whose labels Karpenter or its providers know before a node exists
KNOWN_DOMAINS = ("karpenter.sh", "kubernetes.io", "node.kubernetes.io", "topology.kubernetes.io", "beta.kubernetes.io")
PROVIDERS = ("karpenter.k8s.", "karpenter.azure.com", "karpenter.", "topology.ebs.csi.aws.com", "topology.k8s.aws")
_GPU_NAMES = {
    "karpenter.k8s.aws": "karpenter.k8s.aws/instance-gpu-name",
    "karpenter.azure.com": "karpenter.azure.com/sku-gpu-name",
    "karpenter.k8s.gcp": "karpenter.k8s.gcp/instance-gpu-name",
}
_ON_RUNNING_NODES = ("nvidia.com/", "amd.com/", "gpu.intel.com/", "feature.node.kubernetes.io/")


def pools(case: Case) -> list[Thing]:
    return sorted(case.view.things("nodepools").values(), key=lambda one: one.name)


def unknown_label(case: Case, key: str, typo: str, evidence: tuple[str, ...]) -> Finding:
    known = _known_instead(case, key)
    late = " (it is put on a node only after that runs)" if key.startswith(_ON_RUNNING_NODES) else ""
    value = case.pod.spec.node_selector.get(key, "") if case.pod else ""
    selected = f"`{key}={value}`" if value else f"`{key}`"
    meant = f"; `{typo}` may be meant" if typo else ""
    return Finding(
        "karpenter.unknown-label",
        f"Karpenter will never make a node for it: the pod selects {selected}, and Karpenter does not know that label "
        f"before a node exists{late}{meant}",
        Level.ROOT,
        evidence=evidence,
        remedies=tuple(_spelling(key, typo, value) if typo else _label_help(case, key, value, known)),
        useless=("Waiting does not help, and neither do higher limits: no machine is planned at all.",),
        weight=3,
        numbers={"label": key},
    )


def _spelling(key: str, typo: str, value: str) -> Iterator[Remedy]:
    to = f"`{typo}={value}`" if value else f"`{typo}`"
    yield Remedy(f"Write {to} in place of `{key}` in the pod's template, if that is meant", verified=False)


def _label_help(case: Case, key: str, value: str, known: str) -> Iterator[Remedy]:
    if known:
        yield Remedy(
            f"Select `{known}` in place of `{key}`: Karpenter knows it from the machine catalogue", verified=False
        )
    else:
        yield Remedy("Select the machine type (`node.kubernetes.io/instance-type`) in its place", verified=False)
    yield Remedy(
        "Or put the label into the NodePool's template (spec.template.metadata.labels): Karpenter then sets it "
        "and plans with it",
        _labelled(pools(case), key, value),
        verified=False,
        cost="it must be true of every machine type that the NodePool allows; its present nodes count as drifted",
    )


def _labelled(pools_: list[Thing], key: str, value: str) -> str:
    """A command only where it is clear which NodePool is meant."""
    if len(pools_) != 1 or not value or '"' in key + value or "\\" in key + value:
        return ""
    change = f'{{"spec":{{"template":{{"metadata":{{"labels":{{"{key}":"{value}"}}}}}}}}}}'
    return patch("nodepool", pools_[0].name, change)


def _known_instead(case: Case, key: str) -> str:
    """The label of the same meaning that the cloud's provider knows."""
    if not any(word in key for word in ("gpu.product", "gpu-product", "accelerator", "gpu.model", "device-name")):
        return ""
    groups = {one.fields.text("spec", "template", "spec", "nodeClassRef", "group") for one in pools(case)}
    return next((name for group, name in _GPU_NAMES.items() if group in groups), "")


def planned_without(case: Case, pod: Pod) -> str:
    """A label that the pod selects and no NodePool can know; empty where all are known. For when events are gone."""
    known: set[str] = set()
    for one in pools(case):
        template = case.fields(one).at("spec", "template")
        known |= set(template.map("metadata", "labels"))
        known |= {requirement.text("key") for requirement in template.each("spec", "requirements")}
    return next((key for key in sorted(pod.spec.node_selector) if key not in known and not _well_known(key)), "")


def _well_known(key: str) -> bool:
    domain = key.partition("/")[0] if "/" in key else ""
    return domain in KNOWN_DOMAINS or domain.startswith(PROVIDERS)

"""Why a network plugin could not give a pod its network, from the plugin's own words.

k8snetworkplumbingwg/multus-cni:pkg/k8sclient, k8snetworkplumbingwg/sriov-cni:pkg/config, aws/amazon-vpc-cni-k8s,
cilium/cilium:plugins/cilium-cni, containernetworking/cni:pkg/invoke.
"""

import re
from dataclasses import dataclass

from bot.domain.pattern import Pattern
from bot.why.started.plain import plain

ANNOTATION = "k8s.v1.cni.cncf.io/networks"


@dataclass(frozen=True, slots=True)
class Trouble:
    """`words` and `remedy` may hold {node} and the pattern's {name}. `look`: whether the plugin's pods are worth it."""

    id: str
    pattern: Pattern
    words: str
    remedy: str = ""
    look: bool = True


TROUBLES = (
    Trouble(
        "attachment-missing",
        Pattern(
            r"network-attachment-definition \((?P<name>[\w.-]{1,120})\)"
            r"|network-attachment-definitions?\.k8s\.cni\.cncf\.io \\?\"(?P<other>[\w.-]{1,120})\\?\" not found"
        ),
        "the network attachment `{name}` that its annotation names does not exist in its namespace",
        f"Create that NetworkAttachmentDefinition there, or correct annotation `{ANNOTATION}` in the pod's template",
        look=False,
    ),
    Trouble(
        "no-virtual-function",
        Pattern(r"VF pci addr is required|failed to (?:get|find) VF|no free VF", re.I),
        "it names an SR-IOV network, and no virtual function was handed to it",
        "Ask for the network's resource in the container's limits too (the attachment's annotation "
        "`k8s.v1.cni.cncf.io/resourceName` names it)",
        look=False,
    ),
    Trouble(
        "no-address",
        Pattern(
            r"failed to assign an IP address|range is full|out of IPs?\b|InsufficientFreeAddresses|address pool"
            r"|no (?:more )?(?:free |available )?(?:IPs?|(?:IP )?addresses)\b|\bIPAM (?:error|failed)"
            r"|(?:IP|address|pool|subnet).{0,60}(?:exhausted|used up|\bis full)",
            re.I,
        ),
        "the network plugin on {node} has no address left for it",
        "Free addresses (finished pods hold some until they are deleted) or enlarge the node's range",
    ),
    Trouble(
        "agent-down",
        Pattern(
            r"127\.0\.0\.1:\d{2,5}: connect: connection refused|unable to connect to Cilium (?:agent|daemon)"
            r"|\.sock: connect: (?:connection refused|no such file or directory)|is the agent running",
            re.I,
        ),
        "the network plugin's agent on {node} does not answer",
    ),
    Trouble(
        "plugin-missing",
        Pattern(r"failed to find plugin \\?\"(?P<name>[\w.-]{1,60})\\?\" in path"),
        "the network plugin `{name}` is not installed on {node}",
        "Have the network plugin's DaemonSet lay its program on the node again: restart its pod there",
    ),
)


def trouble(message: str, node: str) -> tuple[Trouble, str] | None:
    """What is known, with its sentence; None where nothing is."""
    for one in TROUBLES:
        if found := one.pattern.search(message):
            name = next((text for text in found.groupdict().values() if text), "")
            return one, one.words.format(node=node, name=plain(name))
    return None

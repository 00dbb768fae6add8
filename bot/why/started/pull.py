"""Why an image cannot be pulled, from the words of the container runtime.

containerd's and CRI-O's errors as kubelets repeat them (kubernetes/kubernetes:pkg/kubelet/images,
containerd/containerd:core/remotes/docker). A registry answers the same for a private image and for one that does not
exist.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trouble:
    """`words` continue "image X cannot be pulled: …". `says`: texts between bars, in lower case."""

    id: str
    says: str
    words: str
    remedy: str
    useless: str = ""


TROUBLES = (
    Trouble(
        "disk-full",
        "no space left on device|disk quota exceeded",
        "the node's disk is full",
        "Free disk on the node (unused images go first), or use a node with a larger disk for images",
        "Another tag or a secret does not help: the registry answers",
    ),
    Trouble(
        "rate-limited",
        "429 too many requests|toomanyrequests|rate limit",
        "the registry limits how often it is asked",
        "Wait for the limit to pass, or pull through a mirror or with an account of its own",
    ),
    Trouble(
        "architecture",
        "no match for platform|no matching manifest|exec format error|image operating system",
        "it has no build for the node's architecture",
        "Use a tag that has a build for it, or a node of the image's architecture",
    ),
    Trouble(
        "login-expired",
        "token has expired|token is expired|token expired|credentials have expired|credential has expired|expiredtoken",
        "the login that its pull secret (or the node's credential helper) holds has expired",
        "Make the pull secret anew with a fresh token; registry tokens of clouds live for hours (ECR: 12), so let "
        "something renew it: an operator, or the node's own credential provider",
        "Name and tag are not at fault: the registry did not get so far as to look at them",
    ),
    Trouble(
        "no-login",
        "failed to fetch anonymous token|anonymous pull|you must authenticate|no basic auth credentials",
        "the registry gives no access to a pull without a login, be the image private or not there",
        "Give the pod (or its service account) imagePullSecrets with a login for this registry, if the name is right",
    ),
    Trouble(
        "no-access",
        "pull access denied|may require authorization|unauthorized|401 unauthorized|403 forbidden|forbidden|"
        "authentication required|access denied|denied:|insufficient_scope|"
        "authorization failed",
        "the registry gives no access, which it also says where the image does not exist",
        "Check the name and tag, then the imagePullSecrets of the pod or its service account",
    ),
    Trouble(
        "certificate",
        "x509:|certificate signed by unknown authority|tls: failed to verify|certificate has expired",
        "the node does not trust the registry's certificate",
        "Install the registry's certificate authority on the node's container runtime",
    ),
    Trouble(
        "plain-http",
        "server gave http response to https client",
        "the registry speaks plain HTTP and the node expects HTTPS",
        "Give the registry TLS, or list it as insecure in the node's container runtime",
    ),
    Trouble(
        "not-found",
        "not found|manifest unknown|manifest_unknown|name unknown|does not exist",
        "the registry knows no such image or tag",
        "Correct the image's name or tag in the template of its owner",
    ),
    Trouble(
        "no-such-host",
        "no such host|temporary failure in name resolution|server misbehaving",
        "the node cannot resolve the registry's name",
        "Check the registry's name, and the DNS of the node",
    ),
    Trouble(
        "unreachable",
        "i/o timeout|connection refused|context deadline exceeded|connection reset|"
        "no route to host|network is unreachable|tls handshake timeout|unexpected eof|"
        "proxyconnect|client.timeout",
        "the node does not reach the registry",
        "Check the node's way to the registry: proxy, firewall, mirror",
    ),
    Trouble(
        "unavailable",
        "500 internal server|502 bad gateway|503 service|504 gateway|registryunavailable",
        "the registry has a fault of its own",
        "Wait for the registry or use a mirror",
    ),
)
BY_REASON = {
    "InvalidImageName": Trouble(
        "invalid-name", "", "its name is not a valid image name", "Correct the name in the template of its owner"
    ),
    "ErrImageNeverPull": Trouble(
        "never-pull",
        "",
        "it is not on the node and imagePullPolicy is Never",
        "Load the image onto the node, or set imagePullPolicy to IfNotPresent",
    ),
    "ImageInspectError": Trouble(
        "inspect", "", "the node has it but cannot read it", "Remove the image on the node, so that it is pulled anew"
    ),
    "SignatureValidationFailed": Trouble(
        "signature", "", "its signature does not satisfy the node's policy", "Use a signed image, or correct the policy"
    ),
    "RegistryUnavailable": TROUBLES[-1],
}
REASONS = frozenset({"ErrImagePull", "ImagePullBackOff", *BY_REASON})


def trouble(reason: str, message: str) -> Trouble | None:
    """None for an error that is not known: it is quoted then."""
    low = message.lower()
    found = next((one for one in TROUBLES if one.says and any(text in low for text in one.says.split("|"))), None)
    return BY_REASON.get(reason) or found

"""No way out of the pod: names, routes, proxies, certificates."""

from bot.domain.pattern import Pattern
from bot.serving.actions import EGRESS, MIRROR
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_REQUESTS = "psf/requests, urllib3/urllib3"
_HOST = r"host='(?P<host>[\w.-]{1,120})'"

FAMILY = Family(
    "network",
    (
        Signature(
            id="network-name-unknown",
            says=(
                "Temporary failure in name resolution",
                "Name or service not known",
                "failed to lookup address information",
                "nodename nor servname provided",
                "Failed to resolve '",
            ),
            pattern=Pattern(rf"(?:.{{0,600}}?(?:{_HOST}|resolve '(?P<name>[\w.-]{{1,120}})'))?"),
            cause="A name could not be resolved[: {host}][: {name}].",
            remedies=(
                Remedy(
                    "Test DNS from the pod; a NetworkPolicy that closes egress closes port 53 too.",
                    "kubectl -n <namespace> exec <pod> -c <container> -- getent hosts huggingface.co",
                ),
                MIRROR,
            ),
            blames=(Blame.NETWORK,),
            restart_helps=None,
            source=_REQUESTS,
        ),
        Signature(
            id="network-unreachable",
            says=("Network is unreachable", "No route to host", "[Errno 101]", "[Errno 113]"),
            pattern=Pattern(rf"(?:.{{0,600}}?{_HOST})?"),
            cause="The pod has no route[ to {host}].",
            remedies=(EGRESS, MIRROR),
            blames=(Blame.NETWORK,),
            restart_helps=None,
            source=_REQUESTS,
        ),
        Signature(
            id="network-certificate",
            says=("CERTIFICATE_VERIFY_FAILED", "SSLCertVerificationError", "invalid peer certificate"),
            pattern=Pattern(rf"(?:.{{0,600}}?{_HOST})?"),
            cause="The server's certificate[ of {host}] is not trusted in this image: mostly a company proxy that "
            "opens TLS.",
            remedies=(
                Remedy("Mount the company's CA bundle and point `SSL_CERT_FILE` and `REQUESTS_CA_BUNDLE` at it."),
            ),
            blames=(Blame.NETWORK,),
            rank=Rank.ROOT,
            source=_REQUESTS,
        ),
        Signature(
            id="network-proxy",
            says=("ProxyError", "Cannot connect to proxy", "407 Proxy Authentication Required"),
            cause="The proxy does not answer or refuses.",
            remedies=(
                Remedy(
                    "Check `HTTPS_PROXY`, and put cluster addresses into `NO_PROXY` (`.svc,.cluster.local,` and the "
                    "pod and service networks)."
                ),
            ),
            blames=(Blame.NETWORK, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            restart_helps=None,
            source=_REQUESTS,
        ),
        Signature(
            id="network-read-timed-out",
            says=(
                "Read timed out",
                "ReadTimeoutError",
                "IncompleteRead(",
                "ChunkedEncodingError",
                "Connection aborted.",
            ),
            pattern=Pattern(rf"(?:.{{0,600}}?{_HOST})?"),
            cause="A download[ from {host}] was cut off.",
            remedies=(Remedy("Start again: downloaders go on where they stopped if the cache is on a volume."), MIRROR),
            blames=(Blame.NETWORK, Blame.DOWNLOAD),
            rank=Rank.GENERAL,
            restart_helps=True,
            source=_REQUESTS,
        ),
        Signature(
            id="network-retries-exceeded",
            says=("Max retries exceeded with url",),
            pattern=Pattern(rf"(?:.{{0,600}}?{_HOST})?"),
            cause="The engine gave up connecting[ to {host}] after several tries.",
            remedies=(EGRESS, MIRROR),
            blames=(Blame.NETWORK,),
            rank=Rank.GENERAL,
            restart_helps=None,
            source=_REQUESTS,
        ),
        Signature(
            id="network-ray-head",
            says=(
                "Failed to connect to GCS",
                "Unable to connect to GCS",
                "Could not find any running Ray instance",
                "Failed to get cluster ID from GCS",
            ),
            cause="The pod does not reach Ray's head.",
            remedies=(
                Remedy(
                    "See that the leader pod runs and its address and port 6379 are right; a mesh sidecar or "
                    "NetworkPolicy may stand between."
                ),
            ),
            blames=(Blame.NETWORK,),
            restart_helps=None,
            source="ray-project/ray:python/ray/_private/services.py",
        ),
    ),
)

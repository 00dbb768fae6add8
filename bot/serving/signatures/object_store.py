"""Storage initializers and object stores: KServe's downloader, S3, GCS, Azure, OCI."""

from bot.domain.pattern import Pattern
from bot.serving.actions import EGRESS
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_KSERVE = "kserve/kserve:python/storage/kserve_storage/kserve_storage.py"
_ACCOUNT = Remedy(
    "Give the pod's service account the store's credentials (KServe: a Secret on it), or the cloud role that may read "
    "the bucket."
)

FAMILY = Family(
    "object store",
    (
        Signature(
            id="store-scheme-unknown",
            says=("Cannot recognize storage type for",),
            pattern=Pattern(r"storage type for '?(?P<uri>[^\s']{1,200})"),
            cause="The storage initializer does not know this kind of address: {uri}.",
            remedies=(Remedy("Use one of its schemes: `s3://`, `gs://`, `hf://`, `pvc://`, `https://`, `oci://`."),),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_KSERVE,
        ),
        Signature(
            id="store-model-missing",
            says=(
                "Failed to fetch model. No model found in",
                "Failed to fetch model. The path or model",
                "NoSuchKey",
                "NoSuchBucket",
                "The specified key does not exist",
                "The specified bucket does not exist",
            ),
            pattern=Pattern(
                r"(?:No model found in (?P<uri>[^\s]{1,200}?)\.?(?:\s|$)|NoSuch(?P<thing>Bucket|Key)|does not exist|"
                r"path or model)"
            ),
            cause="The store has nothing at that address[: {uri}][ (no such {thing})].",
            remedies=(
                Remedy("Check bucket, region and prefix; the prefix must be the folder that holds config.json."),
            ),
            blames=(Blame.ARGUMENTS, Blame.STORAGE),
            rank=Rank.ROOT,
            source=_KSERVE,
        ),
        Signature(
            id="store-credentials-missing",
            says=(
                "Unable to locate credentials",
                "NoCredentialsError",
                "Your default credentials were not found",
                "DefaultCredentialsError",
                "InvalidAccessKeyId",
                "SignatureDoesNotMatch",
            ),
            cause="The downloader has no valid credentials for the object store.",
            remedies=(_ACCOUNT,),
            blames=(Blame.DOWNLOAD,),
            rank=Rank.ROOT,
            source="boto/botocore, googleapis/google-auth-library-python",
        ),
        Signature(
            id="store-forbidden",
            says=(
                "An error occurred (403)",
                "An error occurred (AccessDenied)",
                "does not have storage.objects",
                "AuthorizationPermissionMismatch",
            ),
            pattern=Pattern(
                r"(?:.{0,600}?(?:when calling the (?P<operation>\w{1,40}) operation|"
                r"(?P<right>storage\.objects\.\w{1,20})))?"
            ),
            cause="The object store refuses access[ ({operation})][ ({right})].",
            remedies=(_ACCOUNT,),
            blames=(Blame.DOWNLOAD,),
            rank=Rank.ROOT,
            source="boto/botocore",
        ),
        Signature(
            id="store-unreachable",
            says=(
                "EndpointConnectionError",
                "Could not connect to the endpoint URL",
                "ConnectTimeoutError: Connect timeout on endpoint URL",
            ),
            pattern=Pattern(r"(?:.{0,600}?endpoint URL: ['\"]?(?P<url>https?://[^\s'\"]{1,200}))?"),
            cause="The object store's endpoint does not answer[: {url}].",
            remedies=(Remedy("Check `AWS_ENDPOINT_URL` and region."), EGRESS),
            blames=(Blame.NETWORK,),
            restart_helps=None,
            source="boto/botocore:botocore/exceptions.py",
        ),
        Signature(
            id="store-streamer",
            says=("Could not receive runai_response from libstreamer",),
            pattern=Pattern(r"libstreamer due to: ?(?P<reason>[^|]{0,120})"),
            cause="The weight streamer could not read from the object store[: {reason}].",
            remedies=(_ACCOUNT, EGRESS),
            blames=(Blame.DOWNLOAD, Blame.NETWORK),
            restart_helps=None,
            source="run-ai/runai-model-streamer",
        ),
    ),
)

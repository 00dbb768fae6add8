"""Lines about what lies outside the engine: hub, object store, network, disks."""

import pytest

from tests.serving.lines import Said, check, params

_HUB = "https://huggingface.co/zai-org/GLM-5/resolve/main/config.json"
_POOL = (
    "HTTPSConnectionPool(host='huggingface.co', port=443): Max retries exceeded with url: /api/models/zai-org/GLM-5 "
)

DOWNLOAD = (
    Said(
        "hub-gated",
        f"Cannot access gated repo for url {_HUB}.",
        f"The hub refuses this account the model ({_HUB}): its licence was not accepted, or the token lacks the right.",
    ),
    Said(
        "hub-gated",
        f"requests.exceptions.HTTPError: 403 Client Error: Forbidden for url: {_HUB}",
        f"The hub refuses this account the model ({_HUB}): its licence was not accepted, or the token lacks the right.",
    ),
    Said(
        "hub-token-invalid",
        f"HTTPError: 401 Client Error: Unauthorized for url: {_HUB}",
        f"The hub does not accept the token, or the model does not exist ({_HUB}).",
        "HF_TOKEN",
    ),
    Said(
        "hub-token-invalid",
        "Invalid credentials in Authorization header",
        "The hub does not accept the token, or the model does not exist.",
    ),
    Said(
        "hub-repository-missing",
        "OSError: zai-org/GLM-55 is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
        "The hub has no such model: zai-org/GLM-55.",
        "letter by letter",
    ),
    Said("hub-repository-missing", f"Repository Not Found for url: {_HUB}", f"The hub has no such model: {_HUB}."),
    Said(
        "hub-revision-missing",
        "huggingface_hub.errors.RevisionNotFoundError: 404",
        "The hub has the model, but not that revision or file.",
    ),
    Said(
        "hub-offline",
        "OSError: We couldn't connect to 'https://huggingface.co' to load the files, and couldn't find them in the cached files.",
        "The model is not in the local cache and the hub could not be asked: offline mode is on, or the hub is out of reach.",
    ),
    Said(
        "hub-rate-limit",
        f"HTTPError: 429 Client Error: Too Many Requests for url: {_HUB}",
        "The hub limits the rate of requests from this address or account.",
    ),
    Said(
        "hub-server-error",
        f"HTTPError: 503 Server Error: Service Unavailable for url: {_HUB}",
        f"The hub or mirror failed with 503 ({_HUB}).",
    ),
    Said(
        "modelscope-missing",
        "ValueError: The model: zai-org/GLM-5 does not exist or is not accessible!",
        "ModelScope does not have the model under this name, or it is private: zai-org/GLM-5.",
        "ZhipuAI",
    ),
)
WEIGHTS = (
    Said(
        "download-incomplete",
        "OSError: Consistency check failed: file should be of size 4227858712 but has size 2290365199 (model-00045-of-00061.safetensors).",
        "A downloaded file is not whole: model-00045-of-00061.safetensors (2290365199 of 4227858712 bytes).",
        "download it again",
    ),
    Said(
        "weights-truncated",
        "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge",
        "A weight file is cut short, or is a Git LFS pointer and no weights (HeaderTooLarge).",
    ),
    Said(
        "weights-missing",
        "RuntimeError: Cannot find any model weights with `/models/GLM-5.2-FP8`",
        "The model's folder holds no weights: /models/GLM-5.2-FP8.",
    ),
    Said(
        "model-path-invalid",
        "ValueError: Invalid repository ID or local directory specified: '/models/glm'.",
        "The model's name or folder is not one: /models/glm.",
    ),
    Said(
        "model-path-invalid",
        "OSError: /models/glm does not appear to have a file named config.json. Checkout",
        "The model's name or folder is not one: /models/glm has no config.json.",
    ),
    Said(
        "model-path-invalid",
        "HFValidationError: Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/mnt/models/x'. Use `repo_type` argument if needed.",
        "The model's name or folder is not one: /mnt/models/x.",
    ),
)
STORE = (
    Said(
        "store-scheme-unknown",
        "Exception: Cannot recognize storage type for models:/glm/1\n'gs://', 's3://' are the current available storage type.",
        "The storage initializer does not know this kind of address: models:/glm/1.",
    ),
    Said(
        "store-model-missing",
        "RuntimeError: Failed to fetch model. No model found in s3://weights/glm-5.",
        "The store has nothing at that address: s3://weights/glm-5.",
    ),
    Said(
        "store-model-missing",
        "botocore.errorfactory.NoSuchBucket: An error occurred (NoSuchBucket) when calling the ListObjects operation",
        "The store has nothing at that address (no such Bucket).",
    ),
    Said(
        "store-credentials-missing",
        "botocore.exceptions.NoCredentialsError: Unable to locate credentials",
        "The downloader has no valid credentials for the object store.",
    ),
    Said(
        "store-forbidden",
        "botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject operation: Forbidden",
        "The object store refuses access (HeadObject).",
    ),
    Said(
        "store-unreachable",
        'botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "https://minio.store:9000/weights"',
        "The object store's endpoint does not answer: https://minio.store:9000/weights.",
    ),
    Said(
        "store-streamer",
        "Exception: Could not receive runai_response from libstreamer due to: File access error",
        "The weight streamer could not read from the object store: File access error.",
    ),
)
NETWORK = (
    Said(
        "network-name-unknown",
        f"requests.exceptions.ConnectionError: {_POOL}(Caused by NameResolutionError: Failed to resolve 'huggingface.co' ([Errno -3] Temporary failure in name resolution))",
        "A name could not be resolved: huggingface.co.",
        "DNS",
    ),
    Said(
        "network-unreachable",
        f"ConnectionError: {_POOL}(Caused by NewConnectionError('[Errno 101] Network is unreachable'))",
        "The pod has no route to huggingface.co.",
    ),
    Said(
        "network-certificate",
        f"SSLError: {_POOL}(Caused by SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed'))",
        "The server's certificate of huggingface.co is not trusted in this image: mostly a company proxy that opens TLS.",
    ),
    Said(
        "network-proxy",
        f"ProxyError: {_POOL}(Caused by ProxyError('Cannot connect to proxy.', OSError('Tunnel connection failed: 503'))",
        "The proxy does not answer or refuses.",
    ),
    Said(
        "network-read-timed-out",
        "ReadTimeoutError: HTTPSConnectionPool(host='cdn-lfs.huggingface.co', port=443): Read timed out.",
        "A download from cdn-lfs.huggingface.co was cut off.",
    ),
    Said(
        "network-retries-exceeded",
        f"ConnectionError: {_POOL}(Caused by ConnectTimeoutError('timed out'))",
        "The engine gave up connecting to huggingface.co after several tries.",
    ),
    Said(
        "network-ray-head",
        "ConnectionError: Failed to connect to GCS at address 10.0.0.4:6379",
        "The pod does not reach Ray's head.",
    ),
)
STORAGE = (
    Said(
        "disk-full",
        "OSError: [Errno 28] No space left on device: '/root/.cache/huggingface/hub/tmp1'",
        "The disk is full: /root/.cache/huggingface/hub/tmp1.",
    ),
    Said(
        "disk-full",
        "UserWarning: Not enough free disk space to download the file. The expected file size is: 5363.39 MB. The target location /data only has 120.00 MB free disk space.",
        "The disk is full: a file of 5363.39 MB does not fit.",
    ),
    Said(
        "disk-quota",
        "OSError: [Errno 122] Disk quota exceeded: '/mnt/models/glm'",
        "The file system's quota is used up: /mnt/models/glm.",
    ),
    Said(
        "storage-permission",
        "PermissionError: [Errno 13] Permission denied: '/.cache'",
        "The engine may not write or read /.cache: it runs as another user than that folder's.",
    ),
    Said(
        "storage-read-only",
        "OSError: [Errno 30] Read-only file system: '/root/.triton'",
        "The engine cannot write /root/.triton: that file system is read-only.",
    ),
    Said(
        "storage-stale-handle",
        "OSError: [Errno 116] Stale file handle: '/models/glm/config.json'",
        "The network volume went away under the pod.",
    ),
    Said(
        "storage-input-output",
        "OSError: [Errno 5] Input/output error: '/models/model-1.safetensors'",
        "The storage could not read or write /models/model-1.safetensors.",
    ),
    Said(
        "storage-file-missing",
        "FileNotFoundError: [Errno 2] No such file or directory: '/config/chat.jinja'",
        "A file is missing: /config/chat.jinja.",
    ),
    Said(
        "storage-slow-network",
        "INFO 11-30 11:00:00 [weight_utils.py:577] Network filesystem (NFS) detected but checkpoint size exceeds 90% of RAM. Skipping auto-prefetch.",
        "The weights lie on a network file system and are not read ahead: loading takes long.",
    ),
)
SHARED_MEMORY = (
    Said(
        "shared-memory-full",
        "ncclSystemError: Last error: Error while creating shared memory segment /dev/shm/nccl-AbCdEf (size 33554432)",
        "/dev/shm is full or too small: nccl-AbCdEf could not be made there (33554432 bytes).",
        "Delete the pod",
    ),
    Said(
        "shared-memory-full",
        "RuntimeError: unable to write to file </torch_171_2738_0>: No space left on device (28)",
        "/dev/shm is full or too small.",
    ),
    Said(
        "shared-memory-bus-error",
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
        "A worker hit a bus error: it wrote to shared memory for which /dev/shm has no room.",
    ),
    Said(
        "shared-memory-ray",
        "ValueError: System memory request exceeds memory available in /dev/shm.",
        "Ray's object store does not fit into /dev/shm.",
    ),
)
TABLE = (*DOWNLOAD, *WEIGHTS, *STORE, *NETWORK, *STORAGE, *SHARED_MEMORY)


@pytest.mark.parametrize("said", params(TABLE))
def test_a_line_about_the_outside_is_explained(said: Said) -> None:
    check(said)

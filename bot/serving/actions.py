"""Remedies that many signatures share."""

from bot.serving.signature import Remedy

DELETE_POD = Remedy("Delete the pod; its owner makes a new one.", "kubectl -n <namespace> delete pod <pod>")
READ_ABOVE = Remedy(
    "Read what stands above the first traceback: the worker that failed first names the cause.",
    "kubectl -n <namespace> logs <pod> -c <container> --previous --tail=400",
)
NCCL_DEBUG = Remedy(
    "Set `NCCL_DEBUG=INFO` on all pods of the group and start once more: the rank that fails first says why."
)
SHM = Remedy(
    "Mount an `emptyDir` with `medium: Memory` and `sizeLimit: 16Gi` or more at /dev/shm; it counts as memory."
)
OTHER_IMAGE_DRIVER = Remedy("Or upgrade the node's driver: CUDA 13 needs 580 or newer, CUDA 12 needs 525.60.13.")
SEE_GPU = Remedy(
    "See whether the node and the container see the GPU.",
    "kubectl -n <namespace> exec <pod> -c <container> -- nvidia-smi -L",
)
DRAIN_NODE = Remedy(
    "Cordon and drain the node, then reset the GPU or reboot.",
    "kubectl cordon <node> && kubectl drain <node> --ignore-daemonsets",
)
SMALLER = Remedy("Take a smaller or more quantised checkpoint, or spread it over more GPUs (`--tensor-parallel-size`).")
RELOAD_WEIGHTS = Remedy(
    "Delete that file from the model's folder and download it again; compare the sizes with the hub's."
)
EGRESS = Remedy(
    "Check DNS, proxy (`HTTPS_PROXY`) and NetworkPolicies of the namespace: the pod needs a way out to the hub."
)
MIRROR = Remedy("Or use a mirror (`HF_ENDPOINT`), or download once with a Job to a volume and set `HF_HUB_OFFLINE=1`.")
TOKEN = Remedy("Put a valid token into the Secret that `HF_TOKEN` is read from, then restart the pod.")

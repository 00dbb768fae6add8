"""Disks and volumes: full, read-only, not permitted, gone."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_PATH = r"(?:[^|]{0,80}?['\"](?P<path>/[^'\"]{1,200})['\"])?"
_CACHE = Remedy(
    "Point `HF_HOME` (TGI: `HUGGINGFACE_HUB_CACHE`) or `--download-dir` at a mounted volume that is large enough."
)
_ERRNO = "python/cpython: errno"

FAMILY = Family(
    "storage",
    (
        Signature(
            id="disk-full",
            says=("No space left on device", "Not enough free disk space to download the file", "ENOSPC"),
            pattern=Pattern(
                rf"(?:No space left on device(?: \(os error 28\))?:?{_PATH}|Not enough free disk space.{{0,80}}?file "
                rf"size is: (?P<need>[\d.]{{1,9}} MB)[^|]{{0,80}}?|Not enough free|ENOSPC)"
            ),
            cause="The disk is full[: {path}][: a file of {need} does not fit].",
            remedies=(
                Remedy(
                    "See which one: the volume, or the container's own disk (the node's ephemeral storage).",
                    "kubectl -n <namespace> exec <pod> -c <container> -- df -h",
                ),
                _CACHE,
                Remedy("A volume needs 1.15 × the weights; two revisions need twice that."),
            ),
            blames=(Blame.STORAGE,),
            rank=Rank.ROOT,
            note="Disk, not GPU memory and not RAM.",
            source=_ERRNO + " ENOSPC, huggingface/huggingface_hub",
        ),
        Signature(
            id="disk-quota",
            says=("Disk quota exceeded", "[Errno 122]"),
            pattern=Pattern(rf"(?:quota exceeded|Errno 122)[^|]{{0,20}}?:?{_PATH}"),
            cause="The file system's quota is used up[: {path}].",
            remedies=(Remedy("Raise the quota of that share, or remove old revisions from the cache."), _CACHE),
            blames=(Blame.STORAGE,),
            rank=Rank.ROOT,
            source=_ERRNO + " EDQUOT",
        ),
        Signature(
            id="storage-permission",
            says=("[Errno 13] Permission denied", "Permission denied (os error 13)"),
            pattern=Pattern(rf"Permission denied(?: \(os error 13\))?:?{_PATH}"),
            cause="The engine may not write or read[ {path}]: it runs as another user than that folder's.",
            remedies=(
                Remedy(
                    "Set `securityContext.fsGroup` so that the volume belongs to the engine's group, and `HOME` and "
                    "`HF_HOME` to writable folders."
                ),
            ),
            blames=(Blame.STORAGE, Blame.ARGUMENTS),
            rank=Rank.GENERAL,
            source=_ERRNO + " EACCES",
        ),
        Signature(
            id="storage-read-only",
            says=("[Errno 30] Read-only file system", "Read-only file system (os error 30)"),
            pattern=Pattern(rf"Read-only file system(?: \(os error 30\))?:?{_PATH}"),
            cause="The engine cannot write[ {path}]: that file system is read-only.",
            remedies=(
                Remedy(
                    "Give caches an `emptyDir` (`HOME`, `VLLM_CACHE_ROOT`, `TRITON_CACHE_DIR`), or mount the volume "
                    "writable."
                ),
            ),
            blames=(Blame.STORAGE, Blame.ARGUMENTS),
            rank=Rank.GENERAL,
            source=_ERRNO + " EROFS",
        ),
        Signature(
            id="storage-stale-handle",
            says=("Stale file handle", "[Errno 116]", "Transport endpoint is not connected", "[Errno 107]"),
            cause="The network volume went away under the pod.",
            remedies=(
                Remedy("Check the file server and, for FUSE mounts, the CSI driver's pod on that node."),
                DELETE_POD,
            ),
            blames=(Blame.STORAGE,),
            rank=Rank.ROOT,
            restart_helps=None,
            note="A container restart keeps the broken mount; a new pod mounts again.",
            source=_ERRNO + " ESTALE, ENOTCONN",
        ),
        Signature(
            id="storage-input-output",
            says=("[Errno 5] Input/output error", "Input/output error (os error 5)"),
            pattern=Pattern(rf"Input/output error(?: \(os error 5\))?:?{_PATH}"),
            cause="The storage could not read or write[ {path}].",
            remedies=(
                Remedy(
                    "Look at the node's kernel log and at the storage behind the volume.",
                    "dmesg -T | grep -iE 'i/o error|nfs|nvme'",
                ),
            ),
            blames=(Blame.STORAGE, Blame.HARDWARE),
            rank=Rank.ROOT,
            restart_helps=None,
            source=_ERRNO + " EIO",
        ),
        Signature(
            id="storage-file-missing",
            says=("[Errno 2] No such file or directory",),
            pattern=Pattern(rf"No such file or directory:?{_PATH}"),
            cause="A file is missing[: {path}].",
            remedies=(
                Remedy("Check the mount and the path; a `subPath` or a renamed key of a ConfigMap are usual reasons."),
            ),
            blames=(Blame.STORAGE, Blame.ARGUMENTS),
            rank=Rank.GENERAL,
            source=_ERRNO + " ENOENT",
        ),
        Signature(
            id="storage-slow-network",
            says=("Skipping auto-prefetch",),
            cause="The weights lie on a network file system and are not read ahead: loading takes long.",
            remedies=(
                Remedy(
                    "Nothing fails. Raise the memory limit above the checkpoint's size, or set "
                    "`--safetensors-load-strategy prefetch`."
                ),
            ),
            blames=(Blame.STORAGE,),
            sense=Sense.NOTICE,
            source="vllm-project/vllm:vllm/model_executor/model_loader/weight_utils.py",
        ),
    ),
)

"""Weight files and model folders that are missing, cut short or misnamed."""

from bot.domain.pattern import Pattern
from bot.serving.actions import RELOAD_WEIGHTS
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

FAMILY = Family(
    "weights",
    (
        Signature(
            id="download-incomplete",
            says=("Consistency check failed: file should be of size",),
            pattern=Pattern(
                r"of size (?P<expected>\d{1,15}) but has size (?P<actual>\d{1,15})(?: \((?P<file>[^)]{1,120})\))?"
            ),
            cause="A downloaded file is not whole[: {file}] ({actual} of {expected} bytes).",
            remedies=(RELOAD_WEIGHTS,),
            blames=(Blame.DOWNLOAD,),
            rank=Rank.ROOT,
            restart_helps=None,
            source="huggingface/huggingface_hub:src/huggingface_hub/file_download.py",
        ),
        Signature(
            id="weights-truncated",
            says=(
                "Error while deserializing header",
                "HeaderTooLarge",
                "MetadataIncompleteBuffer",
                "InvalidHeaderDeserialization",
                "HeaderTooSmall",
            ),
            pattern=Pattern(
                r"(?:.{0,600}?(?P<error>HeaderTooLarge|HeaderTooSmall|MetadataIncompleteBuffer|"
                r"InvalidHeaderDeserialization))?"
            ),
            cause="A weight file is cut short, or is a Git LFS pointer and no weights[ ({error})].",
            remedies=(
                RELOAD_WEIGHTS,
                Remedy("After `git clone` run `git lfs pull`: pointer files are about 130 bytes long."),
            ),
            blames=(Blame.DOWNLOAD,),
            rank=Rank.ROOT,
            source="huggingface/safetensors:safetensors/src/tensor.rs",
        ),
        Signature(
            id="weights-missing",
            says=("Cannot find any model weights with",),
            pattern=Pattern(r"weights with [`'\"]?(?P<path>[^\s`'\"]{1,200})"),
            cause="The model's folder holds no weights: {path}.",
            remedies=(
                Remedy(
                    "Look into the folder: the download is unfinished, the volume is empty, or the path is one level "
                    "off.",
                    "kubectl -n <namespace> exec <pod> -c <container> -- ls -la {path}",
                ),
            ),
            blames=(Blame.DOWNLOAD, Blame.STORAGE),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/model_executor/model_loader/default_loader.py",
        ),
        Signature(
            id="model-path-invalid",
            says=(
                "Invalid repository ID or local directory specified",
                "does not appear to have a file named",
                "Repo id must be in the form",
                "Repo id must use alphanumeric",
            ),
            pattern=Pattern(
                r"(?:directory specified: ['\"]?(?P<path>[^\s'\"]{1,200})|(?P<folder>[\w./-]{1,200}) does not appear "
                r"to have a file named (?P<file>[\w-]{1,60}(?:\.\w{1,20}){0,3})"
                r"|Repo id must (?:be|use).{0,160}?: '(?P<id>[^']{1,200})|specified|Repo id)"
            ),
            cause="The model's name or folder is not one[: {path}][: {folder} has no {file}][: {id}].",
            remedies=(
                Remedy("If it is a path: check the volume mount and that config.json lies in that very folder."),
                Remedy("If it is an id: it must read `owner/name`."),
            ),
            blames=(Blame.ARGUMENTS, Blame.STORAGE),
            rank=Rank.ROOT,
            source="vllm-project/vllm:vllm/transformers_utils/config.py",
        ),
    ),
)

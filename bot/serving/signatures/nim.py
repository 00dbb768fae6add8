"""NVIDIA NIM: profiles of a model that fit the GPUs, and the key for the catalogue they come from."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

_DOCS = "docs.nvidia.com/nim/large-language-models"

FAMILY = Family(
    "NIM",
    (
        Signature(
            id="nim-no-profile",
            says=(
                "Could not find a profile that is currently runnable",
                "Could not match a profile in manifest",
                "No suitable profile",
                "no compatible profile",
            ),
            cause="None of this NIM's profiles fits the GPUs that the container has: too few of them, of another "
            "kind, or not free.",
            remedies=(
                Remedy(
                    "See which profiles there are and what they need.",
                    "kubectl -n <namespace> debug <pod> -it --copy-to=<pod>-profiles --container=<container> -- "
                    "list-model-profiles",
                ),
                Remedy(
                    "Give the container as many GPUs as a profile wants, on such GPUs; or pin one that fits with "
                    "`NIM_MODEL_PROFILE`."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            note="The GPUs are not at fault, and no download has begun.",
            source=_DOCS,
        ),
        Signature(
            id="nim-key",
            says=("Exception: Authentication Error", "NGC_API_KEY environment variable", "NGC API key is missing"),
            pattern=Pattern(r"(?:Exception: Authentication Error|NGC.API.[Kk](?:EY|ey))"),
            cause="NGC does not take the key: `NGC_API_KEY` is missing, revoked, or has no right to this model.",
            remedies=(
                Remedy(
                    "Put a valid key (it begins with `nvapi-`) into the Secret that `NGC_API_KEY` is read from, then "
                    "delete the pod.",
                    "kubectl -n <namespace> delete pod <pod>",
                ),
            ),
            blames=(Blame.DOWNLOAD,),
            rank=Rank.ROOT,
            note="The image's pull secret is another one: that the image came says nothing about this key.",
            source=_DOCS,
        ),
    ),
)

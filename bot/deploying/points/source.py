"""Whether the hub of the weights can be reached, and gives them: only the download itself can tell."""

from bot.deploying.manifests.download import HUB_SECRET
from bot.deploying.points.point import Asked, Ground, Told


def judge(ground: Ground) -> Told | None:
    manifests = ground.manifests
    if not manifests.downloads:
        return None
    variant = manifests.draft.variant
    if manifests.wish.source == "modelscope" and not variant.modelscope:
        return Told(False, f"{variant.id} is not known on ModelScope", "type `source=hf`")
    hub = "ModelScope" if manifests.from_modelscope else "Hugging Face"
    size = variant.weights_bytes / 1e9
    return Told(
        None,
        f"whether pods here reach {hub} for `{manifests.checkpoint}` ({size:.0f} GB)",
        "The download tells within a minute. A token, mirrors (`HF_ENDPOINT`, `PIP_INDEX_URL`) and a proxy are taken "
        f"from Secret `{HUB_SECRET}` of `{ground.namespace}`; or fill a volume and type `source=pvc:CLAIM/PATH`",
    )


POINT = Asked(31, "source", "Source of the weights", judge, page=__doc__ or "")

"""Whether the image starts on the driver of these nodes."""

from bot.deploying.points.point import Asked, Ground, Told


def judge(ground: Ground) -> Told:
    draft = ground.manifests.draft
    if draft.image_cuda is None or draft.pool.driver is None:
        what = "its CUDA" if draft.image_cuda is None else "the driver of its nodes"
        return Told(None, f"whether `{draft.image}` starts there: {what} is not known", "`/gpu versions`")
    return Told(True, f"driver {draft.pool.driver} runs CUDA {draft.image_cuda} of the image")


POINT = Asked(100, "driver", "Driver", judge, page=__doc__ or "")

"""Whether the image can be pulled: told by pods here that run it, or that pull from the same registry."""

from collections import Counter

from bot.deploying.points.point import Asked, Ground, Told
from bot.domain.words import count


def judge(ground: Ground) -> Told:
    image = ground.manifests.draft.image
    run = Counter[str]()
    for pod in ground.view.pods.values():
        if pod.phase == "Running":
            run.update({one.image for one in pod.containers if one.image})
    if run[image]:
        return Told(True, f"{count(run[image], 'pod')} here run `{image}` already")
    repository = image.rpartition(":")[0]
    alike = sum(number for name, number in run.items() if name.rpartition(":")[0].endswith(repository))
    if alike:
        return Told(True, f"{count(alike, 'pod')} here run another version from `{repository}`")
    return Told(
        None,
        f"whether nodes here can pull `{image}`: no pod runs anything from there",
        "The first pod tells; with a mirror type `image=MIRROR/vllm-openai:TAG`",
    )


POINT = Asked(40, "image", "Image", judge, page=__doc__ or "")

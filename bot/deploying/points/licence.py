"""Under which licence the weights come."""

from bot.deploying.points.point import Asked, Ground, Told


def judge(ground: Ground) -> Told:
    model = ground.manifests.draft.model
    return Told(True, f"{model.title} is under {model.licence}")


POINT = Asked(120, "licence", "Licence", judge, page=__doc__ or "")

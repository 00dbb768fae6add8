"""Whether the priority class is there."""

from bot.deploying.points.point import Asked, Ground, Told
from bot.grammar import nearest


def judge(ground: Ground) -> Told | None:
    wanted, known = ground.manifests.wish.priority_class, ground.view.priorityclasses
    if not wanted:
        return None
    if wanted not in known and not ground.view.knows("priorityclasses"):
        return Told(None, f"whether priority class `{wanted}` is there: they were not read", "`kubectl get pc`")
    if wanted in known:
        return Told(True, f"priority class `{wanted}` is there ({known[wanted].value:,})")
    close = nearest(wanted, sorted(known))
    return Told(
        False, f"there is no priority class `{wanted}`", f"type `priority={close}`" if close else "leave it out"
    )


POINT = Asked(60, "priority", "Priority", judge, page=__doc__ or "")

"""Whether quotas, limit ranges and queues of the namespace let it in: the same account that `/scale` keeps."""

from bot.deploying.points.point import Asked, Ground, Told


def judge(ground: Ground) -> Told:
    up = ground.candidate.preview.up
    if up is not None and up.rations:
        first = up.rations[0]
        made = "made" if first.refuses else "admitted"
        fix = f"{first.shows}: `{first.look}`" if first.look else ""
        return Told(False, f"only {first.room} of {up.added} replicas would be {made}: {first.why}", fix)
    if not ground.view.knows("resourcequotas"):
        return Told(
            None, "whether a quota stands against it: quotas were not read", "The dry run before approval tells"
        )
    return Told(True, "no quota, limit range or queue stands against it")


POINT = Asked(50, "quota", "Quota and queues", judge, page=__doc__ or "")

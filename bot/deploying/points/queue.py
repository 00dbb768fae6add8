"""Whether the Kueue queue that was named is there; and whether the namespace has one that should be named."""

from bot.deploying.points.point import Asked, Ground, Told


def judge(ground: Ground) -> Told | None:
    there = sorted(one.name for one in ground.view.things("localqueues").values() if one.namespace == ground.namespace)
    wanted = ground.manifests.wish.queue
    if wanted and not ground.view.knows("localqueues"):
        return Told(None, f"whether queue `{wanted}` is there: Kueue's queues were not read")
    if wanted and wanted not in there:
        known = ", ".join(f"`queue={name}`" for name in there[:4])
        return Told(False, f"namespace `{ground.namespace}` has no queue `{wanted}`", f"type {known}" if known else "")
    if not there:
        return None
    if not wanted:
        listed = ", ".join(f"`queue={name}`" for name in there[:4])
        return Told(None, "whether work here has to go through Kueue: no queue was named", f"If so, type {listed}")
    return Told(True, f"queue `{wanted}` is there")


POINT = Asked(51, "queue", "Kueue", judge, page=__doc__ or "")

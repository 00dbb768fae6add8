"""Whether the scheduler has a place for it now."""

from collections.abc import Iterator

from bot.deploying.candidate import Candidate, Room
from bot.deploying.points.point import Asked, Ground, Told
from bot.scaling.objections import instead
from bot.scaling.verdict import verdict


def judge(ground: Ground) -> Told:
    candidate = ground.candidate
    if candidate.replaces is not None and candidate.room is Room.NOW:
        return Told(True, "its new pods take the GPUs of the old ones, one replica after the other")
    says = verdict(candidate.preview)
    if candidate.room in (Room.NOW, Room.AFTER_ENDING):
        return Told(True, says)
    return Told(False, says, next(_fixes(candidate), ""))


def _fixes(candidate: Candidate) -> Iterator[str]:
    """Without commands about the deployment itself, which is not there yet."""
    name = candidate.ground.name
    return (fix for fix in instead(candidate.preview) if f"/{name}" not in fix)


POINT = Asked(110, "room", "Room", judge, page=__doc__ or "")

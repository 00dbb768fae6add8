"""What is remembered of a waiting pod: what it waited for before, and how long pods like it waited here."""

from datetime import datetime

from bot.domain.document import Bold, Line, line
from bot.domain.history import UNNAMED, UNSEEN, History
from bot.domain.pod import Pod
from bot.domain.view import View
from bot.domain.words import count, duration
from bot.gpu.owners import top_owner
from bot.scheduling.history import Alike, Range, estimate, phases, story
from bot.why.watching import likeness

_PLAIN = {UNSEEN: "nobody watched", UNNAMED: "no reason found", "unknown": "no reason found"}


def lines(view: View, pod: Pod, history: History, now: datetime) -> tuple[Line, ...]:
    """`Before` where its reason has changed, `How long` always: a range or why there is none."""
    told: list[Line] = []
    parts = phases(story(history, pod.uid or pod.key), now)
    if len(parts) > 1:
        said = ", then ".join(f"{duration(max(1.0, one.seconds))} {words(one.reason_id)}" for one in parts)
        told.append(line(Bold("Before: "), f"{said}."))
    told.append(line(Bold("How long: "), f"{_expected(view, pod, history, now)}."))
    return tuple(told)


def words(reason_id: str) -> str:
    """`resources.used-up` as people read it."""
    return _PLAIN.get(reason_id) or reason_id.replace(".", " ").replace("-", " ")


def _expected(view: View, pod: Pod, history: History, now: datetime) -> str:
    gpus, shape = likeness(view, pod)
    kind, name = top_owner(view, pod)
    owner = "" if kind == "Pod" else f"{kind}/{name}"
    found = estimate(history, Alike(gpus=gpus, shape=shape, namespace=pod.namespace, owner=owner), now)
    if not isinstance(found, Range):
        return f"cannot be known, because {found.reason}"
    whose = "pods of this owner" if found.same_owner else "pods that asked for as much"
    low, high = duration(max(1.0, found.low_seconds)), duration(max(1.0, found.high_seconds))
    more = f"; {count(found.longer, 'other')} wait{'s' if found.longer == 1 else ''} longer now" if found.longer else ""
    return f"half of the {found.runs} {whose} waited {low} to {high} until they started{more}"

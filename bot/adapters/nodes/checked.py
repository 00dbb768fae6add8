"""Whether a reading is that node's, can be read, and is of now: what is odd is told, and what can be mended is.

A reading's time decides whether its GPUs count as known. A node whose clock is off would always look fresh or always
old, so the time is reckoned from the age that the agent itself tells (`ageSeconds`), which needs no common clock.
"""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from bot import __version__
from bot.adapters.nodes.told import NotToldError, Told
from bot.domain.text import inert
from bot.domain.time import read_time
from bot.domain.words import duration
from bot.gpu.reading import UNREADABLE

SKEW_SECONDS = 60.0
OLDEST_SECONDS = 10 * 365 * 86_400.0


class Head(msgspec.Struct, rename="camel", gc=False):
    """What concerns the reading as a whole; of any type, since nothing in it is trusted."""

    node: Any = None
    agent_version: Any = None
    taken_at: Any = None
    age_seconds: Any = None


_head = msgspec.json.Decoder(Head | list[msgspec.Raw])


def checked(data: bytes, node: str, now: datetime) -> Told:
    """The reading with a time that holds, and what is odd about it. Raises NotToldError where it says nothing."""
    try:
        head = _head.decode(data)
    except (msgspec.DecodeError, RecursionError):
        raise NotToldError(UNREADABLE) from None
    if not isinstance(head, Head):
        return Told(data)
    if isinstance(head.node, str) and head.node and head.node != node:
        raise NotToldError(f"the answer is about another node ({inert(head.node, 80)})")
    data, clock = _timed(data, head, now)
    return Told(data, "; ".join(filter(None, (_version(head), clock))))


def _version(head: Head) -> str:
    told = head.agent_version if isinstance(head.agent_version, str) else ""
    if not told or told.split(".")[:2] == __version__.split(".")[:2]:
        return ""
    return f"its agent is of version {inert(told, 40)}, gpubot of {__version__}: some of it may not be understood"


def _timed(data: bytes, head: Head, now: datetime) -> tuple[bytes, str]:
    taken = read_time(head.taken_at) if isinstance(head.taken_at, str) else None
    if taken is None:
        return data, ""
    age = head.age_seconds
    if isinstance(age, (int, float)) and not isinstance(age, bool) and 0 <= age <= OLDEST_SECONDS:
        right = now - timedelta(seconds=age)
        ahead = (taken - right).total_seconds()
        if abs(ahead) <= SKEW_SECONDS:
            return data, ""
        words = f"its clock is {duration(abs(ahead))} {'ahead' if ahead > 0 else 'behind'}: the time is reckoned anew"
        return _with_time(data, right), words
    ahead = (taken - now).total_seconds()
    if ahead <= SKEW_SECONDS:
        return data, ""
    return _with_time(data, None), f"its clock is {duration(ahead)} ahead: how old the reading is, is not known"


def _with_time(data: bytes, taken: datetime | None) -> bytes:
    try:
        whole: dict[str, Any] = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError):  # what was skipped before is read now
        raise NotToldError(UNREADABLE) from None
    return msgspec.json.encode({**whole, "takenAt": taken and taken.isoformat()})

"""What sweeps see, for tests of the history: times in minutes from one morning."""

from datetime import UTC, datetime, timedelta
from typing import Any

from bot.domain.history import History, Observation, State
from bot.scheduling.history import applied, changes

MORNING = datetime(2026, 5, 4, 8, 0, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return MORNING + timedelta(minutes=minutes)


def waiting(reason_id: str = "resources.fragmented", uid: str = "u1", since: float = 0, **fields: Any) -> Observation:
    """A pod that waits; `since` in minutes."""
    fields = {"sentence": f"It waits: {reason_id}.", "owner": "Job/train", "gpus": 4, "shape": "H200", **fields}
    return _seen(State.WAITING, uid, reason_id=reason_id, since=at(since), **fields)


def started(uid: str = "u1", since: float | None = None) -> Observation:
    return _seen(State.STARTED, uid, since=None if since is None else at(since))


def gone(uid: str = "u1") -> Observation:
    return _seen(State.GONE, uid)


def swept(history: History, minutes: float, *seen: Observation) -> History:
    """The history after one sweep."""
    now = at(minutes)
    return applied(history, changes(history, seen, now), now)


def remembered(*sweeps: tuple[float, Observation]) -> History:
    """The history after sweeps that saw one pod each."""
    history = History(cluster="prod")
    for minutes, seen in sweeps:
        history = swept(history, minutes, seen)
    return history


def _seen(state: State, uid: str, **fields: Any) -> Observation:
    return Observation(**{"uid": uid, "namespace": "team-a", "name": f"pod-{uid}", "state": state, **fields})

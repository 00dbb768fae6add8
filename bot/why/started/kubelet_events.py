"""What the kubelet said about a pod, as far as it is still true."""

from collections.abc import Iterable, Iterator

from bot.domain.event import Event
from bot.why.case import Case
from bot.why.containers import any_began

# kubernetes/kubernetes:pkg/kubelet/events/event.go; each of them comes after sandbox and volumes are there
MOVED_ON = frozenset({"Pulling", "Pulled", "Created", "Started"})


def of(case: Case, *reasons: str) -> Iterator[Event]:
    """The newest first."""
    return (one for one in case.events if one.reason in reasons)


def before_start(case: Case, *reasons: str) -> tuple[Event, ...]:
    """Events that still hold a pod back that has begun nothing: none newer says that it moved on."""
    pod = case.pod
    if pod is None or pod.phase != "Pending" or not pod.node or any_began(case):
        return ()
    past = newest(of(case, *MOVED_ON))
    return tuple(one for one in of(case, *reasons) if past is None or one.time > past.time)


def newest(events: Iterable[Event]) -> Event | None:
    return max(events, key=lambda one: one.time, default=None)


def times(event: Event) -> str:
    """`93 times`; nothing for once."""
    return f", {event.count:,} times" if event.count > 1 else ""

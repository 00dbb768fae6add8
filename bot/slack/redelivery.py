"""Slack may deliver an event up to four times over six minutes; people should see one answer.

docs.slack.dev/apis/events-api: no 2xx (or ack) within three seconds means up to three more deliveries, at once, after
about one and about five minutes. Commands and clicks are not repeated by Slack.
"""

from collections import OrderedDict
from collections.abc import Callable

KEPT_SECONDS = 600
KEPT_AT_MOST = 10_000


class Redelivery:
    """Remembers keys for ten minutes. `clock` returns seconds that only grow."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: OrderedDict[str, float] = OrderedDict()

    def is_first(self, key: str) -> bool:
        """True once per key; later calls within ten minutes are repeats."""
        now = self._clock()
        while self._seen and (len(self._seen) > KEPT_AT_MOST or next(iter(self._seen.values())) < now - KEPT_SECONDS):
            self._seen.popitem(last=False)
        if key in self._seen:
            return False
        self._seen[key] = now
        return True

"""What every controller is given."""

from dataclasses import dataclass

from bot.local.cluster.clock import Clock, rfc3339
from bot.local.cluster.controllers.access import Access
from bot.local.cluster.controllers.events import Recorder
from bot.local.cluster.controllers.loop import Queue
from bot.local.cluster.controllers.owned import OwnedPods


@dataclass(frozen=True, slots=True)
class Context:
    access: Access
    clock: Clock
    recorder: Recorder
    queue: Queue
    owned: OwnedPods

    def now(self) -> str:
        """RFC 3339, as status fields have it."""
        return rfc3339(self.clock.now())

"""What the core needs from the world, as Protocols. Adapters fulfil them; tests bring fakes."""

from datetime import datetime
from typing import Protocol

from bot.domain.view import View


class ClusterReader(Protocol):
    """One cluster, ready to be read without awaiting."""

    @property
    def name(self) -> str: ...

    @property
    def view(self) -> View: ...


class Clock(Protocol):
    """Says what time it is. The core is handed the answer, never the clock."""

    def __call__(self) -> datetime: ...

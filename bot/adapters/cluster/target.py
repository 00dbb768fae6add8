"""What the feeds of one cache share: where they read from and what they keep current."""

from collections.abc import Callable
from dataclasses import dataclass, field

from bot.adapters.cluster.board import Board
from bot.adapters.cluster.connection import Connection
from bot.adapters.cluster.pace import Pace
from bot.adapters.cluster.shared import Shared
from bot.domain.view import View


@dataclass(frozen=True)
class Target:
    """`changed` is told the kind after each batch of changes. `shared` belongs to this one cache."""

    connection: Connection
    view: View
    board: Board
    changed: Callable[[str], None]
    pace: Pace
    shared: Shared = field(default_factory=Shared)

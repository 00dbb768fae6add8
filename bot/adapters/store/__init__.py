"""What survives a restart: tables in SQLite or PostgreSQL, brought up to date by themselves, written behind.

No command waits for any of this. `Recorder` keeps the history in memory, where commands read it, and writes what
changed when it can; while it cannot, the history says so.
"""

from bot.adapters.store.errors import StoreUnavailableError
from bot.adapters.store.recorder import Recorder
from bot.adapters.store.store import Store

__all__ = ["Recorder", "Store", "StoreUnavailableError"]

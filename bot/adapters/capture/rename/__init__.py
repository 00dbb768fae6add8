"""Names replaced, consistently within one capture; what the answers need stays."""

from bot.adapters.capture.rename.plan import plan
from bot.adapters.capture.rename.renamer import Renamer

__all__ = ["Renamer", "plan"]

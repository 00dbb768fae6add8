"""Writing a live cluster into a folder: read, prune, mask, rename, write."""

from bot.adapters.capture.capture import Report, capture

__all__ = ["Report", "capture"]

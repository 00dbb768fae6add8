"""What a command wants done besides its answer: plain data, carried out by `bot.acting`, one file per kind of intent.

A command decides and never acts. In a terminal its answer is the preview and nothing more happens.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Intent:
    """Base of them all. Each kind stands with the words that it speaks of, as `Propose` does in `change.py`."""

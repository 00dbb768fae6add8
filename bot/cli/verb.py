"""What a verb of the terminal is."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass

WRONG_USE = 3  # exit status of a line that was not understood; 2 is kept for sources that were silent


@dataclass(frozen=True, slots=True)
class Verb:
    """`arguments` declares what the verb takes; `run` does it and returns the exit status."""

    name: str
    summary: str
    arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]

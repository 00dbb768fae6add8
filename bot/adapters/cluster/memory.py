"""Keeping Python's garbage collector off a hundred thousand records that hold no cycles.

Both settings are the whole process', so only the composition root calls these.
"""

import gc

_THRESHOLDS = (50_000, 20, 50)


def before_loading() -> None:
    """Collect seldom: with the defaults, loading a large cluster is one collection after the other."""
    gc.set_threshold(*_THRESHOLDS)


def after_loading() -> None:
    """What is there now will stay: move it out of the collector's sight."""
    gc.collect()
    gc.freeze()

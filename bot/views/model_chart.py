"""Small charts of text: a course over time as a line of blocks, a number as a bar. They stand alone in any font."""

from collections.abc import Sequence

_BLOCKS = "▁▂▃▄▅▆▇█"
_GAP = "·"  # nothing was told there
BAR = 12  # characters


def spark(values: Sequence[float | None], *, most: float | None = None) -> str:
    """One character a value, from 0 to `most` (the highest where none is given); empty where nothing is known."""
    known = [one for one in values if one is not None]
    if not known:
        return ""
    top = max(known) if most is None else most
    return "".join(_GAP if one is None else _BLOCKS[_step(one, top)] for one in values)


def bar(value: float, most: float) -> str:
    """`████████▌`: as long as the value is of the highest."""
    if most <= 0 or value <= 0:
        return ""
    halves = max(1, round(min(1.0, value / most) * 2 * BAR))
    return "█" * (halves // 2) + ("▌" if halves % 2 else "")


def _step(value: float, top: float) -> int:
    if top <= 0:
        return 0
    return min(len(_BLOCKS) - 1, max(0, round(value / top * (len(_BLOCKS) - 1))))

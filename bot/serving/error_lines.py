"""The last lines of a log that its writer calls errors, masked: what the table of known lines does not explain."""

from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.serving.mask import mask

SHOWN = 5
LONGEST_LOG = 256 * 1024
_LONGEST_LINE, _LONGEST_QUOTE = 1_200, 240
_ERROR = Pattern(
    r"\b(?:ERROR|CRITICAL|FATAL)\b|^Traceback \("
    r"|^[A-Z][\w.]{2,60}(?:Error|Exception)\b|\" 5\d\d\b|\b500 Internal Server"
)
_NUMBERS = Pattern(r"\d+")
_COLOUR = Pattern(r"\x1b\[[0-9;?]{0,20}[A-Za-z]|\[\d{1,3}(?:;\d{1,3}){0,4}m")


def error_lines(log: str, most: int = SHOWN) -> tuple[str, ...]:
    """The newest last; of lines that differ by numbers alone only the newest."""
    found: dict[str, str] = {}
    for line in reversed(log[-LONGEST_LOG:].splitlines()):
        text = _COLOUR.sub("", line[:_LONGEST_LINE])
        if _ERROR.search(text) is None:
            continue
        found.setdefault(_NUMBERS.sub("0", text)[:200], inert(mask(text), _LONGEST_QUOTE))
        if len(found) == most:
            break
    return tuple(reversed(found.values()))

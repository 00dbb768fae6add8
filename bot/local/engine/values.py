"""Values of flags, as argparse reads them."""

import json
import re
from collections.abc import Mapping

_LENGTH = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)([kKmM]?)")
_UNITS = {"": 1, "k": 1_000, "K": 1_024, "m": 1_000_000, "M": 1_048_576}


def whole(told: Mapping[str, str], name: str, default: int) -> int:
    """Raises ValueError with argparse's words."""
    text = told.get(name)
    if text is None:
        return default
    if not text.isascii() or not text.isdecimal():
        raise ValueError(f"argument --{name}: invalid int value: {text!r}")
    return int(text)


def tokens(text: str) -> int | None:
    """`131072`, `128K`; None for `auto` and nothing, where the engine decides. Raises ValueError."""
    if text in ("", "auto", "-1"):
        return None
    found = _LENGTH.fullmatch(text)
    if found is None:
        raise ValueError(f"argument --max-model-len: invalid human_readable_int_or_auto value: {text!r}")
    return int(float(found[1]) * _UNITS[found[2]])


def is_on(told: Mapping[str, str], name: str) -> bool:
    return told.get(name, "").casefold() == "true"


def drafted(told: Mapping[str, str]) -> int:
    """Tokens that are guessed ahead; 0 without. Raises ValueError for a configuration that is no JSON object."""
    for name in ("speculative-config.num-speculative-tokens", "speculative-num-draft-tokens"):
        if name in told:
            return whole(told, name, 0)
    text = told.get("speculative-config")
    if not text:
        return 0
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise ValueError(f"argument --speculative-config: Value {text} cannot be converted to <function loads>.")
    return int(found.get("num_speculative_tokens", 1))

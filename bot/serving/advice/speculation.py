"""Multi-token prediction: off though the model brings the layer for it, or with another number of tokens."""

import re
from collections.abc import Iterator

from bot.serving.advice.advice import Advice, Remark, Setup

_NUMBER = re.compile(r"num_speculative_tokens[\"']?\s{0,4}[:=]\s{0,4}(\d{1,3})")
_PLAIN = ("speculative-config.num_speculative_tokens", "speculative-num-steps")


def judge(setup: Setup) -> Iterator[Remark]:
    support = setup.support
    if support is None or not support.mtp_tokens or setup.mtp is None:
        return
    if not setup.mtp:
        because = "the model guesses tokens ahead, which answers single users faster"
        yield Remark("multi-token prediction", "off", f"{support.mtp_tokens} tokens", because)
        return
    now = _tokens(setup)
    if now is not None and now > support.mtp_tokens:
        because = "more guesses are thrown away than taken"
        yield Remark("multi-token prediction", f"{now} tokens", f"{support.mtp_tokens}", because)


def _tokens(setup: Setup) -> int | None:
    """Of the model's own layer; a draft model of its own has a number of its own."""
    whole = setup.flag("speculative-config") or ""
    if '"model"' in whole or setup.flag("speculative-config.model", "speculative-draft-model-path"):
        return None
    plain = setup.flag(*_PLAIN) or ""
    found = _NUMBER.search(whole[:2_000])
    text = plain if plain.isascii() and plain.isdecimal() and len(plain) < 4 else (found[1] if found else "")
    return int(text) if text else None


ADVICE = Advice("speculation", judge, __doc__ or "")

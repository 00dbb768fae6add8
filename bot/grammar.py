"""One grammar for everything that people type: slash commands, mentions, direct messages, terminals.

    gpu status product=H200 --by team @prod-a

A line is words and options. An option is `key=value`, `--key=value` or `--key value`; `@name` names a cluster. What
phones, chat windows and copied text do to a line is mended first: curly quotes, long dashes, full-width letters,
invisible characters, Slack's links and escapes, backticks and stars around a name.
"""

import re
import shlex
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from bot.domain.errors import UsageError
from bot.domain.text import inert, unescape

LONGEST = 2_000
_QUOTES = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "‚": "'", "′": "'", "″": '"'}
)
_DASHES = "‐‑‒–—―−﹘﹣－"
_LONG_DASH_OPTION = re.compile(rf"(^|\s)(?:[{_DASHES}]-?|--?)(?=[^\W\d_])")
_LABELLED = re.compile(r"<([^<>|]*)\|([^<>]*)>")
_BARE = re.compile(r"<((?:https?|mailto):[^<>\s]*)>")
_AROUND = "`*_~"
_OPTION = re.compile(r"(?:--)?([a-z][a-z-]*)=(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Words:
    """A parsed line. `options` keeps the order in which they were typed; `typed` is the mended line."""

    words: tuple[str, ...] = ()
    options: dict[str, str | None] = field(default_factory=dict)
    cluster: str | None = None
    typed: str = ""

    def after(self, count: int) -> "Words":
        return Words(self.words[count:], self.options, self.cluster, self.typed)


def mend(text: str) -> str:
    """The line as its author meant it. Raises UsageError where it is too long to be meant."""
    if len(text) > LONGEST:
        raise UsageError(f"That line has {len(text):,} characters; a command has at most {LONGEST:,}. Try `/gpu help`.")
    text = _LABELLED.sub(r"\2", text)
    text = _BARE.sub(r"\1", text)
    text = unicodedata.normalize("NFKC", unescape(text).translate(_QUOTES)).translate(_QUOTES)
    text = "".join(_plain(character) for character in text)
    text = _LONG_DASH_OPTION.sub(r"\1--", text)
    for dash in _DASHES:
        text = text.replace(dash, "-")
    return " ".join(text.split())


def _plain(character: str) -> str:
    if character.isspace() or unicodedata.category(character) == "Cc":
        return " "
    return "" if unicodedata.category(character).startswith("C") else character


def parse(text: str, *, after_if: Collection[str] | None = None) -> Words:
    """Words and options of a line. Raises UsageError.

    `after_if`: after the word `if` only these are options, all other `key=value` are words: `if tolerate pool=train`.
    """
    typed = mend(text)
    tokens = [token for raw in _split(typed) if (token := _bare(raw)) and token != "-"]
    words: list[str] = []
    options: dict[str, str | None] = {}
    cluster: str | None = None
    waiting: str | None = None
    for token in tokens:
        option = _OPTION.fullmatch(token)
        if option is not None and _is_word(token, option[1].casefold(), words, after_if):
            words.append(token)
        elif token.startswith("--") and len(token) > 2 and option is None:
            waiting = token[2:].casefold()
            options[waiting] = None
        elif option is not None:
            options[option[1].casefold()], waiting = _bare(option[2]), None
        elif waiting is not None:
            options[waiting], waiting = token, None
        elif token.startswith("@") and len(token) > 1:
            cluster = token[1:]
        else:
            words.append(token)
    if "cluster" in options:
        cluster = options.pop("cluster") or cluster
    return Words(tuple(words), options, cluster, typed)


def _is_word(token: str, name: str, words: Sequence[str], after_if: Collection[str] | None) -> bool:
    """Whether a `key=value` belongs to what is said after `if`."""
    if after_if is None or token.startswith("--") or name in ("cluster", *after_if):
        return False
    return any(word.casefold() == "if" for word in words)


def _split(text: str) -> list[str]:
    try:
        tokens = shlex.split(text)
        return tokens[0].split() if len(tokens) == 1 else tokens  # somebody quoted the whole line
    except ValueError:  # a quote without its partner: the words are still clear
        return text.replace('"', " ").replace("'", " ").split()


def _bare(token: str) -> str:
    return token.strip(_AROUND).strip()


def nearest(word: str, known: list[str]) -> str | None:
    """The known word that `word` was probably meant to be."""
    found = get_close_matches(word.casefold()[:64], known, n=1, cutoff=0.6)
    return found[0] if found else None


def quoted(text: str) -> str:
    """Foreign words inside a sentence of ours."""
    plain = inert(text, 60).replace("`", "'")  # a backtick marks what can be typed
    return f"“{plain}”"

"""Takes secrets out of a line before it is quoted: tokens of known shape, and values that are called a secret.

Every pattern starts where a run of its characters starts and has no nested repetition: the time is linear in the
length, whatever the text is.
"""

import re

from bot.domain.pattern import Pattern

MASK = "<masked>"
_SHAPES = Pattern(
    "|".join(
        (
            r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)",
            r"(?<![\w-])eyJ[\w-]{5,}+\.[\w.-]{5,}+",  # JSON web token
            r"(?<![A-Z0-9])(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[0-9A-Z]{12,}+",  # AWS
            r"(?<![\w-])(?:hf_|api_org_|gh[opusr]_|npm_|sk_live_|rk_live_)[A-Za-z0-9]{10,}+",
            r"(?<![\w-])(?:github_pat_|glpat-|pypi-|dckr_pat_|nvapi-|sk-|AIza|ya29\.|xox[abeoprs]-|xapp-|hvs\.)[\w.-]{16,}+",
            r"(?<![\w-])ms-[0-9a-f]{8}-[0-9a-f-]{20,}+",  # ModelScope
            r"(?i:(?<![a-z])(?:bearer|basic))\s{1,8}+(?![a-z]{1,40}(?![\w.~+/=-]))[\w.~+/=-]{8,}+",
            r"(?<=://)[^\s/@\"'<>]{1,300}@(?:[^\s/@\"'<>]{1,300}@)?(?!sha\d)",  # user and password in a URL
        )
    )
)
_NAME = Pattern(
    r"(?<![\w.-])(?P<name>[\w.-]++)(?P<sign>\\?[\"']?\s{0,4}+[=:]\s{0,4}+|"
    r"\s{1,4}+(?=[^\s-]))(?P<open>\[)?(?P<quote>\\?[\"'])?"
)
_SECRET = Pattern(
    r"(?i)(?:^|[^a-z])(?:[a-z]*tokens?|[a-z]*secrets?|[a-z]*passw(?:or)?d|passphrase|pwd|credentials?|authorization"
    r"|(?:api|access|secret|private|account|auth|license|encryption)[_.-]?keys?(?:[_.-]id)?|signature|sig|cookie|dsn)$"
)
_BARE_KEY = Pattern(r"(?i)-{0,2}keys?")
_RANDOM = Pattern(r"(?=[^\d]*\d)(?=[^A-Za-z]*[A-Za-z])[\w+/-]{16,}=*")
_LONGEST_KEY = 256
_NO_SECRET = Pattern(
    r"-?\d{1,9}(?:\.\d{1,9})?%?|(?i:none|null|true|false|unexpected|invalid|expired|missing|failed|not|server)"
)
_BARE = Pattern(r"[^\s\"',;&|<>)}\]]{1,4096}")
_IN_QUOTES = {'"': Pattern(r"[^\"\\]{0,4096}"), "'": Pattern(r"[^'\\]{0,4096}")}
_LIST = Pattern(r"[^\]]{0,4096}")


def mask(text: str) -> str:
    """`text` with MASK in the place of everything that looks secret."""
    text = _SHAPES.sub(MASK, text)
    pieces: list[str] = []
    position = 0
    while found := _NAME.search(text, position):
        value_end = _secret_until(text, found)
        pieces.append(text[position : found.end()])
        if value_end > found.end():
            pieces.append(MASK)
        position = value_end
    pieces.append(text[position:])
    return "".join(pieces)


def _secret_until(text: str, found: re.Match[str]) -> int:
    """Where the secret value that begins at the end of `found` ends; the same place where there is none."""
    start, name = found.end(), found["name"]
    if found["sign"].isspace() and not name.startswith("--"):
        return start
    if _BARE_KEY.fullmatch(name):
        random = _RANDOM.match(text, start, start + _LONGEST_KEY)
        return random.end() if random else start
    if not _SECRET.search(name[-80:]) or text.startswith(MASK, start):
        return start
    value = _value(found).match(text, start)
    return value.end() if value and not _NO_SECRET.fullmatch(value[0]) else start


def _value(found: re.Match[str]) -> Pattern:
    if found["open"]:
        return _LIST
    return _IN_QUOTES[found["quote"][-1]] if found["quote"] else _BARE

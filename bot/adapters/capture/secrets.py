"""What looks secret is masked before anything is written: words, shapes and the rules that use them.

Masked are: values of environment variables and headers whose name or value looks secret, secret flags and assignments
in commands, annotations and fields that are called like a secret, and tokens of known shape wherever they stand. When
in doubt a value is masked: an answer rarely needs it, and a capture is sent to other people.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any

import msgspec

MASK = "<masked>"

# ---- words: a name is cut at separators and humps ---------------------------------------------------------------

SECRET_WORDS = frozenset(
    "token tokens secret secrets password passwords passphrase pass pwd key keys credential credentials cred creds "
    "auth authorization bearer jwt dsn cookie session private salt signature signing webhook sas".split()
)
SECRET_INSIDE = re.compile(r"passw|passphrase|secret|apikey|accesskey|privatekey|credential|token(?!iz)|connstr")
# A field is masked for its name only if the name ends so: `secretName` and the `key` of a toleration are no secrets.
SECRET_FIELD = re.compile(
    r"(?:password|passwd|passphrase|token|bearer|jwt|apikey|accesskey|secretkey|privatekey|userdata)$"
)
A_COUNT = re.compile(r"\d{1,7}")

# ---- shapes: recognised wherever they stand ----------------------------------------------------------------------

SHAPES = re.compile(
    "|".join(
        (
            r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]*PRIVATE KEY-----|\Z)",
            r"\beyJ[\w-]{5,}\.[\w-]{5,}(?:\.[\w-]*)?",  # JSON web token
            r"\b(?:AKIA|ASIA|AROA|AIDA|ABIA|ACCA)[0-9A-Z]{12,}",  # AWS
            r"\b(?:hf_|api_org_|gh[opusr]_|github_pat_|glpat-|npm_|pypi-|dckr_pat_|nvapi-|sk-|sk_live_|rk_live_|AIza"
            r"|ya29\.|xox[abeoprs]-|xapp-|hvs\.|s\.)[\w.-]{16,}",
            r"\bhooks\.slack\.com/\S+",
            r"(?i:\bbearer|\bbasic)\s+[\w.~+/=-]{8,}",
            r"(?<=://)[^\s/@:\"'<>]*:[^\s\"'<>]+@(?!sha\d+:)",  # user and password in a URL
            r"(?<=://)[^\s/\"'<>]+@(?!sha\d+:)",
            r"(?<![\w/@])[\w.-]+:[^\s@/:]+@(?=tcp\(|unix\(|[\w.-]+:\d)",  # the same without a scheme
        )
    )
)
_VALUE = r"(?P<value>\\?\"(?:[^\"\\]|\\.)*\"?|'[^']*'?|[^\s\"',;&|]+)"
# `token=…`, `password: …` in prose, in a query, in JSON that is quoted in something else.
ASSIGNED = re.compile(
    r"(?P<name>[\w.-]*(?i:token(?!iz)|passw|passphrase|secret|api[-_]?key|access[-_]?key|credential|signature|\bsig\b)"
    r"[\w.-]*)(?P<sign>\\?[\"']\s*[:=]\s*|\s*=\s*|\s*:\s*(?=\S*\d))" + _VALUE
)
_SETTING = re.compile(r"(?P<name>(?<![\w-])-{0,2}[A-Za-z_][\w.-]*)(?P<sign>=)" + _VALUE)
_FLAG = re.compile(r"(?P<name>(?<![\w-])-{1,2}[A-Za-z][\w.-]*)(?P<sign>\s+)(?!-)" + _VALUE)
_LONE_FLAG = re.compile(r"-{1,2}[A-Za-z][\w.-]*")
_DIGEST_BEFORE = re.compile(r"(?:sha\d+|containerd|docker|cri-o):\Z")  # of an image, of a container: public
_RUN = re.compile(r"[A-Za-z0-9+/_=-]{28,}")
_PIECE = re.compile(r"[A-Za-z0-9]+")
_HEX = re.compile(r"(?:[0-9a-f]{32,}|[0-9A-F]{32,})")

# ---- places ------------------------------------------------------------------------------------------------------

# Long random-looking text belongs here (ids, names, digests); only known shapes of tokens are masked.
IDENTIFIERS = frozenset(
    "name generateName namespace uid image imageID containerID names machineID systemUUID bootID resourceVersion kind "
    "apiVersion providerID volumeName volumeHandle labels matchLabels nodeSelector selector podSelector key values "
    "conditionType nodeName pool holderIdentity caBundle".split()
)
COMMANDS = frozenset({"command", "args"})


def secret_name(name: str) -> bool:
    """Whether a variable, flag, header or annotation of that name holds a secret."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower())
    return not SECRET_WORDS.isdisjoint(words) or bool(SECRET_INSIDE.search("".join(words)))


def masked(value: Any, key: str = "") -> Any:
    """The same object with everything masked that looks secret; the argument is not changed."""
    if isinstance(value, str):
        return mask_text(value, opaque=key not in IDENTIFIERS)
    if isinstance(value, list):
        if key in COMMANDS and all(isinstance(one, str) for one in value):
            return mask_command(value)
        return [masked(one, key) for one in value]
    if isinstance(value, dict):
        return _mask_fields(value, key)
    return value


def _mask_fields(fields: Mapping[str, Any], around: str) -> dict[str, Any]:
    called, text = fields.get("name"), fields.get("value")
    if isinstance(called, str) and isinstance(text, str):  # a variable, a header
        rest = {name: masked(inside, name) for name, inside in fields.items() if name != "value"}
        return {**rest, "value": mask_named(called, text)}
    if around == "annotations":
        return {name: mask_named(name.rpartition("/")[2], text) for name, text in fields.items()}
    inherited = around if around in ("labels", "matchLabels", "nodeSelector", "selector") else ""
    return {
        name: MASK if text and isinstance(text, str) and _secret_field(name) else masked(text, inherited or name)
        for name, text in fields.items()
    }


def _secret_field(name: str) -> bool:
    return bool(SECRET_FIELD.search(re.sub(r"[^a-z]", "", name.lower())))


def mask_named(name: str, text: Any) -> Any:
    """The value of a variable, flag or annotation, masked if its name or it itself looks secret."""
    if not isinstance(text, str) or not text:
        return text
    if secret_name(name) and not _is_count(name, text) and text.lower() not in ("true", "false"):
        return MASK
    return _mask_embedded(text) if text[0] in "{[" else mask_text(text)


def _mask_embedded(text: str) -> str:
    """JSON inside a text (annotations hold whole objects): masked by the same rules if it is well formed."""
    try:
        inside = msgspec.json.decode(text.encode("utf-8", "replace"))
    except (msgspec.DecodeError, RecursionError):
        return mask_text(text)
    clean = masked(inside)
    return text if clean == inside else msgspec.json.encode(clean).decode()


def mask_command(words: Sequence[str]) -> list[str]:
    """A command line: `--api-key=…`, `--token …` over two words or within one, `export HF_TOKEN=…` in a script."""
    result = []
    flag = ""  # the word before, if it is a secret flag that waits for its value
    for word in words:
        if flag and not word.startswith("-"):
            result.append(word if _is_count(flag, word) else MASK)
            flag = ""
            continue
        flag = word if _LONE_FLAG.fullmatch(word) and secret_name(word) else ""
        result.append(_mask_embedded(word) if word[:1] in ("{", "[") else _mask_script(word))
    return result


def _mask_script(text: str) -> str:
    return mask_text(_FLAG.sub(_mask_setting, text))


def _mask_setting(found: re.Match[str]) -> str:
    name, value = found["name"], found["value"]
    return found[0] if not secret_name(name) or _is_count(name, value) else f"{name}{found['sign']}{MASK}"


def _is_count(name: str, value: str) -> bool:
    """`--max-num-batched-tokens 8192` and MAX_TOKENS=4096 are no secrets."""
    return "token" in name.lower() and bool(A_COUNT.fullmatch(value))


@lru_cache(maxsize=65_536)  # the same texts stand in thousands of pods
def mask_text(text: str, *, opaque: bool = True) -> str:
    """Free text with tokens of known shape masked and, with `opaque`, assignments and long random-looking runs too."""
    if len(text) < 8:  # nothing below is shorter
        return text
    text = SHAPES.sub(_mask_shape, text)
    if not opaque:
        return text
    text = _SETTING.sub(_mask_setting, ASSIGNED.sub(_mask_assigned, text))
    return _RUN.sub(lambda found: MASK if _is_opaque(found) else found[0], text)


def _mask_shape(found: re.Match[str]) -> str:
    return f"{MASK}@" if found[0].endswith("@") else MASK


def _mask_assigned(found: re.Match[str]) -> str:
    if A_COUNT.fullmatch(found["value"]):
        return found[0]
    return f"{found['name']}{found['sign']}{MASK}"


def _is_opaque(found: re.Match[str]) -> bool:
    """Whether a run reads like a key and not like a name or a path: long pieces, letters and digits well mixed."""
    if _DIGEST_BEFORE.search(found.string, 0, found.start()):
        return False
    return any(_HEX.fullmatch(piece) or _is_mixed(piece) for piece in _PIECE.findall(found[0]))


def _is_mixed(piece: str) -> bool:
    if len(piece) < 16 or not re.search(r"\d", piece) or not re.search(r"[A-Za-z]", piece):
        return False
    classes = ["0" if sign.isdigit() else "a" if sign.islower() else "A" for sign in piece]
    changes = sum(one != other for one, other in pairwise(classes))
    return changes / (len(piece) - 1) >= (0.15 if len(piece) >= 28 else 0.35)

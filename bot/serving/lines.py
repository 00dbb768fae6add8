"""A raw log as clean lines: no colours, no prefixes of loggers, processes and runtimes. Their times are kept."""

import json
from dataclasses import dataclass

from bot.domain.pattern import Pattern
from bot.serving.stamp import AMERICAN, CLOCK, DATE, DAY, GLOG, Stamp, stamp_of

LONGEST_LOG = 256 * 1024  # characters, from the end: last words stand there
_MOST_PREFIXES = 8
_LONGEST_JSON = 16 * 1024

_COLOUR = Pattern(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b\n]{0,200}(?:\x07|\x1b\\)?|\x1b[()][0-9A-B]|\[(?:\d{1,3};?){1,3}m"
)
_BREAK = Pattern(r"\r\n|[\n\r\v\f\x85\u2028\u2029]")  # a progress bar returns to the line's beginning
_LEVEL = r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL|FATAL)"
_FILE = r"[\w.@/-]{1,120}\.(?:py|cc|cpp|cu|go|rs):\d{1,6}"

_PREFIXES = tuple(
    Pattern(pattern)
    for pattern in (
        rf"{DATE}\s(?:stdout|stderr) [FP] ",  # container runtime
        rf"{_LEVEL} {DAY} \[?{_FILE}\]\s?",  # vLLM
        rf"{_LEVEL} {DATE} \[?{_FILE}\]\s?",
        rf"\[{DATE}(?: [A-Z]{{2}}\d{{1,4}})*\]:?\s?",  # SGLang
        rf"\[[\w-]{{1,40}} {DATE}\]\s?",
        rf"\[{AMERICAN}\] (?:\[TRT(?:-LLM)?\] )?(?:\[RANK \d{{1,5}}\] )?(?:\[[A-Z]\]\s)?",  # TensorRT-LLM
        r"\[TensorRT-LLM\](?=\[)",
        rf"\[?[IWEF] ?{GLOG}\s+(?:\d{{1,9}}\s)?{_FILE}\]\s?",  # klog, torch
        rf"(?:time|ts)=\"?{DATE}\"?\s+level=\w+\s+msg=",
        r"level=\w+\s+(?:msg=)?",
        rf"\[?{DATE}\]?(?=\s|$)\s*(?:-\s)?",
        rf"\[?{CLOCK}\]?(?=\s)\s*",
        rf"\[?{_LEVEL}\]?(?=[\s:])[ :\t-]*",
        r"\((?:[A-Za-z_][\w.:-]{0,80} )?pid=\d{1,9}(?:, ip=[0-9a-fA-F.:]{1,45})?\)\s?",  # vLLM, Ray
        r"\((?:Worker|EngineCore|APIServer|autoscaler|raylet)[\w +.-]{0,40}\)\s?",
        r"\[rank\d{1,5}\]:?\s?",
        rf"{_FILE}\]?\s(?:-- )?",
        r"\d{1,9} [\w.-]{1,60} (?=[A-Z]{4,8} \[)",  # KServe: process, logger
        r"\[[\w-]{1,60}:[\w<>.]{1,60}\(\):\d{1,6}\]\s",  # KServe: module, function
        r"(?:[a-z-]{1,40}: )?text_generation_\w{1,40}(?:::\w{1,40}){0,4}: (?:[\w./-]{1,80}:\d{1,6}: )?",  # TGI
    )
)


# Lines in which an engine repeats what its users wrote: that is no word of the engine's own.
_ECHOES = ("Received request ", "Received engine request ", "Generated response ", "Receive: obj=", "Finish: obj=")


@dataclass(frozen=True, slots=True)
class Line:
    """What is left of a line, and when it was written if it says so."""

    text: str
    stamp: Stamp | None = None


def clean(log: str) -> tuple[Line, ...]:
    """The lines of the last LONGEST_LOG characters that are not empty; a first line that was cut is left out."""
    kept = log[-LONGEST_LOG:]
    pieces = _BREAK.split(_COLOUR.sub("", kept.replace("\0", "")))
    if len(log) > len(kept) and len(pieces) > 1:
        del pieces[0]
    lines = (_line(piece) for piece in map(str.strip, pieces) if piece)
    return tuple(line for line in lines if line.text)


def _line(piece: str) -> Line:
    text, stamp = _strip(piece)
    if text.startswith("{") and text.endswith("}") and len(text) <= _LONGEST_JSON:
        inside = _message(text)
        if inside:
            text, later = _strip(inside)
            stamp = stamp or later
    text = text.strip()
    return Line(text.partition(":")[0] if text.startswith(_ECHOES) else text, stamp)


def _strip(text: str) -> tuple[str, Stamp | None]:
    """Takes prefix after prefix; the last one that knows the time wins: it is the engine's own."""
    position, stamp = 0, None
    for _ in range(_MOST_PREFIXES):
        found = next((match for prefix in _PREFIXES if (match := prefix.match(text, position))), None)
        if found is None:
            break
        stamp = _better(stamp, stamp_of(found))
        position = found.end()
    return text[position:], stamp


def _better(known: Stamp | None, new: Stamp | None) -> Stamp | None:
    """A stamp with a year is worth more than one without."""
    if known is None or new is None:
        return known or new
    return known if known.year and not new.year else new


def _message(text: str) -> str:
    """The message of a line in JSON (container runtimes, TGI, structlog); empty where it is something else."""
    try:
        record = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    inner = record.get("fields")
    places = (record, inner) if isinstance(inner, dict) else (record,)
    return next(
        (
            value
            for place in places
            for key in ("message", "msg", "log", "event")
            if isinstance(value := place.get(key), str)
        ),
        "",
    ).strip("\n")

"""Taking a scheduler's message apart. Nothing is lost: `str(parse(text)) == text.strip()` for any text.

    0/3 nodes are available: 1 Too many pods, 2 Insufficient nvidia.com/gpu. preemption: 0/3 nodes are available: ...
    `------ opening -------' `-------------------- body -------------------' `---------------- tail -----------------'

The form is that of FitError.Error in kubernetes/kubernetes:pkg/scheduler/framework/types.go, releases 1.22 to 1.37.
Reasons hold dots and commas of their own (nvidia.com/gpu, a taint's "}, that the pod"), so the body ends where a known
tail begins, and it is split only before a count.
"""

import re
from dataclasses import replace

from bot.domain.pattern import Pattern
from bot.scheduling.messages.said import CUT, KUBE_SCHEDULER, Reason, Said
from bot.scheduling.messages.table import Place, find

_COUNT = r"(?:0|[1-9][0-9]{0,8})"
_HEAD = Pattern(rf"({_COUNT})/({_COUNT}) nodes are (un)?available:(?= |$)")
_DRY_RUN = Pattern(rf"preemption: ({_COUNT})/({_COUNT}) nodes are available:(?= |$)")
_SCALE_UP = Pattern(r"pod didn't trigger scale-up(?: \(it wouldn't fit if a new node is added\))?:(?= |$)")

_COUNTED = Pattern(rf"({_COUNT}) (.*)", re.DOTALL)
_NEXT_REASON = Pattern(rf", (?={_COUNT} )")
_NEXT_IN_TAIL = Pattern(r", (?=(?:pod group )?preemption: )|(?<=\.), ")
_TAIL = Pattern(
    r"(?:^|\.) (?=no new claims to deallocate|still not schedulable|plugin disabled|deallocation of ResourceClaim"
    r"|deletion of ResourceClaim|ResourceClaim unreserved for|All PostFilter plugins|preemption: "
    r"|pod group preemption: |not found$)"
)


def parse(text: str) -> Said:
    """Any text; blanks around it do not count."""
    text = text.strip()
    cut = text.endswith(CUT)
    said = _message(text.removesuffix(CUT), cut)
    return replace(said, end=CUT) if cut else said


def _message(text: str, cut: bool) -> Said:
    if match := _HEAD.match(text):
        speaker = "Volcano" if match[3] else KUBE_SCHEDULER
        said = Said(speaker, opening=match[0], available=int(match[1]), total=int(match[2]))
        return _fit_error(said, text[match.end() :], cut)
    if match := _SCALE_UP.match(text):
        return _with_body(Said("Cluster Autoscaler", opening=match[0]), text[match.end() :], cut, unit="node group")
    return _whole(text, cut)


def _whole(text: str, cut: bool) -> Said:
    """A message without counts; a single reason, as people paste them, will do too."""
    if not text:
        return Said(None)
    found = find(Place.WHOLE, text) or find(Place.BODY, text)
    if found is None:
        return Said(None, body=(Reason(text, cut=cut),))
    known, parts = found
    return Said(known.owner if known.foreign else KUBE_SCHEDULER, body=(Reason(text, None, known, parts, cut=cut),))


def _fit_error(said: Said, rest: str, cut: bool) -> Said:
    """`rest` is what follows the opening: nothing, or a blank and more."""
    if match := _TAIL.search(rest):
        body, stop, tail = rest[: match.start()], match[0][:-1], rest[match.end() :]
        return _with_tail(replace(_with_body(said, body), stop=stop), tail, cut)
    if (position := _strange_tail(rest, cut)) is not None:
        return _with_tail(replace(_with_body(said, rest[:position]), stop="."), rest[position + 2 :], cut)
    return _with_stop(said, rest, cut)


def _strange_tail(rest: str, cut: bool) -> int | None:
    """Where the body ends if a tail follows that no table has (a plugin from elsewhere), else None.

    A body always ends in a dot, so a text that does not has a tail. One that does may have one too.
    """
    last = [0, *(match.end() for match in _NEXT_REASON.finditer(rest))][-1]
    dots = [match.start() for match in re.finditer(r"\. ", rest[last:])]
    for dot in dots[:20]:  # what is longer than that is no scheduler's
        if _reason(rest[last : last + dot].removeprefix(" ")).known:
            return last + dot
    if dots and not cut and not rest.endswith("."):
        return last + dots[0]
    return None


def _with_stop(said: Said, rest: str, cut: bool) -> Said:
    if rest.endswith("."):
        return replace(_with_body(said, rest[:-1], cut), stop=".")
    return _with_body(said, rest, cut)


def _with_body(said: Said, rest: str, cut: bool = False, unit: str = "node") -> Said:
    """`cut`: the last reason is incomplete."""
    text = rest.removeprefix(" ")
    if not text:
        return replace(said, opening=said.opening + rest)
    pieces = _NEXT_REASON.split(text) if _COUNTED.match(text) else [text]
    last = len(pieces) - 1
    return replace(
        said, body=tuple(_reason(piece, unit, cut and position == last) for position, piece in enumerate(pieces))
    )


def _reason(piece: str, unit: str = "node", cut: bool = False) -> Reason:
    """What is cut is not looked up: half a resource's name may be another's."""
    match = _COUNTED.fullmatch(piece)
    count, text = (int(match[1]), match[2]) if match else (None, piece)
    if cut or (found := find(Place.BODY, text)) is None:
        return Reason(text, count, unit=unit, cut=cut)
    return Reason(text, count, *found, unit=unit)


def _with_tail(said: Said, text: str, cut: bool) -> Said:
    """Releases 1.26 to 1.28 put a dot after it, whether or not it ends in one of its own."""
    if text.endswith("..") and not cut:
        return replace(said, tail=_tail(text[:-1], cut), end=".")
    tail = _tail(text, cut)
    if text.endswith(".") and not cut and not _ends_in_own_dot(tail[-1]):
        return replace(said, tail=_tail(text[:-1], cut), end=".")
    return replace(said, tail=tail)


def _ends_in_own_dot(last: Reason | Said) -> bool:
    return isinstance(last, Said) or (last.known is not None and last.known.text.endswith("."))


def _tail(text: str, cut: bool) -> tuple[Reason | Said, ...]:
    pieces = _NEXT_IN_TAIL.split(text)
    last = len(pieces) - 1
    return tuple(_in_tail(piece, cut and position == last) for position, piece in enumerate(pieces))


def _in_tail(piece: str, cut: bool) -> Reason | Said:
    if match := _DRY_RUN.match(piece):
        said = Said(KUBE_SCHEDULER, opening=match[0], available=int(match[1]), total=int(match[2]))
        return _with_stop(said, piece[match.end() :], cut)
    if cut or (found := find(Place.TAIL, piece)) is None:
        return Reason(piece, cut=cut)
    return Reason(piece, None, *found)

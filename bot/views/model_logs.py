"""What a model's engines last complained of: known lines explained, others quoted, everything masked."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause, Remedy
from bot.domain.document import Bullets, Code, Document, Line, Part, line, paragraph, sentence
from bot.domain.evidence import Evidence, LogRef, Wanted
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.view import View
from bot.domain.words import count, names
from bot.scaling.served import Served
from bot.serving.error_lines import error_lines
from bot.serving.reading import Match, read
from bot.serving.signature import Sense
from bot.views import sources
from bot.views.model_list import NEEDED
from bot.views.shortened import shortened
from bot.why.rolling import well

ASKED = 8  # pods
CAUSES, LINES = 5, 8


@dataclass(frozen=True, slots=True)
class Said:
    """A known line and the pods that said it. `before`: only runs before the present one did."""

    match: Match
    pods: tuple[str, ...]
    before: bool


def chosen(one: Served, word: str) -> tuple[Pod, ...]:
    """The pod that was named, else those that are not well first; of those that are, the newest first."""
    named = [pod for pod in one.pods if word in (pod.name, pod.key, f"pod/{pod.name}", f"pod/{pod.key}")]
    ordered = sorted(one.speakers, key=lambda pod: pod.created, reverse=True)
    return tuple(named or sorted(ordered, key=well)[:ASKED])


def wanted(one: Served, pods: Sequence[Pod]) -> Wanted:
    """The log of now, and of the run before where there was one."""
    return Wanted(tuple(ref for pod in pods if pod.node for ref in _refs(one, pod)))


def show(one: Served, pods: Sequence[Pod], seen: Evidence, view: View, now: datetime) -> Reply:
    refs = [ref for pod in pods if pod.node for ref in _refs(one, pod)]
    texts = {ref: text for ref in refs if (text := seen.texts.get(ref))}
    known = _known(texts)
    quoted = _unexplained(texts, known)
    lacking = [ref for ref in refs if ref not in texts]
    unread = tuple(f"{ref}: {inert(seen.missing.get(ref, 'not looked up from here'))}" for ref in lacking)
    verdict = _verdict(one, refs, texts, known, quoted)
    parts: list[Part] = []
    if known:
        parts.append(Bullets("What it means", tuple(_said(each) for each in known[:CAUSES])))
        helps = list(dict.fromkeys(_helps(one, each) for each in known[:CAUSES] if each.match.remedies))
        if helps:
            parts.append(Bullets("What helps", tuple(helps[:CAUSES]), ordered=True))
    if quoted:
        lines = tuple(line(f"{ref.pod}{' (run before)' if ref.previous else ''}: ", Code(text)) for ref, text in quoted)
        parts.append(Bullets("Last errors, secrets masked", lines[-LINES:]))
    if unread:
        parts.append(Bullets("Could not be read", tuple(sentence(text) for text in unread)))
    if not one.pods:
        parts.append(paragraph(line("Why there is no pod: ", Code(f"/why {one.typed}"))))
    document = Document(sentence(verdict), tuple(parts), sources.footer(view, now, NEEDED))
    answer = Answer(
        cause=Cause(known[0].match.signature.id if known else "model.logs", verdict),
        as_of=now,
        evidence=tuple(f"{ref.pod}: {text}" for ref, text in quoted),
        remedies=tuple(Remedy(each.action, each.command) for said in known for each in said.match.remedies),
        unknown=unread,
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers={"pods": len({ref.pod for ref in texts}), "lines": len(quoted)},
        told=bool(texts) or not refs,
    )
    return Reply(answer, shortened(document))


def _refs(one: Served, pod: Pod) -> tuple[LogRef, ...]:
    name = one.container.text("name") or "kserve-container"  # KServe names its model server so
    restarted = any(state.restarts for state in pod.states if state.name == name)
    present = LogRef(pod.namespace, pod.name, name)
    return (present, LogRef(pod.namespace, pod.name, name, previous=True)) if restarted else (present,)


def _known(texts: dict[LogRef, str]) -> list[Said]:
    """Each signature once, what explains most first; what only was before comes last."""
    found: dict[str, list[tuple[Match, LogRef]]] = {}
    for ref, text in texts.items():
        for match in read(text).matches:
            if match.signature.sense > Sense.NOTICE:
                found.setdefault(match.signature.id, []).append((match, ref))
    said = [
        Said(
            each[0][0],
            tuple(dict.fromkeys(ref.pod for _, ref in each)),
            all(ref.previous or match.past for match, ref in each),
        )
        for each in found.values()
    ]
    return sorted(said, key=lambda each: (each.before, *(-number for number in each.match.signature.depth)))


def _unexplained(texts: dict[LogRef, str], known: Sequence[Said]) -> list[tuple[LogRef, str]]:
    """Errors beside those that are explained."""
    explained = {each.match.line[:80] for each in known}
    quoted = [(ref, text) for ref, log in texts.items() for text in error_lines(log)]
    return [(ref, text) for ref, text in quoted if not any(one in text for one in explained)]


def _said(each: Said) -> Line:
    times = f", {each.match.count} times" if each.match.count > 1 else ""
    when = ", before its last start" if each.before else ""
    return (
        f"{names(each.pods, 3)}{times}{when}: ",
        *sentence(each.match.cause.rstrip(".")),
        ": ",
        Code(each.match.line),
    )


def _helps(one: Served, each: Said) -> Line:
    remedy = each.match.remedies[0].at(
        pod=each.pods[0], namespace=one.thing.namespace, container=one.container.text("name")
    )
    return (*sentence(remedy.action.rstrip(".")), *((": ", Code(remedy.command)) if remedy.command else ()))


def _verdict(
    one: Served, refs: Sequence[LogRef], texts: dict[LogRef, str], known: Sequence[Said], quoted: Sequence[object]
) -> str:
    head = f"{one.model} ({one.typed})"
    if not refs:
        return f"{head} has no pod that could have said anything."
    if not texts:
        return f"What {head} last said cannot be told: no log could be read."
    pods = count(len({ref.pod for ref in texts}), "pod")
    cause = known[0].match.cause.rstrip(".") if known else ""
    if known and not known[0].before:
        return f"{head}: {cause}."
    if known:
        return f"{head}: before its last start: {cause}; nothing since explains a fault."
    if quoted:
        return f"{head}: {count(len(quoted), 'line')} of {pods} about errors, none of which gpubot knows."
    return f"{head}: no errors in the last lines of {pods}."

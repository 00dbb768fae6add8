"""Which object is meant: by kind, namespace and name, by the model that it serves, or by one of its pods."""

from collections.abc import Iterable, Iterator

from bot.domain.errors import NotFoundError, UpstreamError, UsageError
from bot.domain.source import Reading
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.words import names
from bot.grammar import nearest, quoted
from bot.scaling.forms import FORMS, typed
from bot.why.models import serving
from bot.why.subject import Subject, find

COMPARED = 5_000
SHOWN = 6
READ = ("deployments", "statefulsets")


def scalable(view: View) -> Iterator[Thing]:
    """All that stand on their own: a Deployment speaks for its ReplicaSets, a LeaderWorkerSet for its StatefulSets."""
    for form in FORMS.values():
        for thing in view.things(form.resource).values():
            if not _spoken_for(view, thing):
                yield thing


def target(view: View, word: str, namespace: str, told: str) -> Thing:
    """`told`: what was typed after the name. Raises UsageError, NotFoundError, UpstreamError with what to type."""
    found = [one for one in _meant(view, word) if namespace in ("", one.namespace)]
    if len(found) == 1:
        return found[0]
    if found:
        listed = names([f"`{typed(one)}`" for one in found], SHOWN)
        raise UsageError(f"{quoted(word)} can mean {listed}: type `/scale {typed(found[0])} {told}`.")
    raise _nobody(view, word, namespace, told)


def _meant(view: View, word: str) -> list[Thing]:
    """Things of that name first, then whose model it is, then whose pod it is, then beginnings of names."""
    subjects = find(view, word)
    things = [one.thing for one in subjects if one.thing is not None and one.thing.kind in FORMS]
    exact = [one for one in things if one.name == word.rpartition("/")[2]]
    for candidates in (exact, _things(serving(view, word)), _owners(view, subjects), things, _begins(view, word)):
        if found := _topmost(view, candidates):
            return found
    return []


def _things(subjects: Iterable[Subject]) -> list[Thing]:
    return [one.thing for one in subjects if one.thing is not None and one.thing.kind in FORMS]


def _owners(view: View, subjects: Iterable[Subject]) -> list[Thing]:
    """Of pods that were named."""
    uids = {one.pod.owner.uid for one in subjects if one.pod is not None and one.pod.owner is not None}
    if not uids:
        return []
    return [one for form in FORMS.values() for one in view.things(form.resource).values() if one.uid in uids]


def _begins(view: View, word: str) -> list[Thing]:
    space, _, name = word.rpartition("/")
    return [one for one in scalable(view) if one.name.startswith(name) and space in ("", one.namespace)] if name else []


def _topmost(view: View, things: Iterable[Thing]) -> list[Thing]:
    """Each replaced by whoever speaks for it, each once."""
    found: dict[str, Thing] = {}
    for thing in things:
        top = _speaker(view, thing)
        found.setdefault(f"{top.kind} {top.key}", top)
    return list(found.values())


def _spoken_for(view: View, thing: Thing) -> bool:
    return _speaker(view, thing) is not thing


def _speaker(view: View, thing: Thing) -> Thing:
    """The scalable owner that makes this object only to do its own work; a leader's pod stands between in a group."""
    if thing.owner is None:
        return thing
    if thing.kind == "StatefulSet" and (groups := thing.labels.get("leaderworkerset.sigs.k8s.io/name")):
        return view.thing("LeaderWorkerSet", thing.namespace, groups) or thing
    if thing.kind == "ReplicaSet" and thing.owner.kind in FORMS:
        return view.thing(thing.owner.kind, thing.namespace, thing.owner.name) or thing
    return thing


def _nobody(view: View, word: str, namespace: str, told: str) -> Exception:
    silent = [name for name in READ if not view.knows(name) and view.source(name).reading is not Reading.ABSENT]
    if silent:
        source = view.source(silent[0])
        why = f"{silent[0]} could not be read ({source.detail or source.reading})"
        return UpstreamError(f"Whether there is {quoted(word)} cannot be told: {why}.", retryable=True)
    other = [one for one in find(view, word) if namespace in ("", one.namespace)]
    if other:
        what = "a pod of nobody's" if other[0].pod else f"a {other[0].kind}"
        kinds = names([form.word for form in FORMS.values()], len(FORMS))
        return UsageError(f"{other[0].title} is {what} and has no replicas to set; what can be scaled: {kinds}.")
    known = {one.name: typed(one) for one in list(scalable(view))[:COMPARED]}
    close = nearest(word.rpartition("/")[2], list(known))
    hint = f"did you mean `/scale {known[close]} {told}`?" if close else "`/scale` lists what can be scaled."
    where = f" in {namespace}" if namespace else ""
    return NotFoundError(f"Nothing{where} is called {quoted(word)}; {hint}")

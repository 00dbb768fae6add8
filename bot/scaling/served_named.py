"""Which model is meant by what was typed: a workload, the name that it serves, or one of its pods."""

import unicodedata

from bot.domain.errors import NotFoundError, UpstreamError, UsageError
from bot.domain.source import Reading
from bot.domain.view import View
from bot.domain.words import names
from bot.grammar import nearest, quoted
from bot.scaling.served import Served, of, served
from bot.scaling.target import READ
from bot.why.subject import find

SHOWN = 6
_ALIKE = str.maketrans(  # Cyrillic and Greek letters that look like Latin ones
    "аеорсухіјѕԁԛԝһкмнтвАВЕКМНОРСТХαεικνορτυχΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdqwhkmhtvABEKMHOPCTXaeiknoptuxABEZHIKMNOPTYX",
)


def named(view: View, word: str, namespace: str, typed: str) -> Served:
    """`typed`: the command, such as `/model status`. Raises UsageError, NotFoundError, UpstreamError."""
    every = served(view, namespace)
    found = _meant(view, every, word)
    if len(found) == 1:
        return found[0]
    if found:
        listed = names([f"`{one.typed}`" for one in found], SHOWN)
        raise UsageError(f"{quoted(word)} can mean {listed}: type `{typed} {found[0].typed}`.")
    raise _nobody(view, every, word, namespace, typed)


def _meant(view: View, every: list[Served], word: str) -> list[Served]:
    """By the workload's own name, by the model's, by a pod's, then by how names begin."""
    wanted = word.casefold()
    subjects = find(view, word)
    things = {id(one.thing) for one in subjects if one.thing is not None}
    last = wanted.rpartition("/")[2]
    pods = {one.pod.key for one in subjects if one.pod is not None}
    by_thing = [one for one in every if id(one.thing) in things]
    readings = (
        [one for one in by_thing if one.thing.name.casefold() == last],
        [one for one in every if wanted in one.names],
        [one for one in every if any(pod.key in pods for pod in one.pods)],
        by_thing,
        [one for one in every if any(name.startswith(wanted) for name in one.names)],
    )
    return next((found for found in readings if found), [])


def _nobody(view: View, every: list[Served], word: str, namespace: str, typed: str) -> Exception:
    silent = [name for name in READ if not view.knows(name) and view.source(name).reading is not Reading.ABSENT]
    if silent:
        source = view.source(silent[0])
        why = f"{silent[0]} could not be read ({source.detail or source.reading})"
        return UpstreamError(f"Whether {quoted(word)} is served here cannot be told: {why}.", retryable=True)
    other = [one for one in find(view, word) if namespace in ("", one.namespace)]
    if other and not any(of(view, one.thing) for one in other if one.thing is not None and one.kind == "Deployment"):
        return UsageError(
            f"{other[0].title} runs no engine that gpubot knows: `/why {other[0].typed}` tells of it, `/model list` "
            "lists what serves models."
        )
    known = {name: one.typed for one in every for name in (one.thing.name, *sorted(one.names))}
    close = nearest(word.translate(_ALIKE).rpartition("/")[2], list(known))
    hint = f"did you mean `{typed} {known[close]}`?" if close else "`/model list` lists what serves models."
    where = f" in {namespace}" if namespace else ""
    return NotFoundError(f"No model{where} is called {quoted(word)}{_letters(word)}; {hint}")


def _letters(word: str) -> str:
    """Which letters only look like those of a name."""
    odd = [one for one in dict.fromkeys(word) if not one.isascii()]
    if not odd or word.translate(_ALIKE) == word:
        return ""
    told = names([f"{unicodedata.name(one, 'an unnamed sign').lower()}" for one in odd], 3)
    return f" (it has letters that only look Latin: {told})"

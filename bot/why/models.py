"""A model's name as a subject: whose engines serve it, by the command lines in the templates of owners.

why glm-5.2      why zai-org/GLM-5-FP8
"""

from collections.abc import Iterator

from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.serving.arguments import read_arguments
from bot.why.subject import Subject, of_thing

SERVING = ("deployments", "statefulsets", "leaderworkersets", "inferenceservices", "jobs")
_TEMPLATES = (
    ("spec", "template", "spec"),
    ("spec", "leaderWorkerTemplate", "leaderTemplate", "spec"),
    ("spec", "leaderWorkerTemplate", "workerTemplate", "spec"),
    ("spec", "predictor"),
)


def serving(view: View, word: str) -> list[Subject]:
    """Topmost owners whose engine serves that model: by its served name, its path, or the last part of it."""
    wanted = word.casefold()
    last = wanted.rpartition("/")[2].encode()
    things = (thing for table in SERVING for thing in view.things(table).values() if thing.owner is None)
    return [of_thing(view, thing) for thing in things if last in thing.raw.lower() and wanted in _names(thing)]


def _names(thing: Thing) -> set[str]:
    """What the model may be called, in small letters."""
    names: set[str] = set()
    for container in _containers(thing.fields):
        environment = {one.text("name"): one.text("value") for one in container.each("env")}
        told = read_arguments((*container.texts("command"), *container.texts("args")), environment)
        for name in (told.model, told.served_name):
            names |= {name.casefold(), name.casefold().rstrip("/").rpartition("/")[2]}
    return names - {""}


def _containers(fields: Fields) -> Iterator[Fields]:
    for path in _TEMPLATES:
        yield from fields.at(*path).each("containers")
        yield fields.at(*path, "model")

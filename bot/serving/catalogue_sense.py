"""What no entry of the catalogue can tell alone: a name that two models have, a model or an engine that is missing."""

from collections.abc import Collection, Iterator

from bot.grammar import quoted
from bot.serving.model import Model


def check(models: tuple[Model, ...], released: Collection[str]) -> None:
    """`released`: engines of which a version is named. Raises ValueError with the first thing that is wrong."""
    for wrong in (*_names(models), *_fallbacks(models), *_engines(models, released)):
        raise ValueError(wrong)


def _names(models: tuple[Model, ...]) -> Iterator[str]:
    owners: dict[str, str] = {}
    for model in models:
        if model.id not in model.names:
            yield f"`names` of models {model.id} have to hold {quoted(model.id)} too: other entries and labels say it"
        for name in model.names:
            if not name.isascii() or name != name.casefold() or "/" in name or " " in name:
                yield f"`names` of models {model.id}: {quoted(name)} has to be small ASCII letters without / and blanks"
            if owners.setdefault(name, model.id) != model.id:
                yield f"`names` of models {model.id}: {quoted(name)} is a name of {owners[name]} already"


def _fallbacks(models: tuple[Model, ...]) -> Iterator[str]:
    known = {model.id for model in models}
    for model in models:
        for other in model.fallback:
            if other not in known or other == model.id:
                yield f"`fallback` of models {model.id} names {quoted(other)}, which is no other model here"


def _engines(models: tuple[Model, ...], released: Collection[str]) -> Iterator[str]:
    for model in models:
        engines = {support.engine for variant in model.variants for support in variant.engines}
        for engine in sorted(engines - set(released)):
            yield f"`{engine}` of `engines` is missing: models {model.id} needs a version and an image of it"
        if not engines:
            yield f"models {model.id} has no variant that an engine could serve"

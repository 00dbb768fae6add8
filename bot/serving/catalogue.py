"""The models that can be deployed: config/models.yaml, read when the first is asked for, and checked whole."""

from collections.abc import Iterator, Sequence
from functools import cache

from bot.domain import data_file
from bot.domain.data_file import Texts
from bot.domain.errors import ConfigError, UsageError
from bot.domain.words import names
from bot.grammar import nearest, quoted
from bot.serving.catalogue_entry import Entry
from bot.serving.catalogue_parts import architecture, bug, release, source, support
from bot.serving.catalogue_sense import check
from bot.serving.model import Catalogue, Model, Support, Variant

FILE = "models.yaml"
_KEYS = frozenset(
    {"title", "names", "family", "licence", "architecture", "fallback", "note", "variants", "engines", "bugs"}
)
_OF_VARIANTS = frozenset({"context", "overhead_gib", "kernel", "factor", "lowest", "measured", "source"})
_OF_ONE = frozenset({"huggingface", "modelscope", "weights_bytes", "files", "block", "tile", "note"})


@cache
def catalogue() -> Catalogue:
    """Raises ConfigError."""
    return read(data_file.load(FILE), str(data_file.FOLDER / FILE))


def read(told: Texts, where: str) -> Catalogue:
    """Raises ConfigError that says which figure of which entry is missing or wrong."""
    try:
        whole = Entry("", told)
        whole.only({"as_of", "sources", "engines", "architectures", "kernels", "models"})
        releases = {one.engine: one for entry in whole.each("engines") if (one := release(entry, whole))}
        for entry in whole.each("kernels"):
            entry.only({"only", "because", "source"})
            entry.capabilities("only"), entry.text("because"), source(entry, whole)
        models = tuple(_model(entry, whole) for entry in whole.each("models"))
        check(models, releases)
        return Catalogue(whole.text("as_of"), releases, models)
    except ValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from wrong


def find(known: Catalogue, word: str) -> tuple[Model, Variant | None]:
    """The model that people call so, and its variant where the word means one (`glm-5.2-fp8`). Raises UsageError."""
    plain = word.strip().casefold()
    if not plain.isascii():
        raise UsageError(f"{quoted(word)} has letters that no model's name has: type it in plain ASCII, such as `glm`.")
    for model, variant in _variants(known):
        if plain in _checkpoints(variant):
            return model, variant
    found = _by_name(known, plain)
    if found is None:
        raise UsageError(_unknown(known, word, plain))
    return found


def is_name(known: Catalogue, words: Sequence[str]) -> bool:
    """Whether these words are a model's name when they are joined by hyphens: `glm flash`, `glm 5.2 fp8`."""
    return _by_name(known, "-".join(words).casefold()) is not None


def _by_name(known: Catalogue, plain: str) -> tuple[Model, Variant | None] | None:
    for model in known.models:
        if plain in model.names:
            return model, None
    for model, variant in _variants(known):
        bare = (one.rpartition("/")[2] for one in _checkpoints(variant))
        if plain in (*(f"{name}-{variant.id}" for name in model.names), *bare):
            return model, variant
    return None


def _variants(known: Catalogue) -> Iterator[tuple[Model, Variant]]:
    return ((model, variant) for model in known.models for variant in model.variants)


def _checkpoints(variant: Variant) -> tuple[str, ...]:
    """Where its weights are, in lower case: `zai-org/glm-5.2-fp8`."""
    return tuple(one.casefold() for one in (variant.huggingface, variant.modelscope) if one)


def _unknown(known: Catalogue, word: str, plain: str) -> str:
    owner, _, bare = plain.rpartition("/")
    theirs = _by_name(known, bare) if owner else None
    if theirs is not None:
        variant = theirs[1] or theirs[0].variants[0]
        return f"The catalogue has no weights of {quoted(word)}: type `{variant.huggingface}` for those that it has."
    close = nearest(bare, [*_every_name(known)])
    listed = names([f"`{model.names[0]}`" for model in known.models], 12)
    hint = f"did you mean `{close}`?" if close else f"there are {listed}."
    return f"No model of the catalogue is called {quoted(word)}: {hint} `config/models.yaml` takes more."


def _every_name(known: Catalogue) -> Iterator[str]:
    """Without those of variants: a slip in the model is told first."""
    return (name for model in known.models for name in model.names)


def _model(entry: Entry, whole: Entry) -> Model:
    entry.only(_KEYS | _OF_VARIANTS)
    supports = tuple(support(one, whole) for one in entry.each("engines"))
    return Model(
        id=entry.name.rpartition(" ")[2],
        title=entry.text("title"),
        names=entry.parts("names"),
        family=entry.text("family"),
        licence=entry.text("licence"),
        architecture=architecture(whole.under("architectures").under(entry.text("architecture")), whole),
        variants=tuple(_variant(one, entry, whole, supports) for one in entry.each("variants")),
        bugs=tuple(bug(one) for one in entry.each("bugs", may_be_missing=True)),
        fallback=entry.parts("fallback", may_be_missing=True),
        note=entry.text("note", ""),
    )


def _variant(entry: Entry, model: Entry, whole: Entry, supports: tuple[Support, ...]) -> Variant:
    entry.only(_OF_VARIANTS | _OF_ONE)
    both = entry.over(model)
    kernel = both.text("kernel", "")
    only = whole.under("kernels").under(kernel) if kernel else None
    return Variant(
        id=entry.name.rpartition(" ")[2],
        huggingface=entry.text("huggingface"),
        modelscope=entry.text("modelscope", ""),
        weights_bytes=entry.whole("weights_bytes", least=1),
        context_tokens=both.whole("context", least=1),
        factor=both.number("factor", least=1),
        overhead_gib=both.number("overhead_gib"),
        lowest=both.capability("lowest"),
        only=only.capabilities("only") if only else (),
        because=only.text("because") if only else "",
        engines=supports,
        block=entry.whole("block", 0),
        tile=entry.whole("tile", 0),
        files=entry.whole("files", 0),
        measured=entry.one_of("measured", ("yes", "no"), "no") == "yes",
        note=entry.text("note", ""),
        source=source(entry, whole),
    )

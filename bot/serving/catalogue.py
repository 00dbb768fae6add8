"""The models that can be deployed: config/models.yaml, read when the first is asked for, and checked whole."""

from collections.abc import Iterator
from functools import cache

from bot.domain import data_file
from bot.domain.data_file import Texts
from bot.domain.errors import ConfigError, UsageError
from bot.domain.words import names
from bot.grammar import nearest, quoted
from bot.serving.catalogue_entry import Entry
from bot.serving.engines.collect import engines
from bot.serving.model import Architecture, Bug, Catalogue, Gqa, Mla, Model, Release, Support, Variant

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
        models = tuple(_model(entry, whole) for entry in whole.each("models"))
        _whole_ladder(models)
        releases = [_release(entry) for entry in whole.each("engines")]
        return Catalogue(whole.text("as_of"), {one.engine: one for one in releases}, models)
    except ValueError as wrong:
        raise ConfigError(f"{where}: {wrong}") from wrong


def find(known: Catalogue, word: str) -> tuple[Model, Variant | None]:
    """The model that people call so, and its variant where the word means one (`glm-5.2-fp8`). Raises UsageError."""
    plain = word.casefold().rpartition("/")[2]
    if not plain.isascii():
        raise UsageError(f"{quoted(word)} has letters that no model's name has: type it in plain ASCII, such as `glm`.")
    exact = next((pair for pair in _variants(known) if word.casefold() in _checkpoints(pair[1])), None)
    if exact is not None:
        return exact
    for model in known.models:
        if plain in model.names:
            return model, None
    for model, variant in _variants(known):
        bare = (one.rpartition("/")[2] for one in _checkpoints(variant))
        if plain in (*(f"{name}-{variant.id}" for name in model.names), *bare):
            return model, variant
    raise UsageError(_unknown(known, word, plain))


def _variants(known: Catalogue) -> Iterator[tuple[Model, Variant]]:
    return ((model, variant) for model in known.models for variant in model.variants)


def _checkpoints(variant: Variant) -> tuple[str, ...]:
    """Where its weights are, in lower case: `zai-org/glm-5.2-fp8`."""
    return tuple(one.casefold() for one in (variant.huggingface, variant.modelscope) if one)


def _unknown(known: Catalogue, word: str, plain: str) -> str:
    every = [name for model in known.models for name in model.names]
    close = nearest(plain, every)
    listed = names([f"`{model.names[0]}`" for model in known.models], 12)
    hint = f"did you mean `{close}`?" if close else f"there are {listed}."
    return f"No model of the catalogue is called {quoted(word)}: {hint} `config/models.yaml` takes more."


def _model(entry: Entry, whole: Entry) -> Model:
    entry.only(_KEYS | _OF_VARIANTS)
    supports = tuple(_support(one, whole) for one in entry.each("engines"))
    return Model(
        id=entry.name.rpartition(" ")[2],
        title=entry.text("title"),
        names=entry.parts("names"),
        family=entry.text("family"),
        licence=entry.text("licence"),
        architecture=_architecture(whole.under("architectures").under(entry.text("architecture")), whole),
        variants=tuple(_variant(one, entry, whole, supports) for one in entry.each("variants")),
        bugs=tuple(_bug(one) for one in entry.each("bugs", may_be_missing=True)),
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
        weights_bytes=entry.whole("weights_bytes"),
        context_tokens=both.whole("context"),
        factor=both.number("factor"),
        overhead_gib=both.number("overhead_gib"),
        lowest=both.capability("lowest"),
        only=only.capabilities("only") if only else (),
        because=only.text("because") if only else "",
        engines=supports,
        block=entry.whole("block", 0),
        tile=entry.whole("tile", 0),
        files=entry.whole("files", 0),
        measured=entry.text("measured", "no") == "yes",
        note=entry.text("note", ""),
        source=_source(entry, whole),
    )


def _architecture(entry: Entry, whole: Entry) -> Architecture:
    kind = entry.text("attention")
    if kind not in ("mla", "gqa"):
        raise ValueError(f"{entry.where('attention')} is mla or gqa, not {quoted(kind)}")
    attention: Mla | Gqa = (
        Gqa(entry.whole("kv_heads"), entry.whole("head_dim"))
        if kind == "gqa"
        else Mla(
            entry.whole("lora_rank"),
            entry.whole("rope_dim"),
            entry.whole("index_head_dim"),
            entry.whole("index_layers"),
        )
    )
    return Architecture(
        class_name=entry.text("class"),
        layers=entry.whole("layers"),
        mtp_layers=entry.whole("mtp_layers"),
        hidden=entry.whole("hidden"),
        heads=entry.whole("heads"),
        attention=attention,
        moe_intermediate=entry.whole("moe_intermediate"),
        kv_layers=entry.whole("kv_layers", 0),
        source=_source(entry, whole),
    )


def _support(entry: Entry, whole: Entry) -> Support:
    engine = entry.name.rpartition(" ")[2]
    if engine not in engines():
        raise ValueError(f"{entry.name}: no engine is called {quoted(engine)}, only {names(sorted(engines()), 5)}")
    dtypes = entry.under("kv_dtypes").told if "kv_dtypes" in entry.told else {}
    return Support(
        engine=engine,
        first=entry.version("first"),
        advised=entry.version("advised"),
        all_index_until=entry.version("all_index_until") if "all_index_until" in entry.told else None,
        tool_parser=entry.text("tool_parser", ""),
        reasoning_parser=entry.text("reasoning_parser", ""),
        kv_dtypes={key: str(value) for key, value in dtypes.items()},
        mtp_tokens=entry.whole("mtp_tokens", 0),
        arguments=entry.parts("arguments", may_be_missing=True),
        source=_source(entry, whole),
    )


def _bug(entry: Entry) -> Bug:
    return Bug(
        what=entry.text("what"),
        instead=entry.text("instead"),
        engine=entry.text("engine"),
        first=entry.version("first") if "first" in entry.told else None,
        fixed=entry.version("fixed") if "fixed" in entry.told else None,
        gpus=entry.parts("gpus", may_be_missing=True),
        when=entry.text("when", ""),
        source=entry.text("source"),
    )


def _release(entry: Entry) -> Release:
    engine = entry.name.rpartition(" ")[2]
    return Release(engine, entry.version("version"), entry.text("image"), entry.text("source"))


def _source(entry: Entry, whole: Entry) -> str:
    """In full: an entry names one of the `sources`."""
    return whole.under("sources").text(entry.text("source"))


def _whole_ladder(models: tuple[Model, ...]) -> None:
    known = {model.id for model in models}
    for model in models:
        for other in _missing(model, known):
            raise ValueError(f"model {model.id}: `fallback` names {quoted(other)}, which is no model here")


def _missing(model: Model, known: set[str]) -> Iterator[str]:
    return (other for other in model.fallback if other not in known)

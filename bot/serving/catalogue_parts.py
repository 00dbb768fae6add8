"""What an entry of the catalogue's file is made of: an architecture, an engine's support, a known fault, a release."""

from bot.domain.words import names
from bot.grammar import quoted
from bot.serving.catalogue_entry import Entry
from bot.serving.engines.collect import engines
from bot.serving.model import BUG_WHENS, GENERATIONS, KV_DTYPES, Architecture, Bug, Gqa, Mla, Release, Support

_OF_ALL = frozenset({"class", "layers", "mtp_layers", "heads", "moe_intermediate", "attention", "kv_layers", "source"})
_OF_MLA = frozenset({"lora_rank", "rope_dim", "index_head_dim", "index_layers"})
_OF_GQA = frozenset({"kv_heads", "head_dim"})
_OF_SUPPORT = frozenset(
    {
        "first",
        "advised",
        "all_index_until",
        "tool_parser",
        "reasoning_parser",
        "kv_dtypes",
        "mtp_tokens",
        "arguments",
        "source",
    }
)
_OF_BUGS = frozenset({"what", "instead", "engine", "first", "fixed", "gpus", "when", "source"})


def architecture(entry: Entry, whole: Entry) -> Architecture:
    kind = entry.one_of("attention", ("mla", "gqa"))
    entry.only(_OF_ALL | (_OF_MLA if kind == "mla" else _OF_GQA))
    return Architecture(
        class_name=entry.text("class"),
        layers=entry.whole("layers", least=1),
        mtp_layers=entry.whole("mtp_layers", 0),
        heads=entry.whole("heads", least=1),
        attention=_mla(entry) if kind == "mla" else _gqa(entry),
        moe_intermediate=entry.whole("moe_intermediate", 0),
        kv_layers=entry.whole("kv_layers", 0),
        source=source(entry, whole),
    )


def _mla(entry: Entry) -> Mla:
    return Mla(
        entry.whole("lora_rank", least=1),
        entry.whole("rope_dim"),
        entry.whole("index_head_dim", 0),
        entry.whole("index_layers", 0),
    )


def _gqa(entry: Entry) -> Gqa:
    return Gqa(entry.whole("kv_heads", least=1), entry.whole("head_dim", least=1))


def support(entry: Entry, whole: Entry) -> Support:
    entry.only(_OF_SUPPORT)
    engine = _engine(entry, entry.name.rpartition(" ")[2])
    first, advised = entry.version("first"), entry.version("advised")
    if advised < first:
        raise ValueError(f"{entry.where('advised')} is older than `first`, which is the oldest that can at all")
    return Support(
        engine=engine,
        first=first,
        advised=advised,
        all_index_until=entry.version("all_index_until") if "all_index_until" in entry.told else None,
        tool_parser=entry.text("tool_parser", ""),
        reasoning_parser=entry.text("reasoning_parser", ""),
        kv_dtypes=_kv_dtypes(entry.under("kv_dtypes")) if "kv_dtypes" in entry.told else {},
        mtp_tokens=entry.whole("mtp_tokens", 0),
        arguments=_arguments(entry),
        source=source(entry, whole),
    )


def _kv_dtypes(entry: Entry) -> dict[str, str]:
    entry.only(frozenset(GENERATIONS))
    return {key: entry.one_of(key, KV_DTYPES) for key in entry.told}


def _arguments(entry: Entry) -> tuple[str, ...]:
    found = entry.parts("arguments", may_be_missing=True)
    if any(not one.startswith("--") for one in found):
        raise ValueError(f"{entry.where('arguments')} are flags such as `--trust-remote-code`, between commas")
    return found


def bug(entry: Entry) -> Bug:
    entry.only(_OF_BUGS)
    first, fixed = (entry.version(key) if key in entry.told else None for key in ("first", "fixed"))
    gpus = entry.parts("gpus", may_be_missing=True)
    for one in gpus:
        if one not in GENERATIONS:
            raise ValueError(f"{entry.where('gpus')} are some of {names(GENERATIONS, 12)}, not {quoted(one)}")
    return Bug(
        what=entry.text("what"),
        instead=entry.text("instead"),
        engine=_engine(entry, entry.text("engine")),
        first=first,
        fixed=fixed,
        gpus=gpus,
        when=entry.one_of("when", BUG_WHENS, ""),
        source=entry.text("source"),
    )


def release(entry: Entry, whole: Entry) -> Release:
    entry.only({"version", "image", "source"})
    engine = _engine(entry, entry.name.rpartition(" ")[2])
    return Release(engine, entry.version("version"), entry.text("image"), source(entry, whole))


def source(entry: Entry, whole: Entry) -> str:
    """In full: an entry names one of the `sources`."""
    return whole.under("sources").text(entry.text("source"))


def _engine(entry: Entry, name: str) -> str:
    if name not in engines():
        raise ValueError(f"{entry.name}: no engine is called {quoted(name)}, only {names(sorted(engines()), 5)}")
    return name

"""The tables of docs/models.md, made of the catalogue: `python -m tests.serving.catalogue_page` prints them."""

from collections.abc import Iterator

from bot.deploying.attempt import shown
from bot.serving.catalogue import catalogue
from bot.serving.model import Model, Support, Variant

_NAMES_SHOWN = 3


def models() -> str:
    rows = ["| Model | What to type | Context | vLLM from | SGLang from | Parsers | Ahead |", "|" + "---|" * 7]
    return "\n".join([*rows, *(_model(one) for one in catalogue().models)])


def weights() -> str:
    rows = ["| Weights | GB | Compute capability | Not between ranks | Known by |", "|" + "---|" * 5]
    return "\n".join([*rows, *(_weights(one) for model in catalogue().models for one in model.variants)])


def faults() -> str:
    return "\n".join(_faults())


def _model(model: Model) -> str:
    names = ", ".join(f"`{name}`" for name in model.names[:_NAMES_SHOWN])
    vllm, sglang = model.variants[0].support("vllm"), model.variants[0].support("sglang")
    main = vllm or sglang
    assert main is not None
    parsers = ", ".join(f"`{one}`" for one in (main.tool_parser, main.reasoning_parser) if one) or "none"
    cells = (model.title, names, f"{model.variants[0].context_tokens:,}", _first(vllm), _first(sglang), parsers)
    return f"| {' | '.join(cells)} | {main.mtp_tokens or 'no'} |"


def _first(support: Support | None) -> str:
    return shown(support.first) if support is not None else "–"


def _weights(variant: Variant) -> str:
    capabilities = ", ".join(f"{major}.{minor}" for major, minor in variant.only)
    lowest = f"from {variant.lowest[0]}.{variant.lowest[1]}"
    uncut = f"blocks of {variant.block}" if variant.block else f"tiles of 64 of {variant.tile}" if variant.tile else "–"
    known = "measured" if variant.measured else "worked out"
    return f"| `{variant.huggingface}` | {variant.weights_bytes / 1e9:.1f} | {capabilities or lowest} | {uncut} | {known} |"


def _faults() -> Iterator[str]:
    for model in catalogue().models:
        for bug in model.bugs:
            until = f" before {shown(bug.fixed)}" if bug.fixed is not None else ""
            since = f" from {shown(bug.first)}" if bug.first is not None else ""
            yield f"- {model.title}, {bug.engine}{since}{until}: {bug.what}. Instead: {bug.instead} ({bug.source})."


if __name__ == "__main__":
    print(models(), weights(), faults(), sep="\n\n")

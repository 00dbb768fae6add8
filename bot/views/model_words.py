"""Figures of engines in words; `?` where something is not known."""

from bot.scaling.served import Served
from bot.serving.figures import Figures

NOT_KNOWN = "?"


def number(value: float | None, *, partial: bool = False) -> str:
    """`1,204`, `0.4`; `≥ 1,204` where only a part was told."""
    if value is None:
        return NOT_KNOWN
    text = f"{value:.1f}" if 0 < value < 10 and value != int(value) else f"{value:,.0f}"
    return f"≥ {text}" if partial else text


def percent(share: float | None) -> str:
    return NOT_KNOWN if share is None else f"{100 * share:.0f} %"


def seconds(value: float | None) -> str:
    """`84 ms`, `1.2 s`."""
    if value is None:
        return NOT_KNOWN
    return f"{1000 * value:.0f} ms" if value < 1 else f"{value:.1f} s"


def engine(one: Served, seen: Figures) -> str:
    """`vllm 0.33.0`: as it says itself, else as its image does."""
    versions = seen.versions or ((one.version,) if one.version else ())
    name = one.engine or "engine"
    return f"{name} {' and '.join(versions)}" if versions else name


def gpus(one: Served, product: str) -> str:
    """`3 × 8 H200`, or how many one replica would get."""
    if not one.gpus:
        return "none"
    return f"{one.wanted} × {one.gpus}{f' {product}' if product else ''}"

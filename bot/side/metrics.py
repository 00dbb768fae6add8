"""gpubot's own figures in Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure with its samples by label values. kind: gauge or counter."""

    name: str
    kind: str
    help: str
    label: str = ""
    samples: Mapping[str, float] = field(default_factory=dict)


def text(metrics: Iterable[Metric]) -> str:
    """Those that have samples."""
    lines: list[str] = []
    for one in metrics:
        if one.samples:
            lines += [f"# HELP {one.name} {one.help}", f"# TYPE {one.name} {one.kind}"]
            lines += [f"{one.name}{_labels(one.label, value)} {number:g}" for value, number in one.samples.items()]
    return "\n".join(lines) + "\n"


def _labels(label: str, value: str) -> str:
    return f'{{{label}="{value.translate(_ESCAPES)}"}}' if label else ""

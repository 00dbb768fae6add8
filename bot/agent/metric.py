"""Prometheus' text format (prometheus/docs: instrumenting/exposition_formats) for gauges and counters."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4"
Labels = Mapping[str, str]


@dataclass(slots=True)
class Family:
    """All samples of one name. Values that were not told have no sample: absence is not zero."""

    name: str
    about: str
    kind: str = "gauge"
    samples: list[tuple[Labels, float]] = field(default_factory=list)

    def add(self, value: float | None, labels: Labels | None = None) -> None:
        if value is not None:
            self.samples.append((labels or {}, value))


def text(families: Iterable[Family]) -> str:
    return "".join(_family(one) for one in families if one.samples)


def _family(one: Family) -> str:
    lines = [f"# HELP {one.name} {one.about}", f"# TYPE {one.name} {one.kind}"]
    lines += [f"{one.name}{_labels(labels)} {_number(value)}" for labels, value in one.samples]
    return "\n".join(lines) + "\n"


def _labels(labels: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(value)}"' for name, value in labels.items()) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))

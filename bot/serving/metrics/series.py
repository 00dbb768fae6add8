"""Samples of one time, joined over models and ranks into what a reading says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise

from bot.domain.engine import Histogram, Rank
from bot.domain.text import inert
from bot.serving.metrics.exposition import Sample, label_of, labels_of
from bot.serving.metrics.names import Form

MODELS_MOST = 16
RANKS_MOST = 128
BOUNDS_MOST = 200
NAME_LONGEST = 120
_OF_RANKS = frozenset({"running", "waiting", "kv_cache_usage", "generated_tokens", "prompt_tokens"})
_FIRST = ("", "0")


@dataclass
class Joined:
    """Sums and maxima by field, histograms by field, and whose they are."""

    engine: str = ""
    numbers: dict[str, float] = field(default_factory=dict)
    finished: dict[str, float] = field(default_factory=dict)
    histograms: dict[str, Histogram] = field(default_factory=dict)
    config: dict[str, str] = field(default_factory=dict)
    sleeping: bool | None = None
    models: tuple[str, ...] = ()
    ranks: tuple[Rank, ...] = ()


def joined(found: Iterable[Sample]) -> Joined:
    """Of a series that is said twice, by an older name too, the last value counts."""
    latest = {(one.name.field, one.part, one.labels): one for one in found}
    whole = Joined()
    buckets: dict[str, dict[float, float]] = {}
    sums: dict[str, float] = {}
    ranks: dict[str, dict[str, float]] = {}
    models: dict[str, None] = {}
    for one in latest.values():
        name, labels = one.name, one.labels
        if whole.engine and name.engine != whole.engine:
            continue  # a page of two engines is no engine's: the first one counts
        whole.engine = name.engine
        if name.form is Form.HISTOGRAM:
            _observe(one, buckets, sums)
            continue
        if "_rank=" in labels and not _counts(labels):
            continue
        if name.form is Form.FINISHED:
            how = inert(label_of(labels, name.label), 40)
            whole.finished[how] = whole.finished.get(how, 0.0) + one.value
        elif name.form is Form.LABELS:
            _informed(whole, name.field, labels_of(labels), one.value)
        elif name.only is None or label_of(labels, name.only[0]) == name.only[1]:
            _add(whole.numbers, name.field, one.value, name.form)
            if name.field in _OF_RANKS and len(ranks) < RANKS_MOST:
                _add(ranks.setdefault(_rank(labels), {}), name.field, one.value, name.form)
                models.setdefault(inert(label_of(labels, "model_name") or label_of(labels, "model"), NAME_LONGEST))
    whole.models = tuple(one for one in models if one)[:MODELS_MOST]
    made = {name: _histogram(bounds, sums.get(name, 0.0)) for name, bounds in buckets.items()}
    whole.histograms = {name: one for name, one in made.items() if one is not None}
    whole.ranks = tuple(_told(name, one) for name, one in sorted(ranks.items())) if len(ranks) > 1 else ()
    return whole


def _counts(labels: str) -> bool:
    """SGLang has a series for each rank, which all tell the same of one batch: the first of each group counts."""
    return label_of(labels, "tp_rank") in _FIRST and label_of(labels, "pp_rank") in _FIRST


def _rank(labels: str) -> str:
    return inert(label_of(labels, "engine") or label_of(labels, "dp_rank"), 20)


def _add(numbers: dict[str, float], name: str, value: float, form: Form) -> None:
    known = numbers.get(name)
    numbers[name] = value if known is None else max(known, value) if form is Form.MOST else known + value


def _informed(whole: Joined, name: str, labels: Mapping[str, str], value: float) -> None:
    if name == "config":
        whole.config |= labels
    elif labels.get("sleep_state") == "awake":
        whole.sleeping = value == 0
    elif whole.sleeping is None and "sleep_state" not in labels:
        whole.sleeping = value > 0  # releases that tell it as one number: how deep it sleeps


def _observe(one: Sample, buckets: dict[str, dict[float, float]], sums: dict[str, float]) -> None:
    """Buckets of all series with the same bound are one."""
    if one.part == "sum":
        sums[one.name.field] = sums.get(one.name.field, 0.0) + one.value
    elif one.part == "bucket":
        bounds = buckets.setdefault(one.name.field, {})
        bound = _bound(label_of(one.labels, "le"))
        if bound is not None and (bound in bounds or len(bounds) < BOUNDS_MOST):
            bounds[bound] = bounds.get(bound, 0.0) + one.value


def _bound(text: str) -> float | None:
    try:
        bound = float(text)
    except ValueError:
        return None
    return bound if bound == bound and bound >= 0 else None


def _histogram(bounds: Mapping[float, float], total: float) -> Histogram | None:
    """None where the last bucket is missing, or where counts fall: then it says nothing that holds."""
    ordered = sorted(bounds.items())
    counts = tuple(count for _, count in ordered)
    if not ordered or ordered[-1][0] != float("inf") or any(a > b for a, b in pairwise(counts)):
        return None
    return Histogram(_shared(tuple(bound for bound, _ in ordered)), counts, total)


@lru_cache(maxsize=256)
def _shared(bounds: tuple[float, ...]) -> tuple[float, ...]:
    """One object for all engines of a kind: thousands of readings are kept."""
    return bounds


def _told(name: str, one: Mapping[str, float]) -> Rank:
    tokens = [one[key] for key in ("generated_tokens", "prompt_tokens") if key in one]
    return Rank(
        name=name,
        running=one.get("running"),
        waiting=one.get("waiting"),
        kv_cache_usage=one.get("kv_cache_usage"),
        progress=sum(tokens) if tokens else None,
    )

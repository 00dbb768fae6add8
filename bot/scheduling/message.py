"""The text of kube-scheduler's condition and event, as release 1.36 writes it.

kubernetes/kubernetes:pkg/scheduler/framework/types.go (FitError): a histogram of reasons, sorted as text, so that
"10 x" stands before "2 y"; then the tail that PostFilter plugins add.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

NO_NODES = "no nodes available to schedule pods"
GATED = "Scheduling is blocked due to non-empty scheduling gates"


def available(nodes: int, failures: Iterable[tuple[str, ...]], more: Mapping[str, int] | None = None) -> str:
    """`0/N nodes are available: <count> <reason>, ....` from the reasons of each node; `more` are counts to add."""
    counts = Counter(more or {})
    for reasons, count in Counter(failures).items():  # thousands of nodes fail in a handful of ways
        for reason in reasons:
            counts[reason] += count
    body = ", ".join(sorted(f"{count} {reason}" for reason, count in counts.items() if count))
    return f"0/{nodes} nodes are available:{f' {body}.' if body else ''}"


def ended_early(nodes: int, reasons: Iterable[str]) -> str:
    """A PreFilter's text stands alone, without a count."""
    return f"0/{nodes} nodes are available: {', '.join(reasons)}."


def with_tail(text: str, tail: Iterable[str]) -> str:
    told = ", ".join(filter(None, tail))
    return f"{text} {told}" if told else text

"""Nodes of `/gpu status`: readable with eight of them and with eight hundred, since like ones stand together."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.document import Bold, Code, Line, Table, line, table
from bot.domain.text import natural
from bot.domain.words import count, names
from bot.gpu.row import Row, State
from bot.gpu.status import KindStatus, Status
from bot.gpu.totals import Bucket, Names

KINDS_SHOWN = 8
NAMES_SHOWN = 4
HOLDERS_SHOWN = 2
ROWS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that stands out, and what to look at."""

    line: Line
    action: str = ""
    command: str = ""


def as_lines(status: Status) -> tuple[Line, ...]:
    """Per kind that lives on several nodes: how many are free on which of them, full ones last."""
    if not status.pods_known:
        return ()
    several = [entry for entry in status.kinds if sum(members.count for _, members in _opened(entry)) > 1]
    lines = [line(Bold(entry.kind.title), f" {' · '.join(_open(entry))}") for entry in several[:KINDS_SHOWN]]
    left = len(several) - KINDS_SHOWN
    return (*lines, *([line(f"and {count(left, 'more kind')}")] if left > 0 else []))


def as_table(status: Status) -> Table:
    """Like nodes in one row: kind, nodes, how many are left on each of them, who holds the others, why not more."""
    rows: list[tuple[object, ...]] = []
    for entry in status.kinds:
        for bucket, members in _sorted(entry):
            left: object = bucket.left if status.pods_known else "?"
            rows.append(
                (entry.kind.title, _members(members), members.count, left, bucket.size, _held(members), _state(bucket))
            )
    more = (
        f"and {len(rows) - ROWS_SHOWN} more rows; narrow them with product= or pool=" if len(rows) > ROWS_SHOWN else ""
    )
    return table(
        ("product", "nodes", "how many", "left", "of", "held by", "state"),
        rows[:ROWS_SHOWN],
        numeric=(2, 3, 4),
        more=more,
    )


def troubles(status: Status) -> list[Trouble]:
    """Lost, noted, silent, not ready, cordoned, reserved, leaving: the worst first."""
    found = [*_sick(status), *_silent(status), *_joining(status)]
    for state, words in (
        (State.NOT_READY, "not ready"),
        (State.CORDONED, "cordoned"),
        (State.RESERVED, "reserved"),
    ):
        found += _apart(status, state, words)
    if status.pods_known:
        found += _leaving(status)
    return found


def _opened(entry: KindStatus) -> list[tuple[Bucket, Names]]:
    return [(bucket, members) for bucket, members in _sorted(entry) if bucket.state is State.OPEN]


def _open(entry: KindStatus) -> Iterator[str]:
    by_left: dict[int, Names] = {}
    for bucket, members in _opened(entry):
        by_left.setdefault(bucket.left, Names()).add(members)
    for left, members in by_left.items():
        yield f"{left} free: {_members(members)}" if left else f"full: {_members(members)}"


def _sorted(entry: KindStatus) -> list[tuple[Bucket, Names]]:
    order = list(State)
    return sorted(
        entry.totals.buckets.items(),
        key=lambda item: (order.index(item[0].state), -item[0].left, item[0].why, -item[0].size),
    )


def _members(members: Names) -> str:
    shown = ", ".join(members.first[:NAMES_SHOWN])
    left = members.count - min(NAMES_SHOWN, len(members.first))
    return f"{shown} and {left:,} like {'it' if members.count - left == 1 else 'these'}" if left else shown


def _held(members: Names) -> str:
    largest = sorted(members.held.items(), key=lambda item: (-item[1], item[0]))[:HOLDERS_SHOWN]
    shown = [f"{namespace} {amount:,}" for namespace, amount in largest]
    left = len(members.held) - len(shown)
    return ", ".join(shown) + (f" and {left} more" if left else "")


def _state(bucket: Bucket) -> str:
    return f"{bucket.state}: {bucket.why}" if bucket.why else str(bucket.state)


def _sick(status: Status) -> Iterator[Trouble]:
    """One line per node: what is lost there, what pods still hold of it, what the node itself says."""
    facts: dict[str, list[str]] = {}
    for entry in status.kinds:
        for node, row in entry.totals.lost.items():
            facts.setdefault(node, []).append(f"shows {row.allocatable} of {row.total} {entry.kind.title}: {_how(row)}")
        for node, row in entry.totals.over.items() if status.pods_known else ():
            facts.setdefault(node, []).append(f"pods there hold {row.requested} {entry.kind.title}")
    for noted in status.noted:
        facts.setdefault(noted.name, []).extend(noted.notes)
    for node, said in sorted(facts.items(), key=lambda item: natural(item[0])):
        command = f"kubectl describe node {node}"
        yield Trouble(line(Code(node), f" {'; '.join(said)}. ", Code(command)), f"See what happened on {node}", command)


def _how(row: Row) -> str:
    if row.capacity > row.allocatable:
        return f"{row.capacity - row.allocatable} marked unhealthy by the device plugin (capacity {row.capacity})"
    return f"its own label promises {row.total}, the device plugin registered {row.capacity}"


def _silent(status: Status) -> Iterator[Trouble]:
    for node in status.silent:
        command = f"kubectl get pods -A -o wide --field-selector spec.nodeName={node.name}"
        text = " carries a GPU label but offers no GPU resource: look for its device plugin pod. "
        yield Trouble(
            line(Code(node.name), text, Code(command)), f"See why no device plugin registered on {node.name}", command
        )


def _joining(status: Status) -> Iterator[Trouble]:
    if status.joining:
        young = names([node.name for node in status.joining], NAMES_SHOWN)
        yield Trouble(
            line(f"Joined a few minutes ago, GPUs not registered yet: {young}. That is usual for a new node.")
        )


def _apart(status: Status, state: State, words: str) -> Iterator[Trouble]:
    """What is left on nodes that ordinary pods cannot use, by the reason."""
    by_why: dict[str, tuple[int, Names]] = {}
    for entry in status.kinds:
        for bucket, members in entry.totals.buckets.items():
            if bucket.state is state:
                left, known = by_why.setdefault(bucket.why, (0, Names()))
                known.add(members)
                by_why[bucket.why] = (left + bucket.left * members.count, known)
    for why, (left, members) in sorted(by_why.items()):
        if state is State.RESERVED and not left and status.pods_known:
            continue  # a reserved node that is full holds nothing back
        amount = f"{count(left, 'GPU')} left" if status.pods_known else "GPUs left not known"
        if state is State.RESERVED:
            yield Trouble(line(f"Reserved: {amount} on {_unique(members)}, only for pods that tolerate ", Code(why)))
        else:
            yield Trouble(line(f"{words.capitalize()}: {_unique(members)}, {amount}{f', {why}' if why else ''}"))


def _unique(members: Names) -> str:
    """A node with several kinds is one node."""
    first = list(dict.fromkeys(members.first))
    return names(first, NAMES_SHOWN, members.count - (len(members.first) - len(first)))


def _leaving(status: Status) -> Iterator[Trouble]:
    leaving = sum(entry.totals.sums["terminating"] for entry in status.kinds)
    if leaving:
        command = "kubectl get pods -A | grep Terminating"
        text = f"{count(leaving, 'GPU')} held by pods that are terminating: they count until the pod is gone. "
        yield Trouble(line(text, Code(command)), "See which pods do not end", command)

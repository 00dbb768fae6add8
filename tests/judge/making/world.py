"""A cluster while it is being made."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.judge.making.draw import Draw
from tests.judge.making.open import QUESTIONS

Object = dict[str, Any]
Amounts = dict[str, int]  # milli-CPUs, bytes, devices

START = datetime(2026, 1, 1, tzinfo=UTC)
MOODS = {
    "plain": 2, "gpu": 3, "storage": 3, "disks": 2, "spread": 3, "ports": 2, "devices": 3, "crowded": 2,
}  # fmt: skip
"""What a cluster is mainly about -> how often that is drawn."""


@dataclass
class World:
    """What was made so far, by the roles in which others need it. `items` holds all of it, in order of creation."""

    draw: Draw
    mood: str
    modest: bool  # pods ask for little, so that other things than resources decide
    items: list[Object] = field(default_factory=list)
    nodes: list[Object] = field(default_factory=list)
    running: list[Object] = field(default_factory=list)
    free: dict[str, Amounts] = field(default_factory=dict)
    pools: dict[str, list[Object]] = field(default_factory=dict)  # a node's devices, where it has its own pool
    taken: set[tuple[str, str]] = field(default_factory=set)  # pool and device
    claims: Mapping[str, list[Object]] = field(default_factory=lambda: defaultdict(list))  # to share, by namespace
    volumes: Mapping[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # likewise
    ports: set[tuple[str, int]] = field(default_factory=set)  # in use: node and port
    open: frozenset[str] = frozenset()  # of `making.open`, those that are drawn nevertheless
    serial: int = 0

    def __post_init__(self) -> None:
        if unknown := self.open - QUESTIONS.keys():
            raise ValueError(f"no such question: {', '.join(sorted(unknown))}; there are: {', '.join(QUESTIONS)}")

    def is_open(self, question: str) -> bool:
        return question in self.open

    def name(self, prefix: str) -> str:
        self.serial += 1
        return f"{prefix}-{self.serial}"

    def add(self, version: str, kind: str, name: str, namespace: str = "", **fields: Any) -> Object:
        where = {"namespace": namespace} if namespace else {}
        made: Object = {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": name, **where, "uid": f"uid-{kind.lower()}-{namespace}-{name}"},
            **fields,
        }
        self.items.append(made)
        return made

    def node(self, name: str) -> Object:
        return next(one for one in self.nodes if one["metadata"]["name"] == name)

    def any_node(self) -> Object:
        return self.draw.one(self.nodes)

    def moment(self) -> str:
        """Never the same twice: of victims that are equal otherwise the scheduler spares the older ones."""
        self.serial += 1
        return (START + timedelta(hours=self.draw.randint(1, 80), seconds=self.serial)).strftime("%Y-%m-%dT%H:%M:%SZ")


def labels(one: Object) -> dict[str, str]:
    found: dict[str, str] = one["metadata"].get("labels", {})
    return found


def name_of(one: Object) -> str:
    return str(one["metadata"]["name"])

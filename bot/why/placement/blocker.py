"""What blocks a pod on a node.

A blocker's `key` groups nodes: all with the same keys are told in one line. `kind` is what remedies ask for.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Kind(StrEnum):
    """What sort of thing is in the way."""

    SHORT = "short"  # too little of a resource is free
    SMALL = "small"  # the whole node has too little of it
    NONE = "none"  # it offers none of it
    TAINT = "taint"
    NOT_READY = "not-ready"
    CORDON = "cordon"
    LABELS = "labels"
    SPREAD = "spread"
    NEIGHBOURS = "neighbours"
    PORTS = "ports"
    VOLUME = "volume"
    DEVICES = "devices"
    OTHER = "other"
    UNKNOWN = "unknown"  # not checked: neither yes nor no


@dataclass(frozen=True, slots=True)
class Blocker:
    """`words` continue "3 nodes: …"; `about` is what it is about: a resource, a taint key, a label."""

    kind: Kind
    key: str
    words: str
    about: str = ""
    detail: Any = None

"""How well each kind is known from files: what is not there was not read, and is not nothing.

- Our folder says in `case.yaml` which kinds are complete. A kind that it holds but does not list is unread: the objects
  are there to look at, and may not be counted.
- A dump holds all nodes, and seven kinds of some namespaces. Whether those are all namespaces shows in the two that
  every cluster has and nobody would pick by name: only `--all-namespaces` writes them.
- Other files hold what their maker chose: kinds that are there count as complete, and say so.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from bot.adapters.cluster.decoding import summary
from bot.adapters.files.case import Case
from bot.domain.source import Reading, Source

Stand = tuple[Reading, str]
Rule = Callable[[str, int], Stand]  # object kind and how many objects of it there are → how it stands

_ONLY_IF_ALL = frozenset({"kube-node-lease", "kube-public"})
_DUMPED = frozenset({"Event", "ReplicationController", "Service", "DaemonSet", "Deployment", "ReplicaSet", "Pod"})


def sources(
    kinds: Mapping[str, str],
    found: Mapping[str, int],
    odd: Mapping[str, Mapping[str, str]],
    rule: Rule,
    heard_at: datetime,
) -> dict[str, Source]:
    """A Source for each of `kinds` (plural → object kind): how many objects were found, and which could not be read."""
    result = {}
    for name, object_kind in kinds.items():
        reading, detail = rule(object_kind, found.get(name, 0))
        details = (detail, summary(odd.get(name, {})))
        heard = None if reading is Reading.UNREAD else heard_at
        result[name] = Source(name, reading, heard, "; ".join(filter(None, details)))
    return result


def of_case(case: Case) -> Rule:
    """By what `case.yaml` says; without a list there, as in any other file."""
    if case.complete is None:
        return of_files
    complete, forbidden = case.complete, case.forbidden

    def rule(object_kind: str, found: int) -> Stand:
        if object_kind in complete:
            return Reading.READ, ""
        if object_kind in forbidden:
            return Reading.FORBIDDEN, "whoever made the folder was not allowed to read it"
        return Reading.UNREAD, f"{found} in the folder, not said to be all" if found else "not in the folder"

    return rule


def of_dump(namespaces: Collection[str]) -> Rule:
    """By the namespaces that `kubectl cluster-info dump` went through."""
    whole = bool(_ONLY_IF_ALL.intersection(namespaces))
    shown = ", ".join(sorted(namespaces))

    def rule(object_kind: str, found: int) -> Stand:
        if object_kind == "Node" or (object_kind in _DUMPED and whole):
            return Reading.READ, ""
        if object_kind in _DUMPED:
            return Reading.UNREAD, f"{found} in the dump, which is not of all namespaces (only {shown})"
        return Reading.UNREAD, "a dump does not hold it"

    return rule


def of_files(object_kind: str, found: int) -> Stand:
    """By what is there."""
    del object_kind  # all kinds alike
    return (Reading.READ, "as in the file") if found else (Reading.UNREAD, "not in the file")

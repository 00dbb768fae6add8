"""One who writes an object besides us, and how such are found."""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.changes.managers.entries import Entry
from bot.domain.fields import Fields
from bot.domain.thing import Thing


class ManagerKind(enum.StrEnum):
    """What sort of manager, which says how soon a change is undone."""

    OWNER = "owner"  # another object that makes this one
    AUTOSCALER = "autoscaler"
    GITOPS = "gitops"  # something that compares with a repository again and again
    RELEASE = "release"  # something that writes when somebody releases
    APPLIER = "applier"  # whoever applies manifests: a pipeline, Terraform, a person


@dataclass(frozen=True, slots=True)
class Manager:
    """name: as people call it (`Argo CD application glm`). fields: paths such as `.spec.replicas`, as far as it is
    known which; `all_fields` where it may be any. reverts: what it will undo, and when. instead: what to do. source:
    what a pull request goes to, empty where there is nothing of the kind.
    """

    name: str
    kind: ManagerKind
    fields: tuple[str, ...]
    reverts: str
    instead: str
    source: str = ""
    all_fields: bool = False


@dataclass(frozen=True, slots=True)
class Object:
    """What managers are recognised by. others: things around it: autoscalers, and sources where they were read."""

    fields: Fields
    entries: tuple[Entry, ...]
    others: tuple[Thing, ...] = ()

    @property
    def kind(self) -> str:
        return self.fields.text("kind")

    @property
    def name(self) -> str:
        return self.fields.text("metadata", "name")

    @property
    def namespace(self) -> str:
        return self.fields.text("metadata", "namespace")

    @property
    def labels(self) -> Mapping[str, str]:
        return self.fields.map("metadata", "labels")

    @property
    def annotations(self) -> Mapping[str, str]:
        return self.fields.map("metadata", "annotations")

    def owned_by(self, *managers: str) -> tuple[str, ...]:
        """The fields of those field managers, in order, each once; the names may be beginnings that end in `*`."""
        found = (entry for entry in self.entries if any(_matches(entry.manager, wanted) for wanted in managers))
        return tuple(dict.fromkeys(path for entry in found for path in entry.paths))

    def scaled_by(self, kind: str) -> Thing | None:
        """The autoscaler of that kind that targets this very object."""
        return next((thing for thing in self.others if thing.kind == kind and self._is_target(thing)), None)

    def _is_target(self, thing: Thing) -> bool:
        """KEDA leaves the kind out for deployments (keda.sh: ScaledObject spec)."""
        target = thing.fields.at("spec", "scaleTargetRef")
        same_place = thing.namespace == self.namespace and target.text("name") == self.name
        return same_place and (target.text("kind") or "Deployment") == self.kind


@dataclass(frozen=True, slots=True)
class Recogniser:
    """One file of `kinds`. rank: the lower, the sooner it undoes a change. claims: field managers that are its own."""

    rank: int
    find: Callable[[Object], Manager | None]
    claims: tuple[str, ...] = ()


def _matches(name: str, wanted: str) -> bool:
    return name.startswith(wanted[:-1]) if wanted.endswith("*") else name == wanted


def is_claimed(name: str, claims: tuple[str, ...]) -> bool:
    return any(_matches(name, wanted) for wanted in claims)

"""One question, and what it is asked of."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.deploying.candidate import Candidate
from bot.deploying.manifests.manifest import Ground as Manifests
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.view import View


@dataclass(frozen=True, slots=True)
class Told:
    """The answer. ok: None where it could not be told. fix: what helps, for a no; what would tell, for a None."""

    ok: bool | None
    says: str
    fix: str = ""


@dataclass(frozen=True, slots=True)
class Ground:
    """A candidate, the cluster, and what was looked up besides (bot/deploying/points/looking.py)."""

    candidate: Candidate
    view: View
    evidence: Evidence = NO_EVIDENCE

    @property
    def manifests(self) -> Manifests:
        return self.candidate.ground

    @property
    def namespace(self) -> str:
        return self.manifests.namespace


@dataclass(frozen=True, slots=True)
class Asked:
    """A point of the preflight. judge: None where it does not matter here."""

    order: int
    id: str
    title: str
    judge: Callable[[Ground], Told | None]
    page: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """One that was asked."""

    id: str
    title: str
    told: Told

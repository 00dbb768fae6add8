"""A finding about a volume claim: of a pod its claim, or the claim that is asked about itself."""

from bot.domain.answer import Remedy
from bot.domain.storage import PersistentVolumeClaim
from bot.why.case import Case
from bot.why.finding import Finding, Level


def claim_finding(
    case: Case,
    claim: PersistentVolumeClaim,
    what: str,
    clause: str,
    *evidence: str,
    remedies: tuple[Remedy, ...] = (),
    unknown: tuple[str, ...] = (),
) -> Finding:
    return Finding(
        f"references.claim-{what}", f"{_who(case, claim)} {clause}", Level.CAUSE, evidence, (), remedies, (), unknown
    )


def _who(case: Case, claim: PersistentVolumeClaim) -> str:
    return "it" if case.subject.record is claim else f"its claim `{claim.name}`"

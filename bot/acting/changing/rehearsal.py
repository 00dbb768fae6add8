"""The steps as a server-side dry run: admission, quota and field managers speak before anybody approves."""

from dataclasses import dataclass

from bot.acting.changing.ground import Site
from bot.domain.change import Plan
from bot.domain.person import Identity
from bot.domain.text import inert
from bot.domain.writing import Refusal, WriteRefusedError

_LATER = (Refusal.DISRUPTION, Refusal.BUSY)  # may go later: told, but no reason to say no


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """refused: why the API server would not do it. told: what it warned of, or would only do later."""

    refused: str = ""
    told: tuple[str, ...] = ()


async def rehearse(site: Site, plan: Plan, identity: Identity | None) -> Rehearsal:
    """Raises ClusterError where the API server does not answer."""
    told: list[str] = []
    for step in plan.steps:
        try:
            done = await site.writer.do(step, dry_run=True, as_=identity)
        except WriteRefusedError as error:
            if error.refusal in _LATER:
                told.append(f"Not now, by the API server ({step.says}): {error}")
                continue
            return Rehearsal(str(error), tuple(told))
        told += [f"The API server warns: {inert(warning)}" for warning in done.warnings]
    return Rehearsal("", tuple(dict.fromkeys(told)))

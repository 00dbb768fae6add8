"""After the last step: until the cluster has got there, or does not, with the reason in the same thread."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.acting.changing.applying import clean_up
from bot.acting.changing.ground import LOOK_SECONDS, POLL_SECONDS, Ground, Site
from bot.acting.changing.moving import move
from bot.acting.changing.telling import answer, tell
from bot.changes.kind import ChangeKind, Phase, Progress
from bot.changes.machine import ChangeEvent
from bot.domain.change import Change, Plan
from bot.domain.errors import ConflictError, UserError
from bot.domain.evidence import NO_EVIDENCE, Evidence
from bot.domain.words import duration
from bot.views import plan

LOOKS_EVERY = timedelta(seconds=10)


async def follow(ground: Ground, change: Change) -> Change:
    """Raises ConflictError where it was taken back in the meantime."""
    site, kind = ground.site(change.cluster), ground.kind(change.plan.kind)
    end = await _to_the_end(ground, site, kind, change)
    end = await _smoked(ground, site, kind, change, end)
    end = await _proved(site, kind, change, end)
    left = await clean_up(ground, change)
    event = ChangeEvent.REACHED if end.phase is Phase.DONE else ChangeEvent.BROKEN
    moved = await move(ground, change, event, told=" ".join(filter(None, (end.sentence, left))))
    if end.lines or end.parts:
        await answer(ground, moved, "end", plan.listed(end.sentence, end.lines, end.parts))
    if end.phase is not Phase.DONE and end.subject:
        await _explain(ground, moved, end.subject, "why")
    return moved


async def _to_the_end(ground: Ground, site: Site, kind: ChangeKind, change: Change) -> Progress:
    since = change.applied_at or ground.now()
    until = since + timedelta(seconds=kind.follow_seconds)
    last: Progress | None = None
    seen = _Seen(site, kind)
    while True:
        progress = await seen.progress(change.plan, ground.now(), since)
        if progress.phase is not Phase.GOING:
            return progress
        if ground.now() >= until:
            sentence = f"After {duration(kind.follow_seconds)} it is not there yet: {progress.sentence}"
            return Progress(Phase.FAILED, sentence, progress.lines, progress.subject)
        if progress != last:
            await tell(ground, change, (progress.sentence, *progress.lines))
            if progress.late and progress.subject and (last is None or last.late != progress.late):
                await _explain(ground, change, progress.subject, f"why/{progress.late}")
            last = progress
        await ground.sleep(POLL_SECONDS)
        current = await ground.store.get(change.number)
        if current is None or current.state is not change.state:
            raise ConflictError(f"change {change.number} goes another way")


async def _smoked(ground: Ground, site: Site, kind: ChangeKind, change: Change, end: Progress) -> Progress:
    """Whoever is ready has to answer, too."""
    if end.phase is not Phase.DONE or kind.smoke is None or kind.smoked is None or site.prober is None:
        return end
    await tell(ground, change, (f"{end.sentence} It is asked for its first tokens now.", *end.lines))
    return kind.smoked(change.plan, end, await site.prober.smoke(kind.smoke(change.plan)))


@dataclass
class _Seen:
    """What a kind follows by. Logs and whole objects are looked up less often than the view is looked at."""

    site: Site
    kind: ChangeKind
    evidence: Evidence = NO_EVIDENCE
    looked_at: datetime | None = None

    async def progress(self, plan: Plan, now: datetime, since: datetime) -> Progress:
        kind, site = self.kind, self.site
        if kind.follow_seen is None or kind.follow_wants is None:
            return kind.follow(plan, site.view, now, since)
        if site.looker is not None and (self.looked_at is None or now - self.looked_at >= LOOKS_EVERY):
            self.evidence = await site.looker.look(kind.follow_wants(plan, site.view), LOOK_SECONDS)
            self.looked_at = now
        return kind.follow_seen(plan, site.view, now, since, self.evidence)


async def _proved(site: Site, kind: ChangeKind, change: Change, end: Progress) -> Progress:
    if kind.proof is None or kind.proof_wants is None or site.looker is None:
        return end
    evidence = await site.looker.look(kind.proof_wants(change.plan, site.view), LOOK_SECONDS)
    return kind.proof(change.plan, site.view, end, evidence)


async def _explain(ground: Ground, change: Change, subject: str, name: str) -> None:
    """`/why` in the same thread, once by that name; where it has no answer, the change has been told all the same."""
    try:
        document = await ground.explain(change.cluster, subject)
    except UserError:
        return
    if document is not None:
        await answer(ground, change, name, document)

"""Puts a bounded load on one engine for whoever may operate, tells what came of it, and keeps it for comparison."""

import msgspec

from bot.acting.actor import Actor, Doing
from bot.domain.audit import AuditEvent, Happened, refusal
from bot.domain.bench import Bench, RunBench
from bot.domain.document import Document
from bot.domain.errors import ForbiddenError, UpstreamError, UserError
from bot.domain.person import Access
from bot.views import model_bench


async def act(intent: RunBench, doing: Doing) -> Document:
    """Raises ForbiddenError, which is audited; UserError, UpstreamError. An unrecorded load is not sent."""
    if doing.loader is None or doing.changes is None:
        raise UserError("Nothing can be measured from here: this gpubot keeps no record of what it does.")
    if not doing.asker.id or doing.asker.access < Access.OPERATE:
        says = f"wanted to measure {intent.about.workload} and may only read"
        await doing.changes.audit(refusal(Happened.REFUSED, doing.asker, doing.cluster.name, says, doing.now()))
        raise ForbiddenError("You may not measure engines: this needs the role operator. Ask one of access.operators.")
    await doing.changes.audit(_event(intent, doing))
    began = doing.now()
    way, points = await doing.loader.measure(intent.load)
    bench = msgspec.structs.replace(intent.about, at=began, by=doing.asker.id, way=way, points=points)
    before, trouble = await _kept(bench, doing)
    return model_bench.result(bench, before, trouble)


async def _kept(bench: Bench, doing: Doing) -> tuple[Bench | None, str]:
    """The one before, and why this one is not kept. What was measured is told even where it cannot be."""
    if doing.benches is None:
        return None, "there is no database"
    try:
        before = await doing.benches.last(bench.cluster, bench.workload)
        await doing.benches.keep(bench)
    except UpstreamError as error:
        return None, str(error)
    return before, ""


def _event(intent: RunBench, doing: Doing) -> AuditEvent:
    load, asker = intent.load, doing.asker
    return AuditEvent(
        what=Happened.MEASURED,
        at=doing.now(),
        cluster=doing.cluster.name,
        person=asker.id,
        workspace=asker.workspace,
        channel=asker.channel,
        says=f"measures {intent.about.workload} on {load.namespace}/{load.pod}",
        facts={"requests": load.requests, "seconds": load.seconds, "concurrencies": list(load.concurrencies)},
    )


ACTOR = Actor(RunBench, act)

"""Begins and ends freezes. Who may is asked here again: a command decides what is shown, never what is done."""

from bot.acting.actor import Actor, Doing
from bot.domain.audit import AuditEvent, Happened, refusal
from bot.domain.document import Document
from bot.domain.errors import ForbiddenError, UserError
from bot.domain.freeze import SetFreeze
from bot.domain.person import Access
from bot.views import freeze as views


async def act(intent: SetFreeze, doing: Doing) -> Document:
    """Raises ForbiddenError, which is audited, for whoever is no admin; UserError where nothing is recorded."""
    if doing.changes is None:
        raise UserError("Changes cannot be frozen: this gpubot keeps no record of any, and makes none.")
    now, cluster = doing.now(), doing.cluster.name
    if not doing.asker.id or doing.asker.access < Access.ADMIN:
        await doing.changes.audit(_refused(intent, doing))
        raise ForbiddenError("You may not freeze changes: that needs the role admin. Ask one of access.admins.")
    if intent.until is None:
        return views.ended(cluster, await doing.changes.thaw(cluster, doing.asker, now), now)
    freeze = await doing.changes.freeze(cluster, intent.until, intent.because, doing.asker, now)
    return views.begun(cluster, freeze, now)


def _refused(intent: SetFreeze, doing: Doing) -> AuditEvent:
    wanted = "begin a freeze" if intent.until else "end the freezes"
    says = f"wanted to {wanted} and is no admin"
    return refusal(Happened.REFUSED, doing.asker, doing.cluster.name, says, doing.now())


ACTOR = Actor(SetFreeze, act)

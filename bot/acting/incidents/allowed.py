"""Who may change incidents and silences: operators, that is whoever may ask for changes."""

from bot.acting.actor import Doing
from bot.domain.errors import ForbiddenError, UserError
from bot.domain.person import Access
from bot.ports import IncidentStore


def store_of(doing: Doing) -> IncidentStore:
    """Where it is kept. Raises ForbiddenError for whoever may only read, UserError where nothing is kept."""
    if doing.incidents is None:
        raise UserError("Incidents are kept where the bot runs: here nothing is watched.")
    if not doing.asker.id or doing.asker.access < Access.OPERATE:
        raise ForbiddenError("You may only read incidents: this needs the role operator. Ask one of access.operators.")
    return doing.incidents

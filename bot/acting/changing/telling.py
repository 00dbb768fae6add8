"""What people see of a change: one message that is edited in place, and answers in its thread."""

from collections.abc import Sequence

from bot.acting.changing.ground import Ground
from bot.acting.posting import as_post
from bot.changes.machine import OPEN
from bot.domain.change import Change, ChangeState
from bot.domain.document import Document
from bot.domain.posting import Post
from bot.views import plan


def root_key(change: Change) -> str:
    return f"change/{change.cluster}/{change.number}"


def shown(change: Change, lines: Sequence[str] = ()) -> Document:
    """As it stands."""
    if change.state is ChangeState.PROPOSED:
        return plan.proposed(change)
    if change.state in OPEN:
        return plan.progress(change, lines)
    return plan.ended(change)


def root(change: Change, lines: Sequence[str] = ()) -> Sequence[Post]:
    """The message as it should stand. None for a change that was asked for nowhere that could be written to."""
    return (as_post(root_key(change), change.channel, shown(change, lines)),) if change.channel else ()


async def tell(ground: Ground, change: Change, lines: Sequence[str] = ()) -> None:
    """Between two moves: how far it has come."""
    await ground.posts.put(root(change, lines), ground.now())


async def answer(ground: Ground, change: Change, name: str, document: Document) -> None:
    """An answer in its thread; the same name is said once."""
    if change.channel:
        post = as_post(f"{root_key(change)}/{name}", change.channel, document, thread=root_key(change))
        await ground.posts.put((post,), ground.now())

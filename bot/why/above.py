"""What stands above an object: its controller, that one's controller, and so on. Files may hold a circle of owners."""

from collections.abc import Iterator

from bot.domain.record import Owner
from bot.domain.thing import Thing
from bot.domain.view import View

DEEPEST = 6


def known(view: View, owner: Owner, namespace: str) -> Thing | None:
    """The object behind an owner reference, where its kind is read. One of another uid only has its name."""
    found = view.thing(owner.kind, namespace, owner.name)
    if found is not None and owner.uid and found.uid and found.uid != owner.uid:
        return None
    return found


def chain(view: View, owner: Owner | None, namespace: str) -> Iterator[Thing]:
    """The known controllers from that reference on, nearest first, each once."""
    seen: list[Thing] = []
    while owner is not None and len(seen) < DEEPEST:
        thing = known(view, owner, namespace)
        if thing is None or thing in seen:
            return
        seen.append(thing)
        yield thing
        owner = thing.owner


def topmost(view: View, owner: Owner | None, namespace: str) -> Thing | None:
    """The last of them; None where not even the first is known."""
    return next(reversed([*chain(view, owner, namespace)]), None)

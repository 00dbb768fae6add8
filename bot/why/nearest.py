"""A name that does not exist is most often a name that was typed wrongly."""

from collections.abc import Iterable

from bot import grammar
from bot.domain.words import names

COMPARED = 2_000


def nearest(wanted: str, there: Iterable[str]) -> str:
    """The name that is most like the wanted one, in whatever letters; empty where none is much like it."""
    known = {name.casefold(): name for name in reversed(sorted(there)[:COMPARED])}
    return known.get(grammar.nearest(wanted, sorted(known)) or "", "")


def there_are(there: Iterable[str], what: str) -> str:
    """`StorageClasses that exist: fast, slow`; none is said too."""
    known = sorted(there)
    return f"{_many(what)} that exist: {names(known, 6)}" if known else f"There is no {what} at all"


def _many(what: str) -> str:
    return f"{what}{'es' if what.endswith('s') else 's'}"

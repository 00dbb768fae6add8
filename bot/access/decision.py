"""What is decided about a request or a click, and the words for who could decide otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.access.rules import Grant, Rules
from bot.domain.person import Access
from bot.domain.words import names

ROLES = {Access.NOBODY: "nobody", Access.READ: "reader", Access.OPERATE: "operator", Access.ADMIN: "admin"}
KEYS = {Access.READ: "access.readers", Access.OPERATE: "access.operators", Access.ADMIN: "access.admins"}
_SHOWN = 6


@dataclass(frozen=True, slots=True)
class Decision:
    """reason: a sentence without its full stop, also where it is allowed. approvals: by how many others.

    who_can: who could grant or do it, in words with Slack's ids; people: the same users, for mentions. dry_run: it is
    allowed, but nothing may be changed.
    """

    allowed: bool
    reason: str
    approvals: int = 0
    who_can: str = ""
    people: tuple[str, ...] = ()
    dry_run: bool = False


def refused(reason: str, who_can: str = "", people: tuple[str, ...] = ()) -> Decision:
    return Decision(False, reason, 0, who_can, people)


def lacking(rules: Rules, may_not: str, has: Access, needs: Access, *, channel: str = "") -> Decision:
    """A role is missing. `may_not` goes on after "You may not"."""
    where = " in this channel" if channel else ""
    reason = f"You may not {may_not}: your role is {ROLES[has]}{where} (needs {ROLES[needs]})"
    return refused(reason, who(rules, needs), users(rules, needs))


def who(rules: Rules, access: Access) -> str:
    """Who has that role, in words: `an operator: U0ANA, the user group S0OPS, anybody in C0OPS`."""
    article = "an admin" if access is Access.ADMIN else f"{'an' if access is Access.OPERATE else 'a'} {ROLES[access]}"
    named = list(dict.fromkeys(part for grant in rules.grants(access) for part in _parts(grant)))
    if not named:
        return f"nobody yet: name somebody in the settings, {KEYS[access]}"
    return f"{article}: {names(named, shown=_SHOWN)}"


def users(rules: Rules, access: Access) -> tuple[str, ...]:
    """Those who are named one by one."""
    return tuple(sorted({user for grant in rules.grants(access) for user in grant.users}))


def _parts(grant: Grant) -> Iterator[str]:
    there = f" in {names(sorted(grant.channels))}" if grant.channels else ""
    yield from (f"{user}{there}" for user in sorted(grant.users))
    yield from (f"the user group {group}{there}" for group in sorted(grant.groups))
    if not grant.users and not grant.groups:
        yield from (f"anybody in {channel}" for channel in sorted(grant.channels))

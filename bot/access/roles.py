"""From a person in Slack to what they may do, and to whom they are in Kubernetes.

People of another workspace (shared channels), bots, and anybody without an id are nobody. Nobody's name or e-mail can
give a role: only ids do. An e-mail can only name a Kubernetes user, never one of the system's own.
"""

from collections.abc import Collection

from bot.access.rules import Grant, Identities, Rules
from bot.domain.person import Access, Asker, Identity

_OF_THE_SYSTEM = "system:"


def asker_of(
    rules: Rules,
    *,
    person: str,
    workspace: str,
    channel: str,
    groups: Collection[str] = (),
    email: str = "",
    name: str = "",
    bot: bool = False,
) -> Asker:
    """person, workspace (of the person, not of the channel) and channel: Slack's ids; groups: user groups they are in.

    email: as Slack has confirmed it. bot: what came in was written by an app or a webhook, whoever it says it is.
    """
    if bot or not person or workspace not in rules.workspaces:
        return Asker(person, workspace, name, channel, Access.NOBODY)
    access = _access(rules, person, channel, groups)
    return Asker(person, workspace, name, channel, access, identity_of(rules.identities, person, groups, email))


def identity_of(identities: Identities, person: str, groups: Collection[str], email: str) -> Identity | None:
    """Who that is in Kubernetes; None where the person is not mapped."""
    user = identities.users.get(person) or _by_email(identities, email)
    if not user:
        return None
    theirs = [name for group in sorted(groups) for name in identities.groups.get(group, ())]
    return Identity(user, tuple(dict.fromkeys((*identities.everybody, *theirs))))


def _by_email(identities: Identities, email: str) -> str:
    plain = email.strip()
    name, at, domain = plain.partition("@")
    if not identities.by_email or not (name and at and domain) or plain.startswith(_OF_THE_SYSTEM):
        return ""
    return f"{identities.prefix}{plain}" if plain.isascii() and plain.isprintable() and " " not in plain else ""


def _access(rules: Rules, person: str, channel: str, groups: Collection[str]) -> Access:
    def holds(grants: tuple[Grant, ...]) -> bool:
        return any(grant.holds(person, channel, groups) for grant in grants)

    if holds(rules.admins):
        return Access.ADMIN
    if holds(rules.operators):
        return Access.OPERATE
    return Access.READ if rules.readers is None or holds(rules.readers) else Access.NOBODY

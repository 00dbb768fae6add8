"""May this person say yes, no, or undo to a change that waits? Asked at the click, with the rights of that moment.

Whoever asked for a change never approves it, nor does anybody approve twice. What was refused, has expired or went on
its way is decided for good.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.access import sizing
from bot.access.decision import Decision, lacking, refused, users, who
from bot.access.rules import Rules
from bot.domain.change import Approval, Change, ChangeState
from bot.domain.person import Access, Asker

_UNDOABLE = (ChangeState.FOLLOWING, ChangeState.APPLIED, ChangeState.FAILED)


def may_approve(
    rules: Rules, change: Change, approver: Asker, now: datetime, *, labels: Sequence[sizing.Labels] = ()
) -> Decision:
    """approver: as they are now. labels: of what the change touches, as it is now."""
    needs = needs_of(rules, change, labels)
    personal = _closed(change, now) or _stranger(rules, approver) or _same_person(rules, change, approver, needs)
    if personal is not None:
        return personal
    if approver.access < needs:
        return lacking(rules, f"approve “{change.plan.title}”", approver.access, needs, channel=approver.channel)
    if rules.identities.used and approver.identity is None:
        return refused(
            "You may not approve: it is not known who you are in Kubernetes (needs access.identities.users)",
            who(rules, Access.ADMIN),
            users(rules, Access.ADMIN),
        )
    return Decision(True, "You did not ask for it yourself, and may approve it", who_can=who(rules, needs))


def may_refuse(rules: Rules, change: Change, person: Asker, now: datetime) -> Decision:
    """Whoever may operate, and whoever asked for it as long as they may ask at all."""
    stopped = _closed(change, now) or _stranger(rules, person)
    if stopped is not None:
        return stopped
    if is_requester(change, person) and person.access >= Access.READ:
        return Decision(True, "You asked for it yourself, and may take it back")
    if person.access < Access.OPERATE:
        return lacking(rules, f"refuse “{change.plan.title}”", person.access, Access.OPERATE, channel=person.channel)
    return Decision(True, "You may refuse it")


def may_undo(rules: Rules, change: Change, person: Asker) -> Decision:
    """Neither freeze nor window nor breaker is asked: going back is never blocked."""
    if not change.plan.undo:
        return refused(f"Change {change.number} cannot be undone: there is no way back from it")
    if change.state not in _UNDOABLE or (change.state is ChangeState.FAILED and not change.done):
        return refused(f"There is nothing to undo of change {change.number}: it is {change.state}")
    stranger = _stranger(rules, person)
    if stranger is not None:
        return stranger
    if person.access < Access.OPERATE:
        return lacking(rules, f"undo “{change.plan.title}”", person.access, Access.OPERATE, channel=person.channel)
    return Decision(True, "Undoing is never blocked by a freeze, a window or the breaker", dry_run=rules.dry_run)


def standing(
    rules: Rules, change: Change, people: Mapping[str, Asker], labels: Sequence[sizing.Labels] = ()
) -> tuple[Approval, ...]:
    """The approvals that still hold, by the rights that their givers have now: one each, none of the requester's own.

    people: by Slack's id, as they are now; an approval by somebody who is not among them does not hold.
    """
    needs = needs_of(rules, change, labels)
    held: dict[str, Approval] = {}
    for one in change.approvals:
        now_is = people.get(one.person)
        if one.yes and one.person != change.requester and now_is is not None and now_is.access >= needs:
            held.setdefault(one.person, one)
    return tuple(held.values())


def needs_of(rules: Rules, change: Change, labels: Sequence[sizing.Labels] = ()) -> Access:
    """The role of those who approve it."""
    return Access.ADMIN if sizing.protected(rules.protected, change.plan, labels) else Access.OPERATE


def is_requester(change: Change, person: Asker) -> bool:
    return bool(person.id) and person.id == change.requester and person.workspace == change.workspace


def _closed(change: Change, now: datetime) -> Decision | None:
    if change.state is not ChangeState.PROPOSED:
        return refused(f"Change {change.number} is decided already: it is {change.state}")
    if now >= change.expires_at:
        return refused(f"Change {change.number} has expired at {change.expires_at:%H:%M} UTC: ask for it anew")
    return None


def _stranger(rules: Rules, person: Asker) -> Decision | None:
    if person.id and person.workspace in rules.workspaces:
        return None
    return refused(
        "You may not decide here: you are not of a workspace that gpubot serves (needs access.workspaces)",
        who(rules, Access.ADMIN),
        users(rules, Access.ADMIN),
    )


def _same_person(rules: Rules, change: Change, approver: Asker, needs: Access) -> Decision | None:
    others = tuple(one for one in users(rules, needs) if one != approver.id)
    if approver.id == change.requester:
        return refused("You asked for it yourself: somebody else must approve it", who(rules, needs), others)
    if any(one.person == approver.id for one in change.approvals):
        return refused("You have approved it already: another person must, too", who(rules, needs), others)
    return None

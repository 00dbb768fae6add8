"""May this be asked for now, and how many others must agree? Asked for the preview, and anew at each click.

The first thing that speaks against it is the answer, in the order in which a person would want to know: it cannot be
done at all; this person may not; nobody may now (freeze, window, breaker); nobody is there to agree.
"""

from collections.abc import Sequence
from datetime import datetime

from bot.access import breaker, sizing, windows
from bot.access.decision import Decision, lacking, refused, users, who
from bot.access.rules import Rules
from bot.domain.change import Change, Plan
from bot.domain.freeze import Freeze
from bot.domain.person import Access, Asker
from bot.domain.text import inert
from bot.domain.words import clock, count


def needed(
    rules: Rules,
    plan: Plan,
    asker: Asker,
    now: datetime,
    recent: Sequence[Change],
    freezes: Sequence[Freeze],
    *,
    labels: Sequence[sizing.Labels] = (),
) -> Decision:
    """recent: other changes of the same cluster, of the last hour at least. freezes: of that cluster. labels: of every
    object that the plan changes, and of their namespaces.

    Undoing is not asked here (`bot.access.approval.may_undo`): no freeze, window or breaker stops it.
    """
    if plan.refused:
        return refused(plan.refused)
    personal = _person(rules, plan, asker)
    if personal is not None:
        return personal
    return _nobody_now(rules, plan, now, recent, freezes) or _others(rules, plan, asker, labels)


def _person(rules: Rules, plan: Plan, asker: Asker) -> Decision | None:
    if asker.access < Access.OPERATE:
        return lacking(rules, plan.title, asker.access, Access.OPERATE, channel=asker.channel)
    if rules.identities.used and asker.id and asker.identity is None:
        return refused(
            f"You may not {plan.title}: it is not known who you are in Kubernetes (needs access.identities.users)",
            who(rules, Access.ADMIN),
            users(rules, Access.ADMIN),
        )
    return None


def _nobody_now(
    rules: Rules, plan: Plan, now: datetime, recent: Sequence[Change], freezes: Sequence[Freeze]
) -> Decision | None:
    admins = who(rules, Access.ADMIN), users(rules, Access.ADMIN)
    held = [one for one in freezes if one.ended_at is None and one.since <= now < one.until]
    if held:
        longest = max(held, key=lambda one: one.until)
        because = f", because {inert(longest.because)}" if longest.because else ""
        return refused(f"Nothing is changed until {clock(longest.until, now)}{because} (`/gpu freeze off`)", *admins)
    if not windows.is_open(rules.windows, now):
        opens = windows.opens_at(rules.windows, now)
        later = f": the next window begins {clock(opens, now)}" if opens else ""
        return refused(
            f"Changes are made in maintenance windows only{later}", f"the settings, access.windows; {admins[0]}"
        )
    full = breaker.tripped(rules.limits, plan.size, recent, now)
    return refused(f"The breaker stops it: {full}", f"the settings, access.limits; {admins[0]}") if full else None


def _others(rules: Rules, plan: Plan, asker: Asker, labels: Sequence[sizing.Labels]) -> Decision:
    kind, because = sizing.classed(rules, plan, labels)
    approvals = sizing.approvals(rules, kind)
    needs = Access.ADMIN if sizing.protected(rules.protected, plan, labels) else Access.OPERATE
    by, named = who(rules, needs), users(rules, needs)
    if not approvals:
        return Decision(True, f"Nobody else needs to agree: {because}", 0, by, named, dry_run=rules.dry_run)
    others = _at_most(rules, needs, asker)
    sentence = f"It needs the approval of {count(approvals, 'other person', 'others')}: {because}"
    if others is not None and others < approvals:
        only = f"only {others:,}" if others else "nobody"
        return refused(f"{sentence}; besides you {only} could give it", by, named)
    return Decision(True, sentence, approvals, by, named, dry_run=rules.dry_run)


def _at_most(rules: Rules, needs: Access, asker: Asker) -> int | None:
    """How many others there are; None where user groups or channels hold people that cannot be counted here."""
    if any(grant.groups or (grant.channels and not grant.users) for grant in rules.grants(needs)):
        return None
    return len(set(users(rules, needs)) - {asker.id})

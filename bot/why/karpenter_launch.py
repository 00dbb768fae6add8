"""NodeClaims of which no node has come: the cloud had no machine, refused one, or it never joined.

What the cloud cannot give at the moment is kept apart from what is set up wrongly: only the latter needs somebody.
"""

from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import duration
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.karpenter_claims import YOUNG_SECONDS, Claim, begun
from bot.why.shell import kubectl, quoted

NO_CAPACITY = ("InsufficientCapacity", "ICE", "no capacity", "ZonesExhausted", "SkuNotAvailable", "AllocationFailed")


def not_launched(case: Case, claim: Claim, level: Level) -> Finding | None:
    """The cloud did not give a machine, or refused what was asked for."""
    told = claim.said("Launched")
    if claim.state("Launched") == "True" or not told or claim.state("Launched") == "":
        return None
    short = any(word.lower() in told.lower() for word in NO_CAPACITY)
    what = "the cloud has no such machine to give at the moment" if short else "the cloud refused to make the machine"
    return Finding(
        "karpenter.no-capacity" if short else "karpenter.launch-failed",
        begun(f"Karpenter asked for NodeClaim `{claim.name}` and {what}", level),
        level,
        evidence=(f"NodeClaim {claim.name}: {quoted(told, 300)}",),
        remedies=(
            Remedy("Allow more machine types, zones or capacity types in the NodePool", verified=False)
            if short
            else Remedy("Put right what the message names (NodeClass, permissions, account quota)", verified=False),
        ),
        useless=("The pod's own settings are not the reason.",) if short else (),
        until="the cloud has machines of that type again: Karpenter keeps asking" if short else "",
        weight=2,
    )


def not_joined(case: Case, claim: Claim, level: Level) -> Finding | None:
    """Launched, and no node has come of it."""
    age = case.age_seconds(claim.thing.created)
    if claim.state("Launched") != "True" or claim.state("Registered") == "True" or age is None:
        return None
    if age < YOUNG_SECONDS:
        return Finding(
            "karpenter.launching",
            f"NodeClaim `{claim.name}` was launched {duration(age)} ago and its node has not joined yet",
            Level.ROOT,
            until=f"the node joins; Karpenter gives up on it {duration(YOUNG_SECONDS)} after it was launched",
            sole=True,
        )
    machine = claim.fields.text("status", "providerID")
    return Finding(
        "karpenter.never-joined",
        begun(f"the machine of NodeClaim `{claim.name}` runs for {duration(age)} and never joined the cluster", level),
        level,
        evidence=(f"Registered: {quoted(claim.said('Registered'))}",) if claim.said("Registered") else (),
        remedies=(
            Remedy("See what is noted about it", kubectl("describe", "nodeclaim", claim.name)),
            Remedy(
                f"Read the console log of the machine{f' {inert(machine, 100)}' if machine else ''}: kubelet, network, "
                "and whether its role may join the cluster",
                verified=False,
            ),
        ),
        useless=("Waiting does not help: the next machine of this NodeClass ends the same way until that is mended.",),
        weight=2,
    )


def out_of_stock(case: Case, level: Level) -> Finding | None:
    """Karpenter deletes a claim that the cloud could not serve; the event about it stays for an hour."""
    events = [
        one
        for one in case.view.events.values()
        if one.about_kind in ("NodeClaim", "NodePool") and "InsufficientCapacity" in one.reason
    ]
    newest = max(events, key=lambda one: one.time, default=None)
    if newest is None:
        return None
    age = case.age_seconds(newest.time)
    ago = f" {duration(age)} ago" if age is not None else ""
    return Finding(
        "karpenter.no-capacity",
        begun(f"Karpenter asked the cloud for a machine{ago} and the cloud had none of that type to give", level),
        level,
        evidence=(f"{newest.about_kind} {newest.about_name}: {quoted(newest.message, 300)}",),
        remedies=(Remedy("Allow more machine types, zones or capacity types in the NodePool", verified=False),),
        useless=("The pod's own settings are not the reason.",),
        until="the cloud has machines of that type again: Karpenter keeps asking",
        weight=2,
    )

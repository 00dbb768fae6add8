"""NodeClaims whose node has joined and is of no use: without the device that they promise, or never initialized.

There is no time limit on this step, and what the claim promises keeps Karpenter from making another node.
"""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.node import Node
from bot.domain.pattern import Pattern
from bot.domain.words import duration, names
from bot.why.amounts import scarcest_first
from bot.why.case import Case
from bot.why.finding import Finding, Level
from bot.why.karpenter_claims import NODE_POOL_LABEL, YOUNG_SECONDS, Claim, begun
from bot.why.shell import kubectl, quoted

_STARTUP = Pattern(r'[Ss]tartup[Tt]aint "(?P<taint>[^"]{1,300})" still exists')


def without_device(case: Case, claim: Claim, level: Level) -> Finding | None:
    """The node is up and what it was made for never appeared on it."""
    found = unregistered(case, claim)
    if found is None:
        return None
    node, absent = found
    age = case.age_seconds(node.created)
    if age is not None and age < YOUNG_SECONDS:
        return _joining(claim, node, absent, age)
    resource, ago = absent[0], f" for {duration(age)}" if age is not None else ""
    promised = claim.promises[resource]
    pool = claim.thing.labels.get(NODE_POOL_LABEL, "")
    up = (
        f"node `{node.name}` of NodeClaim `{claim.name}` has been up{ago} and does not offer `{resource}` "
        f"(0 of {promised} promised)"
    )
    return Finding(
        "karpenter.node-without-device",
        f"{begun(up, level)}: waiting does not help, because Karpenter sets no time limit here and makes no other "
        f"node while this claim promises {promised}",
        level,
        evidence=(
            f"NodeClaim {claim.name} asks for {promised} `{resource}`, allocatable on {node.name}: none",
            *(
                (f"Initialized={claim.state('Initialized')}: {quoted(claim.said('Initialized'))}",)
                if claim.said("Initialized")
                else ()
            ),
            *((f"made by NodePool `{pool}`",) if pool else ()),
        ),
        remedies=(
            Remedy(
                f"See whether driver and device plugin run on {node.name}",
                kubectl("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={node.name}"),
            ),
            Remedy(
                "Then delete the NodeClaim: Karpenter makes a new node",
                kubectl("delete", "nodeclaim", claim.name),
                verified=False,
                cost=f"{node.name} and what runs on it go; without a working driver the next node ends the same way",
            ),
        ),
        useless=(f"Waiting for {node.name} does not help, nor does a larger NodePool limit.",),
        weight=3,
        numbers={"promised": promised, "allocatable": 0},
    )


def unregistered(case: Case, claim: Claim) -> tuple[Node, list[str]] | None:
    """Its node and the resources that the claim promises and the node does not offer; None where there is none."""
    node = case.view.nodes.get(claim.node)
    if node is None or claim.state("Registered") == "False":
        return None
    absent = [one for one in scarcest_first(claim.promises) if "/" in one and claim.promises[one] > 0]
    absent = [one for one in absent if not node.allocatable.get(one, 0)]
    return (node, absent) if absent else None


def _joining(claim: Claim, node: Node, absent: list[str], age: float) -> Finding:
    return Finding(
        "karpenter.joining",
        f"Node `{node.name}` joined {duration(age)} ago and has not registered "
        f"{names([f'`{one}`' for one in absent])} yet",
        Level.ROOT,
        until=f"its device plugin registers, most often within {duration(YOUNG_SECONDS)} of joining",
        sole=True,
    )


def not_initialized(case: Case, claim: Claim, level: Level) -> Finding | None:
    """Joined, and Karpenter still does not count on it: a startup taint that nobody takes away, a node not Ready."""
    told, age = claim.said("Initialized"), case.age_seconds(claim.thing.created)
    if claim.state("Registered") != "True" or claim.state("Initialized") == "True" or not told:
        return None
    if age is None or age < YOUNG_SECONDS:
        return None
    taint = _STARTUP.search(told[:1000])
    why = f", because its startup taint `{taint['taint']}` is still there" if taint else ""
    return Finding(
        "karpenter.not-initialized",
        begun(f"node `{claim.node}` of NodeClaim `{claim.name}` is not counted on after {duration(age)}{why}", level),
        level,
        evidence=(f"Initialized={claim.state('Initialized')}: {quoted(told)}",),
        remedies=tuple(_prepare(claim, taint["taint"] if taint else "")),
        useless=(
            "Waiting rarely helps: Karpenter sets no time limit here and makes no other node meanwhile.",
            *(("Tolerating the taint does not help: the node is not prepared yet.",) if taint else ()),
        ),
        sole=bool(taint),
        weight=1,
    )


def _prepare(claim: Claim, taint: str) -> Iterator[Remedy]:
    """A startup taint is taken away by whoever prepares the node, such as a network agent: a pod on that node."""
    if taint:
        words = ("get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={claim.node}")
        yield Remedy(f"See whether what takes `{taint}` away runs on {claim.node}", kubectl(*words))
    yield Remedy("See its taints and conditions", kubectl("describe", "node", claim.node))

"""Nodes that have the GPUs and lack a label which feature discovery sets: it does not run there, or has stopped."""

from collections.abc import Iterator

from bot.domain.answer import Remedy
from bot.domain.fields import Fields
from bot.domain.text import natural
from bot.domain.words import names
from bot.why.placement.blocker import Blocker, Kind
from bot.why.placement.commands import kubectl
from bot.why.placement.named import room, which
from bot.why.placement.nodes import NodeGroup, Survey
from bot.why.placement.told import Headline

HINTS = ("feature-discovery", "nfd-worker", "labeller", "labeler")


def headline(survey: Survey, group: NodeGroup, leading: Blocker) -> Headline:
    """A node that has another value of that label is none of these: it is not meant at all."""
    lack = "lacks" if len(group.nodes) == 1 else "lack"
    free = "" if len(group.nodes) == 1 else f"({survey.free(group.nodes[0])} GPUs free on {group.nodes[0]}) "
    sentence = (
        f"{which(group)} {room(survey, group)}{free}but {lack} any label `{leading.about}`, which feature discovery "
        "sets: it does not work there"
    )
    return Headline("labels.undiscovered", sentence, tuple(_daemons(survey)), numbers={"label": leading.about})


def remedies(survey: Survey) -> Iterator[Remedy]:
    missing = [(group, one) for group in survey.groups for one in group.blockers if one.kind is Kind.LABELS]
    for group, one in missing[:1]:
        node = group.nodes[0]
        yield Remedy(
            f"See whether feature discovery runs on {names(group.nodes)}: it sets `{one.about}` by itself",
            kubectl("", "get", "pods", "-A", "-o", "wide", "--field-selector", f"spec.nodeName={node}"),
        )


def _daemons(survey: Survey) -> Iterator[str]:
    """How many of its pods are ready, by the DaemonSets that are called so."""
    things = survey.state.view.things("daemonsets").values()
    for one in sorted(things, key=lambda thing: natural(thing.key)):
        if any(hint in one.name for hint in HINTS) and (short := _short(one.fields)):
            yield f"`{one.title}` in {one.namespace}: {short}"


def _short(fields: Fields) -> str:
    wanted, ready = fields.number("status", "desiredNumberScheduled"), fields.number("status", "numberReady") or 0
    return f"{ready} of {wanted} pods ready" if wanted is not None and ready < wanted else ""

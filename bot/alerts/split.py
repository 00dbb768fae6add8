"""Splitting: a group whose alerts turn out to have several roots, for some looks in a row, becomes several groups.

What a node that is down explains stays with it, and so does what a person put together.
"""

from bot.alerts import topology
from bot.alerts.stage import Round, Stage
from bot.domain.alert import Bundle
from bot.domain.alert_state import Group, Kind, Phase


def run(round_: Round) -> None:
    if not round_.look.swept:
        return
    for number, group in list(round_.groups.items()):
        places = round_.bundles_of.get(number, [])
        strange = _strange(round_, group, [round_.look.bundles[place] for place in places])
        apart = group.apart + 1 if strange else 0
        if apart < round_.rules.split_sweeps:
            if apart != group.apart:
                round_.set_group(number, apart=apart)
            continue
        round_.set_group(number, apart=0)
        for bundle in strange:
            _split(round_, number, bundle)


def _strange(round_: Round, group: Group, bundles: list[Bundle]) -> list[Bundle]:
    """Bundles that fire by themselves, with nothing that joins them to that of the group's root."""
    if group.pinned or not group.open or len(bundles) < 2:
        return []
    home = next((one for one in bundles if any(alert.fingerprint == group.root for alert in one.alerts)), bundles[0])
    reach = topology.of_bundle(home)
    return [one for one in bundles if one is not home and not topology.by_node(reach, one) and _fires(round_, one)]


def _fires(round_: Round, bundle: Bundle) -> bool:
    return round_.alerts[bundle.root.fingerprint].phase is Phase.FIRING


def _split(round_: Round, number: int, bundle: Bundle) -> None:
    made = round_.next_number
    round_.next_number += 1
    root = bundle.root.fingerprint
    round_.groups[made] = Group(number=made, root=root, content=bundle.content, opened_at=round_.now)
    for alert in bundle.alerts:
        round_.set(alert.fingerprint, incident=made)
    place = next(place for place in round_.bundles_of[number] if round_.look.bundles[place] is bundle)
    round_.bundles_of[number].remove(place)
    round_.bundles_of[made] = [place]
    round_.fresh.append(made)
    reason = f"{bundle.root.cause} of {bundle.root.subject} stays by itself"
    round_.say(Kind.SPLIT, reason, number=number, other=made)


STAGE = Stage("split", run, __doc__ or "")

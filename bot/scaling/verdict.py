"""The first line of a preview: enough for somebody on a phone at night. Its sums add up."""

from collections import Counter
from collections.abc import Iterator

from bot.domain.text import natural
from bot.domain.words import count, names
from bot.scaling.devices_said import devices
from bot.scaling.fewer import Down
from bot.scaling.forms import FORMS
from bot.scaling.more import Up
from bot.scaling.preview import Preview

NODES_SHOWN = 6
PODS_SHOWN = 4


def title(told: Preview) -> str:
    """A clause: `scale llm/glm from 2 to 4`."""
    return f"scale {told.thing.key} from {told.now.wanted} to {told.wanted}"


def unit(told: Preview) -> str:
    """What one of them is called: a replica, a group."""
    return FORMS[told.thing.kind].unit


def verdict(told: Preview) -> str:
    """One sentence; who takes the change back comes before everything else."""
    said = _capital(_of_any(told))
    keeper = told.undone
    return f"{keeper.says}. Until then: {said}" if keeper is not None else said


def _of_any(told: Preview) -> str:
    if told.up is not None:
        return _of_up(told, told.up)
    if told.down is not None:
        return _of_down(told, told.down)
    return f"{told.thing.key} is asked for {count(told.wanted, unit(told))} already ({told.now.ready} ready)"


def _capital(text: str) -> str:
    """Names stay as they are: only our own words begin a sentence."""
    return text[0].upper() + text[1:] if text.split(" ", 1)[0] in ("all", "both", "the", "none", "whether") else text


# ---- more ------------------------------------------------------------------------------------------------------------


def _of_up(told: Preview, up: Up) -> str:
    what = f"new {unit(told)}{'' if up.added == 1 else 's'} of {told.thing.key}"
    every = {1: "the", 2: "both"}.get(up.added, f"all {up.added:,}")
    if up.blind:
        return f"whether {every} {what} would start cannot be told: {up.blind}{_old(told)}"
    if up.gates:
        return f"{every} {what} would be made and held back: {_gated(up)}{_old(told)}"
    placed = f" ({where(up)}){_evicting(up)}{_old(told)}"
    if up.starts == up.added:
        return f"{every} {what} would get a node now{placed}"
    rest = "; ".join(_missing(told, up))
    if up.starts:
        return f"{up.starts:,} of {up.added:,} {what} would get a node now{placed}; {rest}"
    if up.added == 1:
        return f"the {what} would {rest.removeprefix('1 would ')}{_old(told)}"
    return f"none of the {up.added:,} {what} would start now{_old(told)}: {rest}"


def where(up: Up) -> str:
    """`gpu-3, gpu-5 (2)`, without those that would hang."""
    home = {one.node for one in up.singles if one.node} if up.hangs else set[str]()
    many = Counter(node for node in up.placing.nodes if not home or node in home)
    ordered = sorted(many, key=natural)
    return names([f"{node} ({many[node]})" if many[node] > 1 else node for node in ordered], NODES_SHOWN)


def _evicting(up: Up) -> str:
    gone = up.placing.evicted
    return f", by ending {count(len(gone), 'pod')} of lower priority" if gone else ""


def _old(told: Preview) -> str:
    """Which image the new pods run, where it is not the one that the object says."""
    if not told.now.old_template:
        return ""
    run = names(sorted(set(told.now.images.values())))
    return f", with the old image {run}, since the rollout is paused"


def _missing(told: Preview, up: Up) -> Iterator[str]:
    """Where the others are: their numbers and those that start are the sum."""
    if up.hangs:
        yield f"{up.hangs:,} would get a node and hang there: {_single(up)}"
    refusing = [one for one in up.rations if one.refuses]
    if up.refused and refusing:
        yield f"{up.refused:,} would not be made: {refusing[0].why}"
    admitted = min([up.added - up.refused, *(one.room for one in up.rations if not one.refuses)])
    unadmitted = up.added - up.refused - admitted
    if up.waits > unadmitted:
        yield f"{up.waits - unadmitted:,} would wait: {_ahead(up)}{_stuck(told, up)}"
    if unadmitted:
        held = next(one for one in up.rations if not one.refuses)
        yield f"{unadmitted:,} would wait to be admitted: {held.why}"


def _ahead(up: Up) -> str:
    """Those of it that wait now get what is free."""
    if not up.ahead:
        return ""
    verb = "gets a node" if up.ahead == 1 else "get nodes"
    return f"{count(up.ahead, 'pod')} of it asked for already {verb} first, and with that "


def _stuck(told: Preview, up: Up) -> str:
    if up.stuck is not None:
        return up.stuck.sentence
    if up.placing.untried:
        return "more were asked for than were tried"
    verdict = up.placing.stuck
    reason = verdict.preenqueue or verdict.prefilter if verdict is not None else None
    return ", ".join(reason.failure.reasons) if reason is not None else f"no node takes another {unit(told)}"


def _gated(up: Up) -> str:
    listed = names([f"`{one}`" for one in up.gates])
    return (
        f"the scheduling gate {listed} of the template has to be lifted by its controller before any node is looked at"
    )


def _single(up: Up) -> str:
    one = up.singles[0]
    claim = f"claim `{one.claim.name}` is {'/'.join(sorted(one.claim.access_modes))}"
    by = f" by {one.holder}" if one.holder else ""
    if one.one_pod:
        return f"{claim}, so only one pod at a time may use it" + (f" ({one.holder} does)" if one.holder else "")
    return f"{claim}, so one node at a time can mount it" + (
        f", now {one.node}{by and f' (for {one.holder})'}" if one.node else ""
    )


# ---- fewer -----------------------------------------------------------------------------------------------------------


def _of_down(told: Preview, down: Down) -> str:
    pods, flight = down.leaving.pods, down.flight
    gpus = devices(told, down.taken)
    frees = f", which frees {gpus}" if gpus else ""
    them = "it" if len(pods) == 1 else "them"
    busy = f", with {count(flight.running + flight.queued, 'request')} in flight on {them}" if flight.known else ""
    had = count(told.now.wanted, unit(told))
    late = f", but only after {down.waits_for} is ready (it is not now)" if down.waits_for else ""
    if told.wanted == 0:
        every = f"the only {unit(told)}" if told.now.wanted == 1 else f"all {had}"
        return f"{every} of {told.thing.key} would go{frees}{busy}: nothing of it serves then{late}"
    who = names([f"{pod.name} ({pod.node or 'no node'})" for pod in pods], PODS_SHOWN)
    surely = "" if down.leaving.sure else "most likely "
    which = f": {surely}{who}" if who else ""
    stay = "serves" if down.serving_left == 1 else "serve"
    return (
        f"{down.taken:,} of {had} of {told.thing.key} would go{which}{late}{frees}{busy}; of those that stay "
        f"{down.serving_left:,} {stay} now"
    )

"""What comes of a scale beside its verdict, in sentences: where, with which volumes, how soon, who goes first."""

from collections.abc import Iterator

from bot.domain.words import count, names
from bot.scaling.devices_said import devices
from bot.scaling.fewer import Down
from bot.scaling.more import Up
from bot.scaling.preview import Preview
from bot.scaling.ration_order import in_order
from bot.scaling.verdict import PODS_SHOWN


def effects(told: Preview) -> tuple[str, ...]:
    if told.up is not None:
        return tuple(_of_more(told, told.up))
    return tuple(_of_fewer(told, told.down)) if told.down is not None else ()


def _of_more(told: Preview, up: Up) -> Iterator[str]:
    now, gpus = told.now, devices(told, 1)
    each = f", {gpus} each" if gpus else ""
    yield (
        f"Asked for: {now.wanted} now ({now.ready} ready), {told.wanted} then: {up.added:,} more{each} = "
        f"{up.starts:,} placed{_sum(up)}"
    )
    yield from _choice(up)
    yield from _order(told, up)
    if up.fresh.made:
        claims = names([f"`{one.name}`" for one in up.fresh.made], 3)
        yield f"New volume claims come with them: {claims} ({_class(up)})"
    for kept in up.fresh.kept[:2]:
        yield f"Claim `{kept.name}` of an earlier pod of that number is used again, with what is on it"
    yield from _grown(up)
    if up.starting.seconds is not None and up.starts:
        yield f"Until they serve: {up.starting.words}"


def _sum(up: Up) -> str:
    parts = ((up.hangs, "hanging"), (up.waits, "waiting"), (up.refused, "not made"))
    return "".join(f" + {number:,} {what}" for number, what in parts if number)


def _choice(up: Up) -> Iterator[str]:
    """How far the names of nodes can be relied on."""
    landings = [one for replica in up.placing.landed for one in replica]
    if alike := [one.alike for one in landings if one.alike > 1]:
        yield (
            f"For {count(len(alike), 'pod')} several nodes are equally good (up to {max(alike)}), and the "
            "scheduler takes one of them at random: the names are one such choice"
        )
    if up.placing.chosen_from:
        part = f"{up.placing.chosen_from:,}"
        yield f"The scheduler looks at no more than {part} nodes that would do, from a random one on"


def _order(told: Preview, up: Up) -> Iterator[str]:
    """In which order they come, where it is not all at once."""
    if up.starts > 1 and in_order(told.now):
        yield "They come one after the other, each when the one before it is ready (podManagementPolicy OrderedReady)"
    if told.now.rolling is not None and told.now.rolling.under_way and not told.now.paused:
        yield (
            "A rollout is under way: its old and new ReplicaSets share the new replicas in proportion to what each "
            "has, and the rollout then replaces the old ones"
        )


def _class(up: Up) -> str:
    one = up.fresh.made[0]
    late = "" if one.name in up.fresh.anywhere else ", made where the pod lands"
    return f"class {one.storage_class or 'unknown'}{late}"


def _grown(up: Up) -> Iterator[str]:
    grow = up.growth
    if grow is None:
        return
    many = f"{count(grow.nodes, 'more node')} like {grow.like}"
    yield f"{many} would take those that wait ({grow.each} on each), tried on a copy of the cluster"
    yield from grow.who
    if not grow.who:
        yield "No autoscaler of nodes is seen here, so none comes by itself"


def _of_fewer(told: Preview, down: Down) -> Iterator[str]:
    if down.leaving.why and told.wanted:
        yield f"Who goes: {down.leaving.why}"
    if down.leaving.spread:
        yield "A rollout is under way: its old and new ReplicaSets share the loss in proportion"
    if told.thing.fields.get("spec", "volumeClaimTemplates"):
        policy = told.thing.fields.text("spec", "persistentVolumeClaimRetentionPolicy", "whenScaled") or "Retain"
        fate = "are deleted, too" if policy == "Delete" else "stay, and are used again by the same numbers"
        yield f"Their volume claims {fate} (whenScaled: {policy})"
    if down.waits_for:
        yield (
            "Its pods go in order (podManagementPolicy OrderedReady): the controller takes none before "
            f"{down.waits_for} is ready"
        )
    if down.budgets:
        listed = names([f"`{one}`" for one in down.budgets], 2)
        yield f"Disruption budget {listed} does not count: fewer replicas is no eviction, so no budget holds it up"
    for name, number in down.flight.by_pod[:PODS_SHOWN]:
        yield f"{name}: {count(number, 'request')} running or queued there now"

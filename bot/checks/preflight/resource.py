"""The node is Ready and offers all its GPUs, and no more than there are cards."""

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.gpu.stack import commands
from bot.gpu.stack.expected import twins


def judge(ground: Ground) -> Outcome:
    scene, sight = ground.scene, ground.scene.sight
    if scene.node.ready is not True:
        return ground.unknown("node.silent", "does not say that it is Ready")
    if sight.offered:
        return ground.ok(f"offers {_offered(ground)}", _counted(ground))
    if ground.changing:
        return ground.unknown("resource.none", "offers no GPU yet")
    outcome = ground.wrong(
        "resource.none",
        f"offers no {sight.resource}",
        f"that it has GPUs: {sight.expected.source}" if sight.expected else "",
        remedies=(commands.look(sight),),
    )
    return (
        outcome
        if sight.expected is not None or ground.broken
        else ground.unknown("resource.none", "offers no GPU, and nothing says how many it has")
    )


def _offered(ground: Ground) -> str:
    rows = ground.scene.sight.gpus.rows if ground.scene.sight.gpus else ()
    return ", ".join(f"{row.allocatable} of {row.total} {row.resource}" for row in rows[:4])


def _counted(ground: Ground) -> str:
    """Who else counts its cards: without one, an oversold node cannot be told from a larger one."""
    told = twins(ground.scene.sight.fleet, ground.scene.node)
    if ground.scene.gpus:
        return f"the driver lists {len(ground.scene.gpus)}"
    return f"{told.source} tells of {told.count}" if told is not None and told.count else "nobody else counts its cards"


POINT = Point(4, "resource", "resource is visible and not oversold", True, judge, __doc__ or "")

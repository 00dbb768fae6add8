"""`/gpu node uncordon`: open a node again that gpubot cordoned, or one that is named a second time.

    /gpu node uncordon gpu-3 because the board was replaced
    /gpu node uncordon gpu-3 confirm=gpu-3      one that somebody else cordoned: their reason is over

A cordon of an operator, an autoscaler or a colleague has a reason that gpubot does not know. The preview says how many
GPU pods that wait would then fit there, tried on a copy of the cluster. In a terminal it is a preview and nothing else.
"""

from bot.changes.kinds.uncordon import CHANGE
from bot.changes.node_ask import node_ask
from bot.command import Access, Command, Option, Reply, Request
from bot.views.plan_reply import reply


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    cluster = request.cluster
    ask = node_ask(
        request.words,
        request.options,
        cluster.view,
        cluster.inventory,
        request.now,
        typed="/gpu node uncordon",
        reason=False,
    )
    return reply(CHANGE.plan(ask), cluster.view, request.now, CHANGE.needs)


COMMAND = Command(
    words=("node", "uncordon"),
    summary="Open a node again for new pods",
    access=Access.READ,
    examples=("/gpu node uncordon gpu-3 because it is repaired",),
    run=run,
    options=(Option("confirm", "the node's name again, where others cordoned it", "confirm=gpu-3"),),
    takes_words="NAME [because REASON]",
    page=__doc__ or "",
    needs=CHANGE.needs,
)

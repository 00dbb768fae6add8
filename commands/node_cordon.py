"""`/gpu node cordon`: nothing new comes to a node; what runs there stays.

    /gpu node cordon gpu-3 because Xid 79 on GPU 5

In Slack this asks for the change: what would be done is shown, the API server is asked whether it would take it, and
nothing happens before somebody who may says yes. In a terminal it is a preview and nothing else. Undo opens the node
again.
"""

from bot.changes.kinds.cordon import CHANGE
from bot.changes.node_ask import node_ask
from bot.command import Access, Command, Reply, Request
from bot.views.plan_reply import reply


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    cluster = request.cluster
    ask = node_ask(
        request.words, request.options, cluster.view, cluster.inventory, request.now, typed="/gpu node cordon"
    )
    return reply(CHANGE.plan(ask), cluster.view, request.now, CHANGE.needs)


COMMAND = Command(
    words=("node", "cordon"),
    summary="Keep new pods away from a node; what runs there stays",
    access=Access.READ,
    examples=("/gpu node cordon gpu-3 because Xid 79",),
    run=run,
    takes_words="NAME because REASON",
    page=__doc__ or "",
    needs=CHANGE.needs,
)

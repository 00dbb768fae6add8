"""`/gpu node drain`: cordon a node and evict what runs there, as disruption budgets allow.

    /gpu node drain gpu-3 because Xid 79 on GPU 5
    /gpu node drain gpu-3 confirm=gpu-3 because …     pods without a controller, too: they are lost for good

The preview says who leaves and in which order, which models lose their last replica, whose emptyDir data is gone, who
finds no other place (each pod is tried on a copy of the cluster), and which evictions a disruption budget would refuse
now. Pods of DaemonSets and of the kubelet itself stay. An eviction that is refused is tried again for a quarter of an
hour. In a terminal it is a preview and nothing else.
"""

from bot.changes.kind import Ask
from bot.changes.kinds.drain import CHANGE, wants_of
from bot.changes.node_ask import node_ask
from bot.command import Access, Command, Option, Reply, Request
from bot.domain.evidence import Wanted
from bot.views.plan_reply import reply


def _ask(request: Request) -> Ask:
    cluster = request.cluster
    return node_ask(
        request.words,
        request.options,
        cluster.view,
        cluster.inventory,
        request.now,
        typed="/gpu node drain",
        evidence=request.evidence,
    )


def wants(request: Request) -> Wanted:
    """Raises UsageError, NotFoundError."""
    return wants_of(_ask(request))


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    return reply(CHANGE.plan(_ask(request)), request.cluster.view, request.now, CHANGE.needs)


COMMAND = Command(
    words=("node", "drain"),
    summary="Empty a node, with what that costs",
    access=Access.READ,
    examples=("/gpu node drain gpu-3 because Xid 79",),
    run=run,
    options=(Option("confirm", "the node's name again: evict pods without a controller, too", "confirm=gpu-3"),),
    takes_words="NAME because REASON",
    page=__doc__ or "",
    needs=CHANGE.needs,
    wants=wants,
)

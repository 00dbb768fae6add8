"""`/scale`: another number of replicas, with what would come of it before anything is changed.

    /scale                              what can be scaled, how many are asked for, and who owns the number
    /scale deployment/glm 4             also statefulset/, lws/, inferenceservice/, namespace/name, or a model's name
    /scale glm +2    /scale glm -1      more or fewer than now
    /scale glm to 0 because …           the reason goes to whoever approves it and into the record
    /scale glm 4 until 18:00            back by itself at that time (UTC); also `until tomorrow 9:00`, `for 3h`

The preview says on which nodes the new replicas would land and which would wait, why, and what would help; what
quotas and Kueue let in; whom the scheduler would end for them; who goes first when there are to be fewer, and what is
in flight there; and who owns the number (an autoscaler, a chart, an operator), when they would undo the change, and
what to change instead. In a terminal it is a preview and nothing else.
"""

from bot.changes.kind import Ask
from bot.changes.kinds.scale import CHANGE, plan_of, preview_of, wants_of
from bot.changes.scale_ask import scale_ask
from bot.command import Access, Command, Option, Reply, Request
from bot.domain.evidence import Wanted
from bot.scaling.listing import listing
from bot.views import scale as views
from bot.views import scale_list


def _ask(request: Request) -> Ask:
    cluster = request.cluster
    return scale_ask(request.words, request.options, cluster.view, cluster.inventory, request.now, request.evidence)


def wants(request: Request) -> Wanted:
    """Raises UsageError, NotFoundError."""
    return wants_of(_ask(request)) if request.words else Wanted()


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, UpstreamError."""
    cluster = request.cluster
    if not request.words:
        found = listing(cluster.view, cluster.inventory.policy, request.now, request.options.get("namespace", ""))
        return scale_list.reply(found, cluster.view, request.now)
    ask = _ask(request)
    told = preview_of(ask)
    history = cluster.history.history(cluster.name) if cluster.history else None
    return views.reply(told, plan_of(ask, told), cluster.view, request.now, history)


COMMAND = Command(
    words=("scale",),
    summary="Another number of replicas, with what would come of it",
    access=Access.READ,
    examples=("/gpu scale deployment/glm 4", "/gpu scale glm +2 for 3h because a launch", "/gpu scale"),
    run=run,
    options=(
        Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),
        Option("replicas", "the number, as kubectl takes it", "replicas=4"),
    ),
    takes_words="[NAME N [until TIME] [because REASON]]",
    page=__doc__ or "",
    needs=CHANGE.needs,
    wants=wants,
)

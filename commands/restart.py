"""`/gpu restart`: make the pods of a workload anew.

    /gpu restart deployment/glm because it answers no more
    /gpu restart llm/glm namespace=llm because …        also statefulset/, daemonset/, lws/, or a model's name

By the annotation that `kubectl rollout restart` sets. The preview says how the rollout goes, whether it gets through
with the GPUs that are free (a surge pod needs its own beside those of the old pods), and what does not serve meanwhile.
In a terminal it is a preview and nothing else.
"""

from bot.changes.kinds.restart import CHANGE
from bot.changes.restart_ask import restart_ask
from bot.command import Access, Command, Option, Reply, Request
from bot.views.plan_reply import reply


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    cluster = request.cluster
    namespace = request.options.get("namespace", "")
    ask = restart_ask(request.words, namespace, cluster.view, cluster.inventory, request.now, typed="/gpu restart")
    return reply(CHANGE.plan(ask), cluster.view, request.now, CHANGE.needs)


COMMAND = Command(
    words=("restart",),
    summary="Make the pods of a workload anew",
    access=Access.READ,
    examples=("/gpu restart deployment/glm because it answers no more",),
    run=run,
    options=(Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),),
    takes_words="WORKLOAD because REASON",
    page=__doc__ or "",
    needs=CHANGE.needs,
)

"""`/model list`: which models run here, where, how fast, and who waits.

    /model list                       all of them, those with most GPUs first
    /model list namespace=llm         of one namespace

For each: the name it is served under, the workload, engine and version, replicas ready of those asked for, GPUs,
tokens per second and requests in the batch and in the queue (by the engines' own metrics), and whose it is. `?` stands
where something is not known, with the reason below; it is never told as 0. `≥` stands where only some engines told.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.evidence import Wanted
from bot.gpu.kind import short
from bot.scaling.served import KINDS, Served, served, unread
from bot.scaling.served_place import owner, product_label
from bot.views import model_list, model_windows


def wants(request: Request) -> Wanted:
    return model_windows.wanted(request, _served(request))


def run(request: Request) -> Reply:
    view, policy = request.cluster.view, request.cluster.inventory.policy
    every = _served(request)
    rows = [
        model_list.Row(
            one,
            model_windows.told(request, one),
            short(product_label(view, one)),
            owner(view, one, policy),
        )
        for one in every
    ]
    unknown = [said for one in rows for said in model_windows.unknown(request, one.served, one.seen)]
    others = unread(view, every, request.options.get("namespace", ""))
    return model_list.show(rows, others, unknown, view, request.now)


def _served(request: Request) -> list[Served]:
    return served(request.cluster.view, request.options.get("namespace", ""))


COMMAND = Command(
    words=("model", "list"),
    summary="Which models run here, how fast, and who waits",
    access=Access.READ,
    examples=("/gpu model list", "/gpu model list namespace=llm"),
    run=run,
    options=(Option("namespace", "only those there", "namespace=llm", also=("ns", "n")),),
    page=__doc__ or "",
    needs=KINDS,
    wants=wants,
)

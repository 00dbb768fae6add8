"""`/model status`: one model in full.

    /model status glm                  by the name that it is served under, its workload or one of its pods
    /model status deployment/llm/glm   exactly that one

Replicas by phase (who serves, who loads and how far by the log, who waits or fails), what the engines say of themselves
with small charts of the last minutes (tokens per second, queue, KV cache, latency), incidents of the last seven days,
and where its configuration differs from what the catalogue advises for that model, engine and GPU: version, parsers,
cache, guessing ahead, how long a start may take, probes, shared memory, draining, known faults. What could not be found
out is listed with its reason.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.deploying.compared import compared
from bot.deploying.compared import wanted as wanted_for_advice
from bot.domain.errors import UsageError
from bot.domain.evidence import Wanted
from bot.gpu.kind import short
from bot.grammar import quoted
from bot.scaling.served import KINDS, Served
from bot.scaling.served_named import named
from bot.scaling.served_place import owner, product_label
from bot.views import model_replicas, model_status, model_windows

TYPED = "/model status"


def _served(request: Request) -> Served:
    """Raises UsageError, NotFoundError, UpstreamError."""
    if len(request.words) != 1:
        words = quoted(" ".join(request.words))
        told = f"One model at a time, not {words}." if request.words else "Of which model?"
        raise UsageError(f"{told} For example `{TYPED} glm`; `/model list` lists them.")
    return named(request.cluster.view, request.words[0], request.options.get("namespace", ""), TYPED)


def wants(request: Request) -> Wanted:
    one = _served(request)
    return model_windows.wanted(request, [one]) + wanted_for_advice(one) + Wanted(model_replicas.wanted(one))


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, UpstreamError."""
    cluster, one = request.cluster, _served(request)
    seen = model_windows.told(request, one)
    product = product_label(cluster.view, one)
    version = seen.versions[0] if seen.versions else one.version
    told = model_status.Told(
        one,
        seen,
        short(product),
        owner(cluster.view, one, cluster.inventory.policy),
        model_replicas.standings(one, request.evidence),
        compared(one, product, version, request.evidence),
        tuple(model_windows.unknown(request, one, seen)),
        cluster.incidents.incidents(cluster.name) if cluster.incidents is not None else None,
    )
    return model_status.show(told, cluster.view, request.now)


COMMAND = Command(
    words=("model", "status"),
    summary="One model in full: replicas, engine metrics, incidents, advice",
    access=Access.READ,
    examples=("/gpu model status glm",),
    run=run,
    options=(Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),),
    takes_words="NAME",
    page=__doc__ or "",
    needs=KINDS,
    wants=wants,
)

"""`/model`: the models that run here.

    /model                             all of them, as `/model list`
    /model glm                         one of them, as `/model status glm`
    /model logs glm                    what its engines last complained of
    /model stop glm because …          asks for it to be stopped
    /model bench glm                   a short load, for latency and throughput

`/model list`, `status`, `logs`, `stop` and `bench` have pages of their own.
"""

from dataclasses import replace

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.errors import UsageError
from bot.domain.evidence import Wanted
from bot.grammar import nearest, quoted
from bot.scaling.served import KINDS
from commands import model_list, model_status

VERBS = ("list", "status", "logs", "stop", "bench")


def wants(request: Request) -> Wanted:
    """Raises UsageError, NotFoundError, UpstreamError."""
    return model_status.wants(_one(request)) if request.words else model_list.wants(request)


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, UpstreamError."""
    return model_status.run(_one(request)) if request.words else model_list.run(request)


def _one(request: Request) -> Request:
    first, *rest = request.words
    close = nearest(first, list(VERBS))
    if rest and close:
        typed = " ".join((close, *rest))
        raise UsageError(f"`/model` has no {quoted(first)}; did you mean `/model {typed}`?")
    if rest:
        raise UsageError(
            f"{quoted(' '.join(request.words))} is not understood after `/model`; there are {', '.join(VERBS)}, "
            "for example `/model status glm`."
        )
    return replace(request, words=(first,))


COMMAND = Command(
    words=("model",),
    summary="The models that run here",
    access=Access.READ,
    examples=("/gpu model", "/gpu model glm"),
    run=run,
    options=(Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),),
    takes_words="[list | status NAME | logs NAME | stop NAME | bench NAME]",
    page=__doc__ or "",
    needs=KINDS,
    wants=wants,
)

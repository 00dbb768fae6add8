"""`/model stop`: a model that is needed no more, as a change that somebody approves.

    /model stop glm because the launch is over          no replicas any more; Undo starts it again
    /model stop glm remove=yes because it moved         what gpubot deployed goes altogether, weights stay

The preview says what goes, how many GPUs come free and where, which services have nobody behind them then, who would
set the number back, and what the engines did in the last minutes: how many requests, and what runs now. Whose requests
they were engines do not tell. Requests in flight are waited for, five minutes at most. In a terminal it is a preview.
"""

import msgspec

from bot.changes.because import needs_because, split_because
from bot.changes.kind import Ask
from bot.changes.kinds.model_stop import CHANGE, REMOVE
from bot.command import Access, Command, Option, Reply, Request
from bot.domain.errors import UsageError
from bot.domain.evidence import Wanted
from bot.grammar import quoted
from bot.scaling.served import Served
from bot.scaling.served_named import named
from bot.views import model_usage, model_windows
from bot.views.plan_reply import reply

TYPED = "/model stop"


def _ask(request: Request) -> tuple[Served, Ask]:
    """Raises UsageError, NotFoundError, UpstreamError."""
    words, because = split_because(request.words)
    if len(words) != 1:
        told = f"One model at a time, not {quoted(' '.join(words))}." if words else "Stop which model?"
        raise UsageError(f"{told} For example `{TYPED} glm because the launch is over`.")
    cluster = request.cluster
    one = named(cluster.view, words[0], request.options.get("namespace", ""), TYPED)
    needs_because(because, f"{TYPED} {one.typed} because it is needed no more")
    arguments = {"kind": one.thing.kind, "namespace": one.thing.namespace, "name": one.thing.name}
    if REMOVE in request.options:
        arguments[REMOVE] = request.options[REMOVE]
    return one, Ask(arguments, cluster.view, cluster.inventory, request.now, because, request.evidence)


def wants(request: Request) -> Wanted:
    one, ask = _ask(request)
    return (CHANGE.wants(ask) if CHANGE.wants is not None else Wanted()) + model_windows.wanted(request, [one])


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, UpstreamError."""
    one, ask = _ask(request)
    plan, seen = CHANGE.plan(ask), model_windows.told(request, one)
    told = msgspec.structs.replace(
        plan,
        costs=(*model_usage.used(seen), *plan.costs),
        unknown=(*plan.unknown, *(model_usage.not_seen(seen) if one.pods else ())),
    )
    return reply(told, request.cluster.view, request.now, CHANGE.needs)


COMMAND = Command(
    words=("model", "stop"),
    summary="Stop a model, with what goes and who used it",
    access=Access.READ,
    examples=("/gpu model stop glm because the launch is over",),
    run=run,
    options=(
        Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),
        Option(REMOVE, "whether what gpubot deployed goes altogether", "remove=yes", choices=("yes", "no")),
    ),
    takes_words="NAME because REASON",
    page=__doc__ or "",
    needs=CHANGE.needs,
    wants=wants,
)

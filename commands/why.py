"""`/why`: why something does not run, and the smallest change that helps.

    /why pending                      everything that does not run, by cause and owner
    /why glm-0                        one pod: by its name, the beginning of it, or namespace/name
    /why deployment/glm               an owner: also statefulset/, job/, lws/, workload/, podgroup/, pvc/, node/
    /why glm-0 if uncordon gpu-3      what would happen: tried on a copy of the cluster, nothing is changed
    /why glm-0 details                with the table of nodes
    /why fits 8 gpus product=H200     whether it would fit before anything exists

What can be tried after `if` (several with `and`): `uncordon NODE`, `tolerate KEY`, `untaint NODE KEY`,
`request N gpus`, `ends THING`, `add node like NODE` (or `add 2 nodes like NODE`), `drop selector KEY`,
`priority CLASS`.

The answer goes through every place where a pod can be stuck, from its owner (quota, admission, queues, gates) over
kube-scheduler's filters on every node to image, mounts, probes and the engine's own last words. Every remedy that says
so was tried on a copy of the cluster. What could not be looked at is named. Logs are read only of the containers in
question, masked and capped.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.evidence import Wanted
from bot.views import why as views
from bot.why import needs
from bot.why.answering import Asked, answer, to_look_up
from bot.why.question import take_apart


def _asked(request: Request) -> Asked:
    cluster = request.cluster
    return Asked(
        question=take_apart(request.words),
        options=request.options,
        view=cluster.view,
        inventory=cluster.inventory,
        now=request.now,
        evidence=request.evidence,
        history=cluster.history.history(cluster.name) if cluster.history else None,
    )


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    asked = _asked(request)
    return views.show(answer(asked), asked)


def wants(request: Request) -> Wanted:
    """Raises UsageError, NotFoundError."""
    return to_look_up(_asked(request))


COMMAND = Command(
    words=("why",),
    summary="Why something does not run, and the smallest change that helps",
    access=Access.READ,
    examples=("/gpu why pending", "/gpu why glm-0", "/gpu why fits 8 gpus product=H200"),
    run=run,
    options=(
        Option("product", "for `fits`: only GPUs whose product contains this", "product=H200", also=("gpu", "kind")),
        Option("count", "for `fits`: how many such pods", "count=3", also=("replicas",)),
        Option("namespace", "only this namespace", "namespace=llm", also=("ns", "n")),
    ),
    takes_words="[pending] [THING] [if CHANGE]",
    takes_if=True,
    page=__doc__ or "",
    needs=needs.KINDS,
    wants=wants,
)

"""`/gpu verify`: prove a GPU node from end to end with a one-off pod.

    /gpu verify gpu-9
    /gpu verify gpu-9 image=registry.example/ubuntu:22.04 namespace=gpu-tests

Three steps, each with its evidence: the node offers GPUs in capacity and allocatable; a pod that asks for one GPU there
runs nvidia-smi; no taint stands in the way of others. The pod tolerates the node's taints, its cordon included, is put
on the node by the scheduler, has five minutes, and is removed whatever happens. The node agent proves more without a
pod (`/gpu node`). In a terminal it is a preview and nothing else.
"""

import hashlib
import re

from bot.changes.because import split_because
from bot.changes.kind import Ask
from bot.changes.kinds.gpu_verify import CHANGE
from bot.changes.verify_pod import DEFAULT_IMAGE
from bot.command import Access, Command, Option, Reply, Request
from bot.domain.errors import UsageError
from bot.gpu.named_node import named_node
from bot.grammar import quoted
from bot.views.plan_reply import reply

_IMAGE = re.compile(r"[a-z0-9][a-z0-9._:/@-]{0,199}", re.IGNORECASE)  # github.com/distribution/reference, loosely
_NAMESPACE = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NAME_MAX = 40


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    cluster = request.cluster
    words, because = split_because(request.words)
    node = named_node(cluster.view, words, "/gpu verify")
    arguments = {
        "node": node.name,
        "pod": _pod_name(node.name, request.now.isoformat()),
        "namespace": _namespace(request.options.get("namespace", "default")),
        "image": _image(request.options.get("image", DEFAULT_IMAGE)),
    }
    ask = Ask(arguments, cluster.view, cluster.inventory, request.now, because=because)
    return reply(CHANGE.plan(ask), cluster.view, request.now, CHANGE.needs)


def _pod_name(node: str, moment: str) -> str:
    """Another one each time: no pod of somebody else is ever taken for ours, or removed."""
    short = re.sub(r"[^a-z0-9-]", "-", node.casefold())[:_NAME_MAX].strip("-")
    return f"gpu-verify-{short}-{hashlib.sha256(f'{node} {moment}'.encode()).hexdigest()[:8]}"


def _image(word: str) -> str:
    if _IMAGE.fullmatch(word) is None:
        raise UsageError(f"{quoted(word)} is no image; for example `image={DEFAULT_IMAGE}`.")
    return word


def _namespace(word: str) -> str:
    if _NAMESPACE.fullmatch(word) is None:
        raise UsageError(f"{quoted(word)} is no namespace; for example `namespace=default`.")
    return word


COMMAND = Command(
    words=("verify",),
    summary="Prove a GPU node with a one-off pod that runs nvidia-smi",
    access=Access.READ,
    examples=("/gpu verify gpu-9",),
    run=run,
    options=(
        Option("image", "what the pod runs in", f"image={DEFAULT_IMAGE}"),
        Option("namespace", "where the pod is made", "namespace=default", also=("ns", "n")),
    ),
    takes_words="NAME [because REASON]",
    page=__doc__ or "",
    needs=CHANGE.needs,
)

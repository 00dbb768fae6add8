"""`/model logs`: what a model's engines last complained of.

    /model logs glm                    up to eight pods, those that are not well first
    /model logs glm-7d9f-abcde         one pod

Lines that gpubot knows are explained with what helps; other lines that call themselves errors are quoted as they are.
Tokens, keys and passwords are masked. Where a container was started again, the end of the run before is read too.
"""

from bot.command import Access, Command, Option, Reply, Request
from bot.domain.errors import UsageError
from bot.domain.evidence import Wanted
from bot.domain.pod import Pod
from bot.grammar import quoted
from bot.scaling.served import KINDS, Served
from bot.scaling.served_named import named
from bot.views import model_logs

TYPED = "/model logs"


def _meant(request: Request) -> tuple[Served, tuple[Pod, ...]]:
    """Raises UsageError, NotFoundError, UpstreamError."""
    if len(request.words) != 1:
        words = quoted(" ".join(request.words))
        told = f"One model or pod at a time, not {words}." if request.words else "Of which model?"
        raise UsageError(f"{told} For example `{TYPED} glm`; `/model list` lists them.")
    word = request.words[0]
    one = named(request.cluster.view, word, request.options.get("namespace", ""), TYPED)
    return one, model_logs.chosen(one, word)


def wants(request: Request) -> Wanted:
    return model_logs.wanted(*_meant(request))


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError, UpstreamError."""
    one, pods = _meant(request)
    return model_logs.show(one, pods, request.evidence, request.cluster.view, request.now)


COMMAND = Command(
    words=("model", "logs"),
    summary="What a model's engines last complained of, masked",
    access=Access.READ,
    examples=("/gpu model logs glm",),
    run=run,
    options=(Option("namespace", "where it is", "namespace=llm", also=("ns", "n")),),
    takes_words="NAME",
    page=__doc__ or "",
    needs=KINDS,
    wants=wants,
)

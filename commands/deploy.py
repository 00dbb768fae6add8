"""`/deploy`: a model served on this cluster, from its name to its first token; or why not, and what would make it so.

    /deploy glm                                        planned, shown, and asked for
    /deploy glm dry                                    shown only; `gpubot ask` never does more
    /deploy glm variant=fp8 replicas=2 context=128k namespace=llm until 18:00 because …
    /deploy glm as yaml      /deploy glm as kustomize  the manifests, to be applied by somebody else
    /deploy glm image=vllm/vllm-openai:v0.33.0         again with another version: rolls what runs under that name

What is chosen goes by the catalogue (docs/models.md): weights, cache and reserve against the memory of each kind of GPU
here, drivers against the image's CUDA, ranks that the model can be cut into; then the cluster's own scheduler says
where the pods would land. Nothing is created that would not start: the preflight asks for the namespace, the name,
weights and their volume, image, quota and queues, Pod Security, host memory, disk, driver and room, and each no has
what helps. `wait=yes` creates it although it would wait for GPUs.

Options: `variant`, `replicas`, `context`, `concurrency`, `namespace`, `name`, `gpu`, `pool`, `tp`, `engine`, `image`,
`args`, `source` (hf, modelscope, pvc:CLAIM/PATH), `storage`, `queue`, `priority`, `autoscale` (waiting, utilisation),
`max`, `expose` (ingress:HOST, httproute:GATEWAY/HOST), `monitor`, `until`, `wait`.
"""

from collections.abc import Sequence
from datetime import UTC

from bot.changes.because import split_because
from bot.changes.deploy_ask import OPTIONS, choice_of, wish_of
from bot.changes.kind import Ask
from bot.changes.kinds.deploy import CHANGE, plan_of
from bot.command import Access, Command, Option, Reply, Request
from bot.domain.errors import UsageError
from bot.domain.evidence import Wanted
from bot.domain.words import names
from bot.grammar import quoted
from bot.scaling.until import ends_at
from bot.serving.catalogue import catalogue, is_name
from bot.views import deploy as views

_FORMS = ("yaml", "kustomize")
_MODELS_SHOWN = 20
_EXAMPLES = {
    "variant": "variant=fp8",
    "replicas": "replicas=2",
    "context": "context=128k",
    "concurrency": "concurrency=32",
    "namespace": "namespace=llm",
    "name": "name=glm-prod",
    "engine": "engine=vllm",
    "image": "image=vllm/vllm-openai:v0.33.0",
    "gpu": "gpu=H200",
    "pool": "pool=h200",
    "tp": "tp=8",
    "source": "source=pvc:weights/GLM-5.2-FP8",
    "storage": "storage=nfs",
    "autoscale": "autoscale=waiting",
    "max": "max=4",
    "priority": "priority=high",
    "queue": "queue=llm",
    "expose": "expose=ingress:glm.example.org",
    "monitor": "monitor=yes",
    "args": "args=--max-num-seqs=64",
}
_SAYS = {
    "variant": "which weights",
    "replicas": "how many, 1 where it is not said",
    "context": "the longest request, in tokens",
    "concurrency": "requests of that length at once",
    "namespace": "where",
    "name": "how it is called",
    "engine": "vllm or sglang",
    "image": "another version or a mirror",
    "gpu": "only GPUs whose product has this in its name",
    "pool": "only that node pool",
    "tp": "over how many GPUs each replica is cut",
    "source": "where the weights come from",
    "storage": "the storage class of a new volume",
    "autoscale": "more replicas as requests wait, by KEDA",
    "max": "how many at most then",
    "priority": "a priority class",
    "queue": "a queue of Kueue",
    "expose": "a way in from outside",
    "monitor": "a ServiceMonitor for Prometheus",
    "args": "further engine arguments, with commas between them",
}


def _ask(request: Request) -> tuple[Ask, bool, str]:
    """What is asked; whether it is only shown; as what it is exported. Raises UsageError."""
    words, because = split_because(request.words)
    options = dict(request.options)
    told, until = ends_at(_with_until(words, options.pop("until", "")), request.now)
    rest, dry, form = _told(told)
    if len(rest) > 1 and not is_name(catalogue(), rest):
        raise UsageError(
            f"One model at a time: {quoted(' '.join(rest[1:]))} is too much. For example `/deploy glm dry`."
        )
    if not rest:
        there = names([f"`{model.names[0]}`" for model in catalogue().models], _MODELS_SHOWN)
        raise UsageError(f"Which model? The catalogue has {there}. For example `/deploy glm dry`.")
    arguments = {"model": "-".join(rest), **options}
    if until is not None:
        arguments["ends_at"] = until.astimezone(UTC).isoformat(timespec="seconds")
    cluster = request.cluster
    ask = Ask(arguments, cluster.view, cluster.inventory, request.now, because=because, evidence=request.evidence)
    return ask, dry, form


def _with_until(words: Sequence[str], until: str) -> list[str]:
    """`until=18:00` is the same as `until 18:00`. Raises UsageError where both are said."""
    if until and any(word.casefold() in ("until", "till", "for") for word in words[1:]):
        raise UsageError("Its end is said twice. For example `/deploy glm until 18:00`.")
    return [*words, "until", *until.split()] if until else list(words)


def _told(words: Sequence[str]) -> tuple[list[str], bool, str]:
    """Raises UsageError for a form that nobody knows."""
    low = [word.casefold() for word in words]
    form = ""
    if "as" in low:
        at = low.index("as")
        form = low[at + 1] if at + 1 < len(low) else ""
        if form not in _FORMS:
            raise UsageError(f"As what? Type `as yaml` or `as kustomize`, not {quoted(form)}.")
        words = (*words[:at], *words[at + 2 :])
    return [word for word in words if word.casefold() != "dry"], "dry" in low, form


def wants(request: Request) -> Wanted:
    """Raises UsageError."""
    ask, _, _ = _ask(request)
    assert CHANGE.wants is not None
    return CHANGE.wants(ask)


def run(request: Request) -> Reply:
    """Raises UsageError, UpstreamError."""
    ask, dry, form = _ask(request)
    wish = wish_of(ask.arguments)
    choice = choice_of(ask, wish)
    plan = plan_of(ask, choice)
    if form:
        return views.manifests(choice, plan, request.cluster.view, request.now, kustomize=form == "kustomize")
    return views.reply(choice, plan, request.cluster.view, request.now, dry=dry)


COMMAND = Command(
    words=("deploy",),
    summary="A model served here, from its name to its first token",
    access=Access.READ,
    examples=("/gpu deploy glm dry", "/gpu deploy glm replicas=2 namespace=llm", "/gpu deploy flash as yaml"),
    run=run,
    options=(
        *(
            Option(name, _SAYS[name], _EXAMPLES[name], also=("ns", "n") if name == "namespace" else ())
            for name in OPTIONS
        ),
        Option("until", "taken back by itself then", "until=18:00"),
        Option("wait", "create it although it would wait for GPUs", "wait=yes", choices=("yes", "no")),
    ),
    takes_words="[MODEL] [dry] [as yaml|kustomize] [until TIME] [because REASON]",
    page=__doc__ or "",
    needs=CHANGE.needs,
    wants=wants,
)

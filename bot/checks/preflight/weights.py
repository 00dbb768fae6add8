"""Weights come to the node: from Hugging Face, ModelScope, an object store or a volume, and whether that one refuses.

Read from whole pods (arguments and variables) and from the engines' logs, as far as they were looked up.
"""

from collections.abc import Iterator
from urllib.parse import urlsplit

from bot.checks.preflight.ground import Ground
from bot.checks.preflight.point import Outcome, Point
from bot.checks.scene import Scene
from bot.domain.answer import Remedy
from bot.domain.evidence import LogRef
from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import inert
from bot.domain.words import names
from bot.serving.arguments import read_arguments
from bot.serving.mask import mask
from bot.serving.reading import Match, read

_REFUSALS = frozenset(
    """
    hub-offline hub-rate-limit hub-server-error hub-gated hub-token-invalid hub-offline-mode
    store-credentials-missing store-forbidden store-unreachable
    network-name-unknown network-unreachable network-certificate network-proxy network-retries-exceeded
    """.split()
)
_TRUE = frozenset({"1", "true", "yes", "on"})
_MODELSCOPE = ("VLLM_USE_MODELSCOPE", "SGLANG_USE_MODELSCOPE", "USE_MODELSCOPE_HUB")


def judge(ground: Ground) -> Outcome:
    refused = next(_refused(ground.scene), None)
    if refused is not None:
        pod, match = refused
        return ground.wrong(
            f"weights.{match.signature.id}",
            f"does not get the weights of {pod.key}: {match.cause.rstrip('.')}",
            f"its log: “{inert(match.line)}”",
            remedies=[Remedy(one.action, one.command) for one in match.remedies],
        )
    sources = sorted({source for pod in ground.scene.sight.users for source in _sources(ground.scene, pod)})
    if sources:
        return ground.ok(f"gets its weights from {names(sources)}")
    if not ground.scene.view.knows("pods"):
        return ground.unknown("pods.unread", "has pods that were not read, and so the source of their weights")
    return ground.unknown("weights.untold", "runs no engine that tells where its weights come from")


def _refused(scene: Scene) -> Iterator[tuple[Pod, Match]]:
    """Pods there that are not ready and whose log ends with a source that refuses."""
    for pod in scene.sight.users:
        if pod.states and all(state.ready for state in pod.states):
            continue
        for container in pod.containers:
            log = scene.evidence.texts.get(LogRef(pod.namespace, pod.name, container.name), "")
            cause = read(log).cause if log else None
            if cause is not None and cause.signature.id in _REFUSALS:
                yield pod, cause


def _sources(scene: Scene, pod: Pod) -> Iterator[str]:
    whole = scene.evidence.object("Pod", pod.namespace, pod.name)
    for spec in whole.each("spec", "containers"):
        source = _source(spec)
        if source:
            yield source


def _source(spec: Fields) -> str:
    given = {one.text("name"): one.text("value") for one in spec.each("env")}
    told = read_arguments((*spec.texts("command"), *spec.texts("args")), given, spec.text("image"))
    model = mask(told.model)
    if not model:
        return ""
    if "://" in model:
        return f"an object store ({inert(model.partition('://')[0], 20)})"
    if model.startswith(("/", ".")) or told.offline:
        return "a volume or the image"
    if any(given.get(name, "").casefold() in _TRUE for name in _MODELSCOPE):
        return "ModelScope"
    mirror = _host(given.get("HF_ENDPOINT", ""))
    return f"Hugging Face by the mirror {mirror}" if mirror else "Hugging Face"


def _host(url: str) -> str:
    """The host only: a URL may carry a password."""
    try:
        return inert(urlsplit(url).hostname or "", 80)
    except ValueError:
        return ""


POINT = Point(10, "weights", "weights come, from which source", False, judge, __doc__ or "")

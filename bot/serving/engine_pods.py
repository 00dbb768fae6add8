"""Which pods are inference engines, by what is kept of every pod: images, names of containers, labels.

A router, a gateway, a cache or a scheduler in front of engines is none, though its image comes from the same people. Of
a group of pods that serve one model together only the first one has metrics (kubernetes-sigs/lws, ray-project/kuberay).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from bot.domain.pattern import Pattern
from bot.domain.pod import Container, Pod
from bot.domain.record import Labels

WORKER_INDEX = "leaderworkerset.sigs.k8s.io/worker-index"
_IMAGES = (  # in the last parts of an image's path → engine
    ("text-generation-inference", "tgi"),
    ("tritonserver", "triton"),
    ("tensorrt-llm", "triton"),
    ("sglang", "sglang"),
    ("vllm", "vllm"),
    ("llm-d-cuda", "vllm"),
    ("llm-d", "vllm"),
)
_NAMES = {"vllm": "vllm", "sglang": "sglang", "tgi": "tgi", "triton": "triton", "vllm-container": "vllm"}
_OTHER = Pattern(
    r"router|gateway|scheduler|epp|sidecar|proxy|controller|operator|download|init|lmcache|exporter|kv-cache|simulator"
    r"|autoscaler|webhook|manager|bench"
)
_LABELS = {  # label → its values → engine; an empty value: any
    "app.kubernetes.io/name": {"vllm": "vllm", "sglang": "sglang", "text-generation-inference": "tgi"},
    "app.kubernetes.io/component": {"inference-engine": "", "serving-engine": ""},
    "model.aibrix.ai/engine": {"vllm": "vllm", "sglang": "sglang"},
}


@dataclass(frozen=True, slots=True)
class Hint:
    """What settings say of pods that nobody could recognise: those with these labels are engines, at that place."""

    labels: Mapping[str, str]
    namespace: str = ""  # empty: any
    port: int | None = None
    path: str = ""
    scheme: str = ""
    engine: str = ""

    def fits(self, pod: Pod) -> bool:
        return self.fits_labels(pod.namespace, pod.labels)

    def fits_labels(self, namespace: str, labels: Labels) -> bool:
        there = all(labels.get(name) == value for name, value in self.labels.items())
        return there and self.namespace in ("", namespace)


def is_engine(pod: Pod, hints: Iterable[Hint] = ()) -> bool:
    """Whether it has metrics of an engine: not finished, no follower of a group."""
    if pod.finished or follows(pod.labels):
        return False
    return any(hint.fits(pod) for hint in hints) or bool(engine_containers(pod))


def follows(labels: Labels) -> bool:
    """A worker that computes for another pod, which speaks for it."""
    if labels.get("ray.io/node-type") == "worker":
        return True
    return labels.get(WORKER_INDEX, "0") != "0" and labels.get("gpubot.dev/own-metrics") != "true"


def engine_containers(pod: Pod) -> tuple[Container, ...]:
    """Its containers that run an engine: by the image, else by the container's name, else by the pod's labels."""
    inside = [one for one in pod.containers if not one.init and not one.sidecar]
    found = [one for one in inside if engine_of_image(one.image)]
    found = found or [one for one in inside if one.name in _NAMES and not _is_other(one.image)]
    if not found and inside and _by_labels(pod.labels) is not None and not _is_other(inside[0].image):
        found = inside[:1]
    return tuple(found)


def engine_of(pod: Pod) -> str:
    """vllm, sglang, tgi, triton; empty where only that it is an engine is known."""
    for one in engine_containers(pod):
        return engine_of_image(one.image) or _NAMES.get(one.name, "") or _by_labels(pod.labels) or ""
    return ""


@lru_cache(maxsize=4096)
def engine_of_image(image: str) -> str:
    """By the image's name without registry, tag and digest; empty where it is none that is known."""
    path = image.partition("@")[0].lower()
    head, slash, last = path.rpartition("/")
    name = last.partition(":")[0]
    owner = head.rpartition("/")[2] if slash else ""
    if _OTHER.search(name):
        return ""
    return next((engine for part, engine in _IMAGES if part in name or part == owner), "")


def version_of_image(image: str) -> str:
    """The release as its tag says it: `0.33.0`; empty for `latest`, a digest, a build's name."""
    found = _RELEASE.search(image.partition("@")[0].rpartition("/")[2])
    return found[1] if found else ""


_RELEASE = Pattern(r":v?(\d{1,3}\.\d{1,4}(?:\.\d{1,4})?(?:\.?(?:post|rc)\d{1,3})?)(?:$|[-+_.])")


@lru_cache(maxsize=4096)
def _is_other(image: str) -> bool:
    return bool(_OTHER.search(image.partition("@")[0].rpartition("/")[2].partition(":")[0].lower()))


def _by_labels(labels: Labels) -> str | None:
    for label, values in _LABELS.items():
        value = labels.get(label)
        if value is not None and value in values:
            return values[value]
    return None

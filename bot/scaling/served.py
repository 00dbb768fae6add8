"""What serves models here: each workload whose template starts an engine, with its command line and its pods."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.pod import Pod
from bot.domain.text import inert, natural
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.scaling.forms import replicas_of, template_spec, typed
from bot.scaling.replica_gpus import gpus_per_replica
from bot.scaling.target import scalable
from bot.serving.arguments import EngineArguments, read_arguments
from bot.serving.engine_pods import engine_of_image, follows, is_engine, version_of_image
from bot.why.lws_groups import size_of
from bot.why.members import pods_of
from bot.why.rolling import ready_replicas

KINDS = frozenset(  # what is read for it
    {"nodes", "pods", "namespaces", "replicasets", "deployments", "statefulsets", "leaderworkersets"}
    | {"inferenceservices", "knativerevisions"}
)


_READ = frozenset({"ReplicaSet", "StatefulSet"})  # whose templates are looked at anyhow: most pods of a cluster
_HINTS = (  # one of these is in every template that starts an engine: few of many workloads are looked at closely
    *(b"vllm", b"sglang", b"text-generation", b"tritonserver", b"tensorrt-llm", b"llm-d", b"served-model-name"),
    *(b"served_model_name", b"model-id", b"model_id", b"num-shard", b"num_shard", b"model-path", b"model_path"),
    *(b"mem-fraction-static", b"mem_fraction_static", b"tensor-parallel-size", b"tensor_parallel_size"),
    *(b"max-model-len", b"max_model_len"),
)


@dataclass(frozen=True, slots=True)
class Served:
    """One workload. container: the engine's, as its template has it. pods: not finished, by name; followers included.

    size: pods of one replica. gpus: of one replica.
    """

    thing: Thing
    container: Fields
    told: EngineArguments
    pods: tuple[Pod, ...]
    wanted: int
    size: int
    gpus: int

    @property
    def typed(self) -> str:
        return typed(self.thing)

    @property
    def model(self) -> str:
        """As its users call it; the path's last part where no name is set, the workload's own where there is none."""
        path = self.told.model.rstrip("/").rpartition("/")[2]
        return inert(self.told.served_name.split(",")[0] or path or self.thing.name, 60).replace("`", "'")

    @property
    def names(self) -> frozenset[str]:
        """All that the model may be called, in small letters."""
        told = (self.told.served_name, self.told.model, self.told.model.rstrip("/").rpartition("/")[2])
        return frozenset(one.casefold() for one in told if one)

    @property
    def image(self) -> str:
        return self.container.text("image")

    @property
    def engine(self) -> str:
        """vllm, sglang, tgi, triton; empty where only its arguments look like an engine's."""
        return engine_of_image(self.image) or self.told.engine

    @property
    def version(self) -> str:
        """As the image's tag says; empty where it does not."""
        return version_of_image(self.image)

    @property
    def ready(self) -> int:
        return ready_replicas(self.pods, self.size)

    @property
    def speakers(self) -> tuple[Pod, ...]:
        """The pods that have metrics and logs of their own: of a group the leader alone."""
        return tuple(pod for pod in self.pods if not follows(pod.labels))


def served(view: View, namespace: str = "") -> list[Served]:
    """Those with most GPUs first."""
    things = (one for one in scalable(view) if namespace in ("", one.namespace))
    found = [one for thing in things if (one := of(view, thing)) is not None]
    return sorted(found, key=lambda one: (-one.gpus * one.wanted, one.thing.key))


def of(view: View, thing: Thing) -> Served | None:
    """None where its template starts no engine."""
    container = next(iter(_engines(thing)), None)
    if container is None:
        return None
    pods = {pod.key: pod for pod in pods_of(view, thing) if not pod.finished}
    size = size_of(thing) if thing.kind == "LeaderWorkerSet" else 1
    ordered = tuple(sorted(pods.values(), key=lambda pod: natural(pod.name)))
    return Served(thing, container, arguments(container), ordered, replicas_of(thing), size, gpus_per_replica(thing))


def arguments(container: Fields) -> EngineArguments:
    """Its command line; variables as far as their values stand there."""
    environment = {one.text("name"): one.text("value") for one in container.each("env") if one.text("name")}
    words = (*container.texts("command"), *container.texts("args"))
    return read_arguments(words, environment, container.text("image"))


def unread(view: View, known: list[Served], namespace: str = "") -> list[Pod]:
    """Pods that run an engine and belong to nobody whose command line is read here."""
    ours = {pod.key for one in known for pod in one.pods}
    others = (pod for pod in view.pods.values() if pod.owner is None or pod.owner.kind not in _READ)
    pods = (pod for pod in others if namespace in ("", pod.namespace) and pod.key not in ours)
    return sorted((pod for pod in pods if is_engine(pod)), key=lambda pod: pod.key)


def pod_template(thing: Thing) -> Fields:
    """The pod spec that speaks for a replica: of a group the leader's, where it has one of its own."""
    leader = thing.fields.at("spec", "leaderWorkerTemplate", "leaderTemplate", "spec")
    return leader if thing.kind == "LeaderWorkerSet" and leader else template_spec(thing)


def _engines(thing: Thing) -> Iterator[Fields]:
    raw = thing.raw.lower()
    if not any(hint in raw for hint in _HINTS):
        return
    spec = pod_template(thing)
    for container in (*spec.each("containers"), spec.at("model")):
        told = arguments(container) if container else None
        if told and (engine_of_image(container.text("image")) or told.engine or told.served_name):
            yield container

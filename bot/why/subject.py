"""Who is meant by what was typed: a pod, its owner, a claim, a node, or nothing that is known.

glm-0   llm/glm-0   pod/glm-0   deployment/glm   job/train-7   lws/vllm   workload/tiny   pvc/weights   node/gpu-3
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.record import Record
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.members import pods_of

OWNERS = (
    ("deployments", "Deployment", ("deployment", "deploy")),
    ("statefulsets", "StatefulSet", ("statefulset", "sts")),
    ("leaderworkersets", "LeaderWorkerSet", ("leaderworkerset", "lws")),
    ("jobsets", "JobSet", ("jobset",)),
    ("jobs", "Job", ("job",)),
    ("volcanojobs", "Job", ("vcjob", "volcanojob")),
    ("cronjobs", "CronJob", ("cronjob", "cj")),
    ("daemonsets", "DaemonSet", ("daemonset", "ds")),
    ("inferenceservices", "InferenceService", ("inferenceservice", "isvc")),
    ("knativerevisions", "Revision", ("revision",)),
    ("workloads", "Workload", ("workload", "wl")),
    ("podgroups", "PodGroup", ("podgroup", "pg")),
    ("kaipodgroups", "PodGroup", ("kaipodgroup",)),
    ("coschedulinggroups", "PodGroup", ("coschedulinggroup",)),
    ("replicasets", "ReplicaSet", ("replicaset", "rs")),
    ("clusterqueues", "ClusterQueue", ("clusterqueue", "cq")),
    ("localqueues", "LocalQueue", ("localqueue", "lq")),
    ("nodeclaims", "NodeClaim", ("nodeclaim",)),
)
CLAIM = "PersistentVolumeClaim"
POD_WORDS = ("pod", "pods", "po")
NODE_WORDS = ("node", "nodes", "no")
CLAIM_WORDS = ("persistentvolumeclaim", "pvc", "claim")
T = TypeVar("T", bound=Record)


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing that is asked about.

    kind and name are as it calls itself; `pod` where it is a pod, `thing` where it is an owner or another object with
    a table of things, `node` and `record` (a claim) likewise. `pods` are the pods that belong to it, itself included.
    """

    kind: str
    name: str
    namespace: str = ""
    pod: Pod | None = None
    thing: Thing | None = None
    node: Node | None = None
    record: Record | None = None
    pods: tuple[Pod, ...] = ()

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}" if self.namespace else self.name

    @property
    def title(self) -> str:
        """`llm/glm-0` for a pod, `deployment llm/glm` for the rest."""
        if self.kind == "Pod":
            return self.key
        return f"{'claim' if self.kind == CLAIM else self.kind.lower()} {self.key}"

    @property
    def typed(self) -> str:
        """What to type to ask about exactly this."""
        return self.key if self.kind == "Pod" else f"{_word(self.kind)}/{self.key}"


def _word(kind: str) -> str:
    return "pvc" if kind == CLAIM else "lws" if kind == "LeaderWorkerSet" else kind.lower()


def of_pod(pod: Pod) -> Subject:
    return Subject("Pod", pod.name, pod.namespace, pod=pod, pods=(pod,))


def of_node(node: Node) -> Subject:
    return Subject("Node", node.name, node=node)


def of_thing(view: View, thing: Thing) -> Subject:
    pods = tuple(sorted(set(pods_of(view, thing)), key=lambda pod: pod.key))
    return Subject(thing.kind, thing.name, thing.namespace, thing=thing, pods=pods)


def find(view: View, word: str) -> list[Subject]:
    """All that the word can mean, best first: exact names before prefixes, owners before their pods' prefixes."""
    return next((found for reading in _readings(view, word) if (found := _read(view, *reading))), [])


def _read(view: View, kind: str, namespace: str, name: str) -> list[Subject]:
    if kind in POD_WORDS:
        return _pods(view, namespace, name)
    if kind in NODE_WORDS:
        return [of_node(one) for one in _exact_or_prefix(view.nodes.values(), "", name)]
    if kind in CLAIM_WORDS:
        return _claims(view, namespace, name)
    if kind:
        return [of_thing(view, one) for one in _owners(view, namespace, name, kind)]
    return _anything(view, namespace, name)


def _anything(view: View, namespace: str, name: str) -> list[Subject]:
    exact_pods = [of_pod(pod) for pod in view.pods_named(name) if namespace in ("", pod.namespace)]
    owners = [of_thing(view, one) for one in _owners(view, namespace, name, "", exact=True)]
    nodes = [of_node(view.nodes[name])] if not namespace and name in view.nodes else []
    if found := [*_topmost([*exact_pods, *owners]), *nodes]:
        return found
    if claims := _claims(view, namespace, name, exact=True):
        return claims
    if queued := [of_thing(view, one) for one in _queued_for(view, namespace, name)]:
        return queued
    loose = [of_thing(view, one) for one in _owners(view, namespace, name, "")]
    return (
        _pods(view, namespace, name)
        or _topmost(loose)
        or [of_node(one) for one in _exact_or_prefix(view.nodes.values(), "", name)]
    )


def _queued_for(view: View, namespace: str, name: str) -> Iterator[Thing]:
    """Workloads of a job of that name whose kind is not read, such as a RayJob: the queue's object is all there is."""
    for one in view.things("workloads").values():
        if one.owner is not None and one.owner.name == name and namespace in ("", one.namespace):
            yield one


def _topmost(owners: list[Subject]) -> list[Subject]:
    """Without those that others among them own: a Deployment speaks for its ReplicaSet, a Job for its Workload.

    A LeaderWorkerSet's leader owns the StatefulSet of its workers, which has its name.
    """
    uids = {who.uid for one in owners if (who := one.thing or one.pod) and who.uid}
    return [one for one in owners if not (one.thing and one.thing.owner and one.thing.owner.uid in uids)]


def _pods(view: View, namespace: str, name: str) -> list[Subject]:
    found = [pod for pod in view.pods_named(name) if namespace in ("", pod.namespace)]
    found = found or _exact_or_prefix(view.pods.values(), namespace, name)
    return [of_pod(pod) for pod in sorted(found, key=lambda pod: pod.key)]


def _claims(view: View, namespace: str, name: str, *, exact: bool = False) -> list[Subject]:
    found = _exact_or_prefix(view.persistentvolumeclaims.values(), namespace, name, exact=exact)
    return [Subject(CLAIM, one.name, one.namespace, record=one) for one in found]


def _owners(view: View, namespace: str, name: str, word: str, *, exact: bool = False) -> Iterator[Thing]:
    for table, kind, words in OWNERS:
        if not word or word in words or word == f"{words[0]}s" or word == kind.lower():
            if not word and table in ("clusterqueues", "localqueues", "nodeclaims"):
                continue  # only asked about by their kind's name
            yield from _exact_or_prefix(view.things(table).values(), namespace, name, exact=exact)


def _exact_or_prefix(records: Iterable[T], namespace: str, name: str, *, exact: bool = False) -> list[T]:
    within = [one for one in records if namespace in ("", getattr(one, "namespace", ""))]
    same = [one for one in within if one.name == name]
    if same or exact or not name:
        return same
    return [one for one in within if one.name.startswith(name)]


def _readings(view: View, word: str) -> Iterator[tuple[str, str, str]]:
    """Kind, namespace and name of `kind/namespace/name`, `namespace/name`, `kind/name` or a bare name.

    A namespace may be called like a kind: then both are meant, the namespace first.
    """
    first, *rest = word.strip("/").split("/")
    kind = first.casefold().partition(".")[0]
    if not rest:
        yield "", "", first
    elif len(rest) == 1:
        if kind not in _KINDS or first in view.namespaces:
            yield "", first, rest[0]
        if kind in _KINDS:
            yield kind, "", rest[0]
    elif len(rest) == 2:
        yield kind, rest[0], rest[1]


_KINDS = frozenset(
    {word for _, kind, words in OWNERS for word in (*words, f"{words[0]}s", kind.lower())}.union(
        POD_WORDS, NODE_WORDS, CLAIM_WORDS
    )
)

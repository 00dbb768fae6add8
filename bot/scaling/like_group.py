"""The pods of another group of a LeaderWorkerSet: with a key of their own where a group has its topology for itself.

kubernetes-sigs/lws:pkg/webhooks/pod_webhook.go (SetExclusiveAffinities): the leader wants pods of its group's key and
no others in the domain; workers follow it by a node selector.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from bot.domain.pod import Pod
from bot.domain.pod_spec import PodSpec, PodTerm
from bot.domain.selectors import Requirement, Selector
from bot.domain.thing import Thing
from bot.why.lws_groups import INDEX

EXCLUSIVE = "leaderworkerset.sigs.k8s.io/exclusive-topology"
KEY = "leaderworkerset.sigs.k8s.io/group-key"


def of_group(pods: Sequence[Pod], lws: Thing, number: int) -> Iterator[Pod]:
    """`pods` of a group that is there or of the template, as those of group `number`."""
    topology = lws.annotations.get(EXCLUSIVE, "")
    specs: dict[int, PodSpec] = {}
    for pod in pods:
        labels = {**pod.labels, INDEX: str(number), KEY: f"{lws.name}-{number}"}
        if not topology:
            yield msgspec.structs.replace(pod, labels=labels) if KEY in pod.labels else pod
            continue
        spec = specs.get(id(pod.spec)) or specs.setdefault(id(pod.spec), _apart(pod.spec, topology, labels))
        yield msgspec.structs.replace(pod, labels=labels, spec=spec)


def _apart(spec: PodSpec, topology: str, labels: Mapping[str, str]) -> PodSpec:
    own = Requirement(KEY, "In", (labels[KEY],))
    others = (Requirement(KEY, "Exists"), Requirement(KEY, "NotIn", (labels[KEY],)))
    return msgspec.structs.replace(
        spec,
        node_selector={key: value for key, value in spec.node_selector.items() if key != topology},
        affinity=(*_without_keys(spec.affinity), PodTerm(topology, Selector((own,)))),
        anti_affinity=(*_without_keys(spec.anti_affinity), PodTerm(topology, Selector(others))),
    )


def _without_keys(terms: Sequence[PodTerm]) -> Iterator[PodTerm]:
    """Without those of the group that they were copied from."""
    return (one for one in terms if not any(each.key == KEY for each in one.selector.requirements))

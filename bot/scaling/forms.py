"""Objects whose replicas can be set, as the API server addresses them, and where number and pod template stand.

kubernetes/api:autoscaling/v1/types.go (Scale); kubernetes-sigs/lws:api/leaderworkerset/v1 (scale subresource, counts
groups); kserve/kserve:pkg/apis/serving/v1beta1/component.go (no scale subresource: minReplicas is what is patched).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.thing import Thing


@dataclass(frozen=True, slots=True)
class Form:
    """`replicas`: the path to the number. `scale`: it has the subresource. `unit`: what one of them is called."""

    api_version: str
    resource: str
    replicas: tuple[str, ...] = ("spec", "replicas")
    template: tuple[str, ...] = ("spec", "template")
    scale: bool = True
    unit: str = "replica"
    word: str = ""  # as people type the kind


FORMS: Mapping[str, Form] = {
    "Deployment": Form("apps/v1", "deployments", word="deployment"),
    "StatefulSet": Form("apps/v1", "statefulsets", word="statefulset"),
    "ReplicaSet": Form("apps/v1", "replicasets", word="replicaset"),
    "LeaderWorkerSet": Form(
        "leaderworkerset.x-k8s.io/v1",
        "leaderworkersets",
        template=("spec", "leaderWorkerTemplate", "workerTemplate"),
        unit="group",
        word="lws",
    ),
    "InferenceService": Form(
        "serving.kserve.io/v1beta1",
        "inferenceservices",
        replicas=("spec", "predictor", "minReplicas"),
        template=("spec", "predictor"),
        scale=False,
        word="inferenceservice",
    ),
}


def form_of(thing: Thing) -> Form:
    return FORMS[thing.kind]


def replicas_of(thing: Thing) -> int:
    """How many are asked for; 1 where it does not say, as the API server defaults it."""
    number = thing.fields.number(*FORMS[thing.kind].replicas)
    return 1 if number is None else number


def typed(thing: Thing) -> str:
    """What to type to mean exactly this one."""
    return f"{FORMS[thing.kind].word}/{thing.key}"


def template_spec(thing: Thing) -> Fields:
    """The pod spec of its template; of a predictor that is the predictor itself."""
    template = thing.fields.at(*FORMS[thing.kind].template)
    return template if thing.kind == "InferenceService" else template.at("spec")

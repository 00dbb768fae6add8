"""InferenceServices, whose number of replicas KServe keeps itself.

kserve/kserve:pkg/controller/v1beta1/inferenceservice/reconcilers/hpa (without Knative at least one stays), and
pkg/constants (StopAnnotationKey).
"""

from bot.domain.thing import Thing
from bot.scaling.standing import Standing
from bot.why.autoscalers import KNATIVE_REVISION
from bot.why.shell import kubectl

STOP = "serving.kserve.io/stop"


def keeps_one(now: Standing) -> bool:
    """Whether none at all cannot be asked for: its Deployment is KServe's own and no Knative revision."""
    return now.thing.kind == "InferenceService" and now.maker is not now.thing and not _by_knative(now.maker)


def stopping(thing: Thing) -> str:
    """The command that takes the model down and keeps its object."""
    return kubectl("annotate", "inferenceservice", thing.name, f"{STOP}=true", namespace=thing.namespace)


def _by_knative(maker: Thing) -> bool:
    return KNATIVE_REVISION in maker.labels or (maker.owner is not None and maker.owner.kind == "Revision")

"""How many GPUs one replica of a workload asks for, by its own object: nobody needs to have made a pod of it yet."""

from bot.domain.thing import Thing
from bot.gpu.kind import gpus_in
from bot.scaling.forms import template_spec
from bot.why.amounts import added, amounts_of, of_template
from bot.why.lws_groups import members


def gpus_per_replica(thing: Thing) -> int:
    """Of all pods of a group, and of the model server that an InferenceService names beside its containers."""
    asked = added(members(thing)) if thing.kind == "LeaderWorkerSet" else of_template(template_spec(thing))
    if thing.kind == "InferenceService":  # its model server is no container of the template
        asked = added((asked, amounts_of(thing.fields.map("spec", "predictor", "model", "resources", "limits"))))
    return gpus_in(asked)

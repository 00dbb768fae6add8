"""KServe's services: kserve/kserve:pkg/apis/serving."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("inferenceservices", "InferenceService", ("serving.kserve.io/v1beta1",))

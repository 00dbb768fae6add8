"""Knative's autoscalers: knative/serving:pkg/apis/autoscaling."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind(
    "knativeautoscalers", "PodAutoscaler", ("autoscaling.internal.knative.dev/v1alpha1",), plural="podautoscalers"
)

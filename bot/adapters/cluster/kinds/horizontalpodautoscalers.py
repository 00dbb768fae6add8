"""Horizontal pod autoscalers: kubernetes/api:autoscaling/v2/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("horizontalpodautoscalers", "HorizontalPodAutoscaler", ("autoscaling/v2",))

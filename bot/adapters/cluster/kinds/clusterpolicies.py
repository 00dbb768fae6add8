"""The GPU operator's settings: NVIDIA/gpu-operator:api/nvidia/v1/clusterpolicy_types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("clusterpolicies", "ClusterPolicy", ("nvidia.com/v1",), namespaced=False)

"""Templates of resource claims: kubernetes/api:resource/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind(
    "resourceclaimtemplates",
    "ResourceClaimTemplate",
    ("resource.k8s.io/v1", "resource.k8s.io/v1beta2", "resource.k8s.io/v1beta1"),
)

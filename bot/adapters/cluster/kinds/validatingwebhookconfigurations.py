"""Webhooks that may refuse objects: kubernetes/api:admissionregistration/v1/types.go."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind(
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    ("admissionregistration.k8s.io/v1",),
    namespaced=False,
)

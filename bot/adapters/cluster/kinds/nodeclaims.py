"""Nodes that Karpenter is making or has made: kubernetes-sigs/karpenter:pkg/apis/v1."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("nodeclaims", "NodeClaim", ("karpenter.sh/v1", "karpenter.sh/v1beta1"), namespaced=False)

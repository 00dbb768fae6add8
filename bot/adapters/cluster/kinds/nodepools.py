"""Karpenter's kinds of nodes that it may make: kubernetes-sigs/karpenter:pkg/apis/v1."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("nodepools", "NodePool", ("karpenter.sh/v1", "karpenter.sh/v1beta1"), namespaced=False)

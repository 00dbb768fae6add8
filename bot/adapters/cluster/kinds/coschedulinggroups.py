"""Pod groups of the coscheduling plugin: kubernetes-sigs/scheduler-plugins:apis/scheduling."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("coschedulinggroups", "PodGroup", ("scheduling.x-k8s.io/v1alpha1",), plural="podgroups")

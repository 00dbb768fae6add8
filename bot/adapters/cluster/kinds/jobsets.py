"""Sets of jobs: kubernetes-sigs/jobset:api."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("jobsets", "JobSet", ("jobset.x-k8s.io/v1alpha2",))

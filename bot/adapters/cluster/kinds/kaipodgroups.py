"""KAI's pod groups: NVIDIA/KAI-Scheduler:pkg/apis/scheduling/v2alpha2."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("kaipodgroups", "PodGroup", ("scheduling.run.ai/v2alpha2",), plural="podgroups")

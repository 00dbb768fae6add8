"""KAI's queues: NVIDIA/KAI-Scheduler:pkg/apis/scheduling/v2."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("kaiqueues", "Queue", ("scheduling.run.ai/v2",), namespaced=False, plural="queues")

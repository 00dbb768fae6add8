"""Groups of a leader and its workers: kubernetes-sigs/lws:api."""

from bot.adapters.cluster.thing import thing_kind

KIND = thing_kind("leaderworkersets", "LeaderWorkerSet", ("leaderworkerset.x-k8s.io/v1",))

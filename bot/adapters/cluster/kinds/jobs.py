"""Jobs, also because their owner (CronJob, JobSet) is what people know: kubernetes/api:batch/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.replicasets import workload
from bot.adapters.cluster.shared import Shared
from bot.adapters.cluster.thing import WireThing, joined
from bot.domain.record import Record


def record(wire: WireThing, shared: Shared) -> tuple[str, Record]:
    return workload("Job", wire, shared, joined(wire))


KIND = Kind(
    name="jobs",
    object_kind="Job",
    versions=("batch/v1",),
    namespaced=True,
    wire=WireThing,
    record=record,
)

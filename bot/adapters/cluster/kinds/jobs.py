"""Jobs, kept because their owner (CronJob, JobSet) is what people know: kubernetes/api:batch/v1/types.go."""

from bot.adapters.cluster.kind import Kind
from bot.adapters.cluster.kinds.replicasets import WireWorkload, workload
from bot.adapters.cluster.shared import Shared
from bot.domain.record import Record


def record(wire: WireWorkload, shared: Shared) -> tuple[str, Record]:
    return workload("Job", wire, shared)


KIND = Kind(
    name="jobs",
    object_kind="Job",
    versions=("batch/v1",),
    namespaced=True,
    wire=WireWorkload,
    record=record,
)

"""How many replicas a Kueue queue lets in: each is a workload of its own."""

from collections.abc import Iterator, Mapping, Sequence

from bot.domain.pod import Pod
from bot.scaling.ration import Ration
from bot.scaling.standing import Standing
from bot.why.amounts import added, number, said
from bot.why.case import Case
from bot.why.kueue_queues import closed
from bot.why.kueue_quota import quotas
from bot.why.kueue_workload import QUEUE_LABEL
from bot.why.shell import kubectl


def of_kueue(now: Standing, pods: Sequence[Pod]) -> Iterator[Ration]:
    """Where the object or its pods name a queue: each replica is a workload of its own."""
    case, thing = now.case, now.thing
    name = thing.labels.get(QUEUE_LABEL) or pods[0].labels.get(QUEUE_LABEL, "")
    if not name:
        return
    shut = closed(case, thing.namespace, name)
    if shut is not None:
        yield Ration(0, shut.sentence, "kueue", refuses=False)
        return
    local = case.view.things("localqueues").get(f"{thing.namespace}/{name}")
    queue = case.fields(local).text("spec", "clusterQueue") if local is not None else ""
    yield from _queue(case, queue, added(pod.requests for pod in pods))


def _queue(case: Case, queue: str, asked: Mapping[str, int]) -> Iterator[Ration]:
    """A flavor gives all of a replica's part of one resource; the best one counts."""
    rooms: list[tuple[int, str, int, int]] = []
    cells = quotas(case, queue)
    for resource in asked:
        mine = [cell for cell in cells if cell.resource == resource and asked[resource]]
        if mine:
            best = max(mine, key=lambda cell: cell.left)
            total = sum(max(0, cell.left) // asked[resource] for cell in mine)
            rooms.append((total, resource, max(0, best.left), best.most))
    if rooms:
        room, resource, left, most = min(rooms)
        yield Ration(
            room,
            f"Kueue admits no more through ClusterQueue `{queue}`: {number(resource, left)} of {said(resource, most)} "
            f"left and each replica asks for {number(resource, asked[resource])}",
            "kueue",
            kubectl("get", "clusterqueues.kueue.x-k8s.io", queue, "-o", "yaml"),
            refuses=False,
        )

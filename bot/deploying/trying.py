"""One draft on this cluster: its manifests, and what would come of them from none to the wanted number of replicas.

The same preview that `/scale` shows, with quotas, queues, filters, preemption and autoscalers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import msgspec

from bot.deploying.candidate import Candidate, Draft, Room
from bot.deploying.manifests.claim import many_may_mount
from bot.deploying.manifests.manifest import INSTANCE, MANAGED_BY, MANAGED_BY_LABEL, Ground
from bot.deploying.manifests.render import render
from bot.deploying.wish import Wish
from bot.domain.evidence import Evidence
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.gpu.policy import Policy
from bot.scaling.preview import Preview, preview
from bot.scheduling.snapshot import Snapshot

_RUNTIME = "nvidia"


@dataclass(frozen=True, slots=True)
class Look:
    """The cluster at one moment. snapshot: what filters find out about it, once for all drafts."""

    view: View
    policy: Policy
    now: datetime
    evidence: Evidence
    snapshot: Snapshot

    def preview(self, thing: Thing, replicas: int) -> Preview:
        return preview(self.view, self.policy, thing, replicas, self.now, self.evidence, self.snapshot)


def candidate(draft: Draft, wish: Wish, look: Look) -> Candidate:
    """With what the cluster would make of its manifests."""
    view = look.view
    ground = Ground(
        draft,
        wish,
        namespace_of(wish),
        name_of(wish),
        runtime_class=_RUNTIME if _RUNTIME in view.things("runtimeclasses") else "",
    )
    rendering = render(ground)
    thing = _thing(rendering.workload, new_claim=ground.claim if ground.downloads else "")
    told = look.preview(thing, wish.replicas)
    spare = wish.spare
    if spare is None:
        spare = many_may_mount(view, ground) and _room_for_more(told, look, thing)
    if spare:
        ground = replace(ground, spare=True)
        rendering = render(ground)
    old = own(view, rendering.workload)
    kept = given(view, draft, wish) if old is not None else 0
    room = Room.NOW if kept and kept + _starts(told) >= wish.replicas else _room(told)
    return Candidate(draft, ground, rendering, told, room, replaces=old)


def own(view: View, workload: dict[str, Any]) -> Thing | None:
    """The workload of that name that is there, where gpubot made it."""
    metadata = workload["metadata"]
    found = view.thing(workload["kind"], metadata["namespace"], metadata["name"])
    return found if found is not None and ours(found) else None


def given(view: View, draft: Draft, wish: Wish) -> int:
    """Replicas that find their GPUs where pods of its last version have them."""
    pool, least, namespace, name = draft.pool, draft.tensor_parallel, namespace_of(wish), name_of(wish)
    there = (pod for node in pool.nodes for pod in view.on_node(node) if pod.occupies)
    own = (pod for pod in there if pod.namespace == namespace and pod.labels.get(INSTANCE) == name)
    return sum(1 for pod in own if pod.requests.get(pool.resource, 0) >= least) // draft.nodes_per_replica


def _starts(told: Preview) -> int:
    return told.up.starts if told.up is not None else 0


def namespace_of(wish: Wish) -> str:
    return wish.namespace or "default"


def name_of(wish: Wish) -> str:
    """A DNS label: `glm-5-2`."""
    return wish.name or wish.model.id.replace(".", "-")


def _room_for_more(told: Preview, look: Look, thing: Thing) -> bool:
    """Whether one more would find a place as well; only where that costs no second look at a large fleet."""
    up = told.up
    if up is None or up.starts < up.added or len(look.view.nodes) > _MANY_NODES:
        return False
    more = look.preview(thing, told.wanted + 1).up
    return more is not None and more.starts > told.wanted and not more.placing.evicted


_MANY_NODES = 500


def _thing(workload: dict[str, Any], new_claim: str) -> Thing:
    """The object as it would be with no replica yet. Where a claim that is not there yet will lie is not known: pods
    are placed as if it could be reached from everywhere, and a point of the preflight asks about it.
    """
    metadata = workload["metadata"]
    body = msgspec.json.decode(msgspec.json.encode({"spec": {**workload["spec"], "replicas": 0}}))
    for spec in _pod_specs(body["spec"]):
        volumes = spec.get("volumes", [])
        spec["volumes"] = [one for one in volumes if _claim(one) != new_claim or not new_claim]
    return Thing(
        name=metadata["name"],
        namespace=metadata["namespace"],
        kind=workload["kind"],
        api_version=workload["apiVersion"],
        labels=metadata["labels"],
        raw=msgspec.json.encode(body),
    )


def _pod_specs(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    group = spec.get("leaderWorkerTemplate")
    templates = [group["leaderTemplate"], group["workerTemplate"]] if group else [spec["template"]]
    return (one["spec"] for one in templates)


def _claim(volume: dict[str, Any]) -> str:
    return str(volume.get("persistentVolumeClaim", {}).get("claimName", ""))


def _room(told: Preview) -> Room:
    up = told.up
    if up is None or up.starts == up.added:
        return Room.AFTER_ENDING if up is not None and up.placing.evicted else Room.NOW
    if up.refused:
        return Room.REFUSED
    if up.growth is not None and up.growth.who:
        return Room.AUTOSCALER
    return Room.WAITS


def ours(thing: Thing) -> bool:
    return thing.labels.get(MANAGED_BY_LABEL) == MANAGED_BY

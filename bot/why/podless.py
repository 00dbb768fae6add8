"""Work that waits in a queue before any pod of it exists, and of kinds that nobody reads: only the queue knows of it.

A RayJob or PyTorchJob in Kueue is suspended, and all there is to see is its Workload; a Volcano job has no pods until
its PodGroup is let in.
"""

from collections.abc import Iterator

from bot.domain.thing import Thing
from bot.domain.view import View
from bot.why.members import pods_of


def in_line(view: View, namespace: str = "") -> Iterator[Thing]:
    """Workloads and Volcano's pod groups that wait without a pod, oldest first; not those of jobs that are read."""
    found = [*_workloads(view), *_groups(view)]
    for thing in sorted(found, key=lambda one: (one.created, one.key)):
        if namespace in ("", thing.namespace) and not any(True for _ in pods_of(view, thing)):
            yield thing


def _workloads(view: View) -> Iterator[Thing]:
    read = {one.uid for one in view.things("jobs").values()}
    read |= {one.owner.uid for one in view.things("jobs").values() if one.owner is not None}  # a JobSet has its jobs
    for thing in view.things("workloads").values():
        told = thing.fields
        over = told.condition("Finished").text("status") == "True"
        let_in = told.condition("Admitted").text("status") == "True"
        of_pod = thing.owner is not None and thing.owner.kind == "Pod"
        if not over and not let_in and not of_pod and (thing.owner is None or thing.owner.uid not in read):
            yield _owner(view, thing) or thing


def _owner(view: View, thing: Thing) -> Thing | None:
    """The job itself, where its kind is read: that is what people know."""
    found = view.thing(thing.owner.kind, thing.namespace, thing.owner.name) if thing.owner else None
    return found if found is not None and thing.owner and found.uid == thing.owner.uid else None


def _groups(view: View) -> Iterator[Thing]:
    return (one for one in view.things("podgroups").values() if one.fields.text("status", "phase") == "Pending")

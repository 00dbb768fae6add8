"""Jobs: pods that end. Source: kubernetes/kubernetes:pkg/controller/job/."""

from datetime import datetime, timedelta

from bot.local.cluster.controllers.access import JOBS, PODS, Key, Obj, key_of
from bot.local.cluster.controllers.conditions import is_true, with_condition
from bot.local.cluster.controllers.context import Context
from bot.local.cluster.controllers.job_plan import INDEX, Plan, plan
from bot.local.cluster.controllers.owned import PodSet, controller_of
from bot.local.cluster.controllers.pods import parse_time, pod_from
from bot.local.cluster.store import Change

FIRST_BACKOFF_SECONDS, LONGEST_BACKOFF_SECONDS = 10.0, 600.0


class JobController:
    name = "job-controller"

    def __init__(self, context: Context) -> None:
        self._context = context

    def observe(self, change: Change) -> None:
        obj = change.new
        if change.resource.key == JOBS.key and change.type != "DELETED":
            self._context.queue.mark(key_of(obj))
        elif change.resource.key == PODS.key:
            owner = controller_of(obj)
            if owner and owner["kind"] == "Job":
                self._context.queue.mark((obj["metadata"]["namespace"], owner["name"]))

    def reconcile(self, key: Key) -> None:
        found = self._context.access.find(JOBS, key)
        if found is None or found["metadata"].get("deletionTimestamp"):
            return
        pods = self._context.owned.of(found["metadata"]["uid"])
        if is_true(found, "Complete") or is_true(found, "Failed"):
            self._expire(found)
            return
        now = self._context.clock.now()
        todo = plan(found, pods, now)
        self._wait_for_deadline(found, now)
        wait = self._backoff(pods, now) if todo.create else 0.0
        if wait > 0:
            self._context.queue.mark_after(wait, key)
        else:
            for index in todo.create:
                self._create(found, index)
        for pod_key in todo.delete:
            self._context.access.delete(PODS, pod_key)
        self._write_status(found, pods, todo)

    def _create(self, found: Obj, index: int | None) -> None:
        name, uid = found["metadata"]["name"], found["metadata"]["uid"]
        labels = {"batch.kubernetes.io/job-name": name, "job-name": name}
        labels |= {"batch.kubernetes.io/controller-uid": uid, "controller-uid": uid}
        pod = pod_from(found["spec"]["template"], found, labels=labels)
        if index is not None:
            pod["metadata"]["annotations"][INDEX] = str(index)
            pod["metadata"]["labels"][INDEX] = str(index)
        made = self._context.access.create(PODS, found["metadata"]["namespace"], pod)
        text = f"Created pod: {made['metadata']['name']}"
        self._context.recorder.record(found, self.name, "SuccessfulCreate", text)

    def _backoff(self, pods: PodSet, now: datetime) -> float:
        """Seconds until the next try: ten after the first failure, doubled with each, at most ten minutes."""
        if not pods.failed:
            return 0.0
        seconds = min(FIRST_BACKOFF_SECONDS * 2 ** (len(pods.failed) - 1), LONGEST_BACKOFF_SECONDS)
        last = max(_ended(pod) for pod in pods.failed.values())
        return (last + timedelta(seconds=seconds) - now).total_seconds()

    def _wait_for_deadline(self, found: Obj, now: datetime) -> None:
        seconds = found["spec"].get("activeDeadlineSeconds")
        if seconds is not None:
            start = parse_time((found.get("status") or {}).get("startTime") or self._context.now())
            left = (start + timedelta(seconds=seconds) - now).total_seconds()
            self._context.queue.mark_after(max(left, 1.0), key_of(found))

    def _write_status(self, found: Obj, pods: PodSet, todo: Plan) -> None:
        old, now = found.get("status") or {}, self._context.now()
        conditions = old.get("conditions")
        for new in todo.conditions:
            conditions = with_condition(conditions, new, now)
        status = {
            "startTime": old.get("startTime", now),
            "active": len(pods.active),
            "ready": len(pods.ready),
            "terminating": len(pods.terminating),
            "succeeded": todo.succeeded,
            "failed": len(pods.failed),
            "uncountedTerminatedPods": {},
            "conditions": conditions,
            "completionTime": now if todo.complete else None,
        }
        status = {k: v for k, v in status.items() if v not in (None, 0, [])}
        if status != old:
            self._context.access.put_status(JOBS, found, status)
            self._tell(found, todo)

    def _tell(self, found: Obj, todo: Plan) -> None:
        if todo.complete:
            self._context.recorder.record(found, self.name, "Completed", "Job completed")
        for new in todo.conditions:
            if new["type"] == "Failed":
                self._context.recorder.record(found, self.name, new["reason"], new["message"], warning=True)

    def _expire(self, found: Obj) -> None:
        """With ttlSecondsAfterFinished a finished Job goes away by itself."""
        ttl = found["spec"].get("ttlSecondsAfterFinished")
        if ttl is None:
            return
        conditions = found["status"]["conditions"]
        ended = max(parse_time(c["lastTransitionTime"]) for c in conditions if c["type"] in ("Complete", "Failed"))
        left = (ended + timedelta(seconds=ttl) - self._context.clock.now()).total_seconds()
        if left > 0:
            self._context.queue.mark_after(left, key_of(found))
        else:
            self._context.access.delete(JOBS, key_of(found))


def _ended(pod: Obj) -> datetime:
    statuses = (pod.get("status") or {}).get("containerStatuses") or ()
    times = [parse_time(s["state"]["terminated"].get("finishedAt")) for s in statuses if s["state"].get("terminated")]
    return max(times, default=parse_time(pod["metadata"].get("creationTimestamp")))

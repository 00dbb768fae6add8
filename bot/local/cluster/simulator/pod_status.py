"""The status of a pod as its kubelet writes it, made from the stage that it is in.

Source: kubernetes/kubernetes:pkg/kubelet/kubelet_pods.go and pkg/kubelet/images/types.go.
"""

import hashlib
from datetime import datetime
from typing import Any

from bot.local.cluster.clock import rfc3339
from bot.local.cluster.simulator.lifecycle import backoff
from bot.local.cluster.simulator.pod_run import OVER, RUNS, PodRun, Stage

Obj = dict[str, Any]

PHASES = {Stage.SUCCEEDED: "Succeeded", Stage.FAILED: "Failed"}
NOT_STARTED = (Stage.ACCEPTED, Stage.PULLING, Stage.PULL_FAILED, Stage.PULL_BACKOFF, Stage.STARTING)


def status_patch(run: PodRun) -> Obj:
    """A merge patch for the status subresource; conditions of others, such as PodScheduled, are kept."""
    if run.rejection:
        reason, message = run.rejection
        return {"phase": "Failed", "reason": reason, "message": f"Pod was rejected: {message}", "startTime": _at(run)}
    containers = [_container(run, c, index) for index, c in enumerate(run.pod["spec"]["containers"])]
    status: Obj = {
        "phase": _phase(run),
        "conditions": [*_others(run), *_conditions(run)],
        "hostIP": run.host_ip,
        "hostIPs": [{"ip": run.host_ip}],
        "startTime": _at(run),
        "containerStatuses": containers,
    }
    if run.stage is not Stage.ACCEPTED:
        status |= {"podIP": run.ip, "podIPs": [{"ip": run.ip}]}
    if inits := run.pod["spec"].get("initContainers"):
        status["initContainerStatuses"] = [_init(run, c) for c in inits]
    return status


def _phase(run: PodRun) -> str:
    started = run.restarts or run.started_at
    return PHASES.get(run.stage) or ("Running" if run.stage not in NOT_STARTED or started else "Pending")


def _conditions(run: PodRun) -> list[Obj]:
    ready, since = run.stage is Stage.READY, rfc3339(run.ready_changed_at)
    over = run.stage in (Stage.SUCCEEDED, Stage.FAILED)
    names = ", ".join(c["name"] for c in run.pod["spec"]["containers"])
    unready: Obj = {"reason": "ContainersNotReady", "message": f"containers with unready status: [{names}]"}
    unready = {"reason": "PodCompleted"} if run.stage is Stage.SUCCEEDED else unready
    told = {} if ready else unready
    rows = [
        ("PodReadyToStartContainers", run.stage is not Stage.ACCEPTED and not over, _at(run), {}),
        ("Initialized", True, _at(run), {}),
        ("Ready", ready, since, told),
        ("ContainersReady", ready, since, told),
    ]
    return [
        {"type": type_, "status": str(holds), "lastProbeTime": None, "lastTransitionTime": at, **more}
        for type_, holds, at, more in rows
    ]


def _others(run: PodRun) -> list[Obj]:
    ours = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady")
    return [c for c in (run.pod.get("status") or {}).get("conditions") or () if c["type"] not in ours]


def _container(run: PodRun, container: Obj, index: int) -> Obj:
    image = container.get("image", "")
    started = run.started_at is not None and run.stage in (*RUNS, Stage.ENDING, Stage.SUCCEEDED, Stage.FAILED)
    status: Obj = {
        "name": container["name"],
        "image": image,
        "imageID": f"{image.partition('@')[0]}@sha256:{_digest(image)}" if run.started_at else "",
        "ready": run.stage is Stage.READY,
        "started": run.stage in RUNS,
        "restartCount": run.restarts,
        "state": _state(run),
        "lastState": {"terminated": _terminated(run, run.last)} if run.last and run.stage not in OVER else {},
    }
    if started:
        status["containerID"] = f"containerd://{_digest(run.uid, container['name'], run.restarts)}"
    if index == 0 and run.devices:
        status["allocatedResourcesStatus"] = _devices(run)
    return status


def _state(run: PodRun) -> Obj:
    if run.stage in (*RUNS, Stage.ENDING):
        return {"running": {"startedAt": rfc3339(run.started_at or run.since)}}
    if run.stage is Stage.SUCCEEDED:
        ended: Obj = {"exitCode": 0, "reason": "Completed", "startedAt": run.started_at, "finishedAt": run.since}
        return {"terminated": _terminated(run, ended)}
    if run.stage is Stage.FAILED and run.last:
        return {"terminated": _terminated(run, run.last)}
    return {"waiting": {k: v for k, v in zip(("reason", "message"), _waiting(run), strict=True) if v}}


def _waiting(run: PodRun) -> tuple[str, str]:
    if run.stage is Stage.PULL_FAILED:
        return "ErrImagePull", run.trouble.message if run.trouble else ""
    if run.stage is Stage.PULL_BACKOFF:
        why = f": {run.trouble.message}" if run.trouble else ""
        return "ImagePullBackOff", f'Back-off pulling image "{run.image}"{why}'
    if run.stage is Stage.CRASHED:
        pause = int(backoff(run.restarts + 1))
        spelled = f"{pause // 60}m{pause % 60}s" if pause >= 60 else f"{pause}s"
        where = f"{run.container} pod={run.key[1]}_{run.key[0]}({run.uid})"
        return "CrashLoopBackOff", f"back-off {spelled} restarting failed container={where}"
    return "ContainerCreating", ""


def _terminated(run: PodRun, ended: Obj) -> Obj:
    times = {name: _time(ended.get(name) or run.since) for name in ("startedAt", "finishedAt")}
    told = {k: ended[k] for k in ("exitCode", "reason", "message") if ended.get(k) not in (None, "")}
    return {**told, **times, "containerID": f"containerd://{_digest(run.uid, run.container, run.restarts)}"}


def _init(run: PodRun, container: Obj) -> Obj:
    """Init containers are done at once; sidecars run along."""
    at = _time(run.started_at or run.accepted_at)
    done = {"terminated": {"exitCode": 0, "reason": "Completed", "startedAt": at, "finishedAt": at}}
    sidecar = container.get("restartPolicy") == "Always"
    return {
        "name": container["name"], "image": container.get("image", ""), "imageID": "", "ready": True,
        "started": sidecar, "restartCount": 0, "state": {"running": {"startedAt": at}} if sidecar else done,
        "lastState": {},
    }  # fmt: skip


def _devices(run: PodRun) -> list[Obj]:
    """Health by device, as kubelets from 1.36 on report it (KEP-4680)."""
    found: dict[str, list[Obj]] = {}
    for resource, identity, healthy in run.devices:
        health = "Healthy" if healthy else "Unhealthy"
        found.setdefault(resource, []).append({"resourceID": identity, "health": health})
    return [{"name": name, "resources": resources} for name, resources in found.items()]


def _at(run: PodRun) -> str:
    return rfc3339(run.accepted_at)


def _time(at: datetime) -> str:
    return rfc3339(at)


def _digest(*parts: object) -> str:
    return hashlib.sha256("/".join(map(str, parts)).encode()).hexdigest()

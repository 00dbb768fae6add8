"""The table of pods: the status word that people read first.

The word is worked out as in kubernetes/kubernetes:pkg/printers/internalversion/printers.go (printPod).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from bot.local.cluster.api.tables.columns import AGE, NAME, NONE, Column, Json, at, field, moment, since

_FINISHED = ("Succeeded", "Failed")


def status_word(pod: Json) -> str:
    """Return what the STATUS column says: a phase, or the reason that explains it better."""
    status = pod.get("status") or {}
    word = status.get("reason") or status.get("phase", "Unknown")
    if any(c.get("reason") == "SchedulingGated" for c in _conditions(pod, "PodScheduled")):
        word = "SchedulingGated"
    starting = _init_word(pod)
    word = starting or _container_word(pod, word)
    if at(pod, "metadata", "deletionTimestamp") and status.get("phase") not in _FINISHED:
        return "Unknown" if status.get("reason") == "NodeLost" else "Terminating"
    return word


def _conditions(pod: Json, kind: str) -> list[Json]:
    return [c for c in at(pod, "status", "conditions", default=[]) if c.get("type") == kind]


def _init_word(pod: Json) -> str:
    statuses = at(pod, "status", "initContainerStatuses", default=[])
    sidecars = {c["name"] for c in _init_containers(pod) if c.get("restartPolicy") == "Always"}
    for i, status in enumerate(statuses):
        state = status.get("state") or {}
        stopped, waiting = state.get("terminated"), state.get("waiting")
        if (stopped and stopped.get("exitCode") == 0) or (status.get("name") in sidecars and status.get("started")):
            continue
        if stopped:
            return "Init:" + _stopped_word(stopped)
        if waiting and waiting.get("reason") not in (None, "", "PodInitializing"):
            return f"Init:{waiting['reason']}"
        return f"Init:{i}/{len(_init_containers(pod))}"
    return ""


def _init_containers(pod: Json) -> list[Json]:
    found: list[Json] = at(pod, "spec", "initContainers", default=[])
    return found


def _container_word(pod: Json, word: str) -> str:
    running = False
    for status in reversed(_statuses(pod)):
        state = status.get("state") or {}
        if at(state, "waiting", "reason"):
            word = state["waiting"]["reason"]
        elif state.get("terminated"):
            word = _stopped_word(state["terminated"])
        elif status.get("ready") and state.get("running"):
            running = True
    if word == "Completed" and running:
        ready = any(c.get("status") == "True" for c in _conditions(pod, "Ready"))
        return "Running" if ready else "NotReady"
    return word


def _stopped_word(stopped: Json) -> str:
    if stopped.get("reason"):
        return str(stopped["reason"])
    signal = stopped.get("signal")
    return f"Signal:{signal}" if signal else f"ExitCode:{stopped.get('exitCode', 0)}"


def _statuses(pod: Json) -> list[Json]:
    found: list[Json] = at(pod, "status", "containerStatuses", default=[])
    return found


def _ready(pod: Json, now: datetime) -> str:
    ready = sum(bool(status.get("ready")) for status in _statuses(pod))
    return f"{ready}/{len(at(pod, 'spec', 'containers', default=[]))}"


def _restarts(pod: Json, now: datetime) -> str:
    count = sum(status.get("restartCount", 0) for status in _statuses(pod))
    ends = [at(status, "lastState", "terminated", "finishedAt") for status in _statuses(pod)]
    known = [end for end in ends if moment(end)]
    return f"{count} ({since(max(known), now)} ago)" if count and known else str(count)


def _readiness_gates(pod: Json, now: datetime) -> str:
    gates = at(pod, "spec", "readinessGates", default=[])
    passed = sum(any(c.get("status") == "True" for c in _conditions(pod, g.get("conditionType", ""))) for g in gates)
    return f"{passed}/{len(gates)}" if gates else NONE


def _word(pod: Json, now: datetime) -> Any:
    return status_word(pod)


COLUMNS = (
    NAME,
    Column("Ready", _ready),
    Column("Status", _word),
    Column("Restarts", _restarts),
    AGE,
    Column("IP", field("status", "podIP", default=NONE), 1),
    Column("Node", field("spec", "nodeName", default=NONE), 1),
    Column("Nominated Node", field("status", "nominatedNodeName", default=NONE), 1),
    Column("Readiness Gates", _readiness_gates, 1),
)

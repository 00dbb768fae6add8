"""Containers that end again and again."""

from typing import Any

import pytest

from bot.domain.evidence import LogRef, NodeRef, ObjectRef
from bot.why.finding import Level
from bot.why.stages.crash import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    an_event,
    an_object,
    ended,
    ids,
    looping,
    over,
    running,
    the_one,
    told,
    waiting,
)

SHM_LINE = "ncclSystemError: Last error: Error while creating shared memory segment /dev/shm/nccl-AbC (size 33554432)"


def crashing(code: int = 1, reason: str = "Error", **more: Any) -> dict[str, Any]:
    return a_pod_object(
        "glm-0", *more.pop("containers", [a_container(gpus=1)]), statuses=[looping(code, reason)], **more
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        pytest.param(1, "exit code 1 each time", id="1 says nothing of its own"),
        pytest.param(2, "a wrong argument", id="2 is usage"),
        pytest.param(127, "does not exist in the image", id="127 is no command"),
        pytest.param(134, "SIGABRT", id="134 is an abort"),
        pytest.param(135, "shared memory too small", id="135 is a bus error"),
        pytest.param(137, "ended from outside", id="137 without OOMKilled is no memory limit"),
        pytest.param(139, "SIGSEGV", id="139 is a segmentation fault"),
        pytest.param(143, "SIGTERM", id="143 is a termination"),
        pytest.param(42, "exit code 42 each time", id="others as they are"),
    ],
)
def test_exit_codes(code: int, words: str) -> None:
    finding = the_one(STAGE, a_case(crashing(code)), "crash.exit")
    assert words in finding.sentence
    assert "memory limit" not in told(finding)


def test_oomkilled_is_the_memory_limit_of_the_host_and_shm_counts() -> None:
    container = a_container(memory="64Gi", volumeMounts=[{"name": "dshm", "mountPath": "/dev/shm"}])
    spec = {"volumes": [{"name": "dshm", "emptyDir": {"medium": "Memory"}}], "containers": [container]}
    text = told(the_one(STAGE, a_case(crashing(137, "OOMKilled", spec=spec)), "crash.memory"))
    assert "its memory limit of 64 GiB" in text
    assert "/dev/shm" in text
    assert "GPU memory has nothing to do with it" in text


def test_a_known_line_is_the_cause_and_other_lines_are_quoted() -> None:
    log = "INFO starting\nRuntimeError: The NVIDIA driver on your system is too old (found version 12040)."
    known = the_one(STAGE, a_case(crashing(), logs={"vllm": log}), "crash.driver-too-old")
    assert "the node's driver is too old" in known.sentence
    assert "“RuntimeError: The NVIDIA driver" in told(known)
    assert "Waiting for the next restart does not help" in told(known)
    other = the_one(STAGE, a_case(crashing(), logs={"vllm": "hello\nthe moon is full"}), "crash.exit")
    assert "its last words are “the moon is full”" in other.sentence


def test_secrets_in_last_words_are_masked_and_control_sequences_harmless() -> None:
    log = "token=hf_abcdefghijklmnopqrstuv <!channel> `rm`"
    text = told(the_one(STAGE, a_case(crashing(), logs={"vllm": log}), "crash.exit"))
    assert "hf_abc" not in text
    assert "<!channel>" not in text
    assert "`rm`" not in text


def test_a_container_that_runs_again_is_told_by_its_previous_log() -> None:
    status = running(restartCount=4, lastState={"terminated": ended(1)})
    case = a_case(a_pod_object(statuses=[status]), logs={"vllm": "loading", "vllm.previous": "ValueError: it was me"})
    assert "it was me" in the_one(STAGE, case, "crash.exit").sentence


def test_the_run_before_is_told_where_it_ended_otherwise() -> None:
    logs = {"vllm": SHM_LINE, "vllm.previous": "torch.OutOfMemoryError: CUDA out of memory."}
    assert "the run before ended otherwise" in told(
        the_one(STAGE, a_case(crashing(), logs=logs), "crash.shared-memory-full")
    )


def test_a_command_that_ends_well_is_started_again_for_ever() -> None:
    assert "its command ends by itself" in the_one(STAGE, a_case(crashing(0, "Completed")), "crash.exit").sentence


def test_of_several_containers_the_one_with_the_gpu_is_told() -> None:
    containers = [a_container("helper"), a_container("vllm", gpus=1)]
    pod = a_pod_object("glm-0", *containers, statuses=[looping(3, name="helper", restarts=50), looping(1)])
    assert the_one(STAGE, a_case(pod), "crash.exit").sentence.startswith("`vllm`")


def test_a_pod_of_an_owner_is_named() -> None:
    owner = an_object("StatefulSet", "glm", "apps/v1", spec={"replicas": 1})
    case = a_case(crashing(owner=("StatefulSet", "glm")), owner, owner=("StatefulSet", "glm"))
    assert "`vllm` of glm-0 ends with exit code 1" in the_one(STAGE, case, "crash.exit").sentence


@pytest.mark.parametrize(
    ("message", "id_", "words"),
    [
        pytest.param(
            'exec: "vlm": executable file not found in $PATH: unknown',
            "crash.image-program-missing",
            "the image has no `vlm`",
            id="no such command",
        ),
        pytest.param(
            "exec /bin/vllm: exec format error",
            "crash.image-wrong-architecture",
            "another CPU architecture",
            id="architecture",
        ),
        pytest.param("CDI device injection failed: unresolvable", "crash.cdi", "CDI device", id="CDI"),
        pytest.param("the moon is full", "crash.cannot-start", "“the moon is full”", id="others are quoted"),
        pytest.param("", "crash.cannot-start", "does not say why", id="no message"),
    ],
)
def test_a_container_that_cannot_even_be_started(message: str, id_: str, words: str) -> None:
    pod = a_pod_object(statuses=[waiting("RunContainerError", message, restartCount=3)])
    assert words in the_one(STAGE, a_case(pod), id_).sentence


def test_the_nvidia_hook_is_explained() -> None:
    message = (
        "failed to create containerd task: failed to create shim task: OCI runtime create failed: nvidia-container-cli: "
        "requirement error: unsatisfied condition: cuda>=13.0, please update your driver to a newer version: unknown"
    )
    pod = a_pod_object(statuses=[waiting("RunContainerError", message, restartCount=3)])
    finding = next(iter(STAGE.judge(a_case(pod))))
    assert "driver" in finding.sentence
    assert "13.0" in told(finding)


TAINT = "0/1 nodes are available: 1 node(s) had untolerated taint {nvidia.com/gpu: present}."
SHARED = {"volumes": [{"name": "sock", "hostPath": {"path": "/run/cache/"}}]}
SOCKET = [a_container(gpus=1, volumeMounts=[{"name": "sock", "mountPath": "/var/run"}])]
UNSCHEDULABLE = {
    "conditions": [
        {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": TAINT,
        }
    ]
}


def a_helper(name: str = "cache-0", **more: Any) -> dict[str, Any]:
    return a_pod_object(name, phase="Pending", node="", status=UNSCHEDULABLE | {"phase": "Pending"}, **more)


def test_a_crash_for_want_of_another_pods_socket_is_a_consequence() -> None:
    case = a_case(
        crashing(containers=SOCKET, spec=SHARED), a_helper(spec=SHARED), logs={"vllm": "not found /var/run/cache.sock"}
    )
    finding = the_one(STAGE, case, "crash.needs-other-pod")
    assert finding.level is Level.ROOT
    assert "`/var/run/cache.sock` comes from llm/cache-0" in finding.sentence
    assert "host's directory `/run/cache`" in finding.sentence
    assert "is pending: no node takes it: 1 node has the taint nvidia.com/gpu=present" in finding.sentence


def test_the_owners_template_tells_the_volumes_of_a_pod_that_was_not_looked_up() -> None:
    owner = an_object("StatefulSet", "cache", "apps/v1", spec={"template": {"spec": SHARED}})
    helper = a_helper(owner=("StatefulSet", "cache"))
    case = a_case(
        crashing(containers=SOCKET, spec=SHARED),
        helper,
        owner,
        logs={"vllm": "not found /var/run/cache.sock"},
        unseen=("cache-0",),
    )
    assert "crash.needs-other-pod" in ids(STAGE, case)


def test_a_crash_for_want_of_a_service_names_the_pods_behind_it() -> None:
    service = an_object("Service", "redis", spec={"selector": {"app": "redis"}})
    helper = a_helper("redis-0", labels={"app": "redis"})
    log = "ConnectionError: Error -2 connecting to redis.llm.svc:6379. Name or service not known."
    finding = the_one(STAGE, a_case(crashing(), service, helper, logs={"vllm": log}), "crash.needs-other-pod")
    assert "service `redis` comes from llm/redis-0" in finding.sentence


def test_a_pod_that_has_a_node_and_does_not_start_is_told_with_its_newest_warning() -> None:
    helper = a_pod_object("cache-0", phase="Pending", statuses=[waiting("ContainerCreating")], spec=SHARED)
    warning = an_event("FailedMount", "secret is gone", about="cache-0")
    case = a_case(
        crashing(containers=SOCKET, spec=SHARED), helper, warning, logs={"vllm": "not found /var/run/cache.sock"}
    )
    assert "does not run (phase Pending): “secret is gone”" in the_one(STAGE, case, "crash.needs-other-pod").sentence


@pytest.mark.parametrize(
    ("log", "others"),
    [
        pytest.param("not found /var/run/cache.sock", [], id="nobody else is there"),
        pytest.param("not found /tmp/x.sock", [a_helper(spec=SHARED)], id="the file is on no shared volume"),
        pytest.param("not found /var/run/cache.sock", [a_helper()], id="the other pod does not mount it"),
        pytest.param("loaded /var/run/cache.sock", [a_helper(spec=SHARED)], id="the line is no failure"),
        pytest.param(
            "connection refused by redis:6379",
            [
                an_object("Service", "redis", spec={"selector": {"app": "r"}}),
                a_pod_object(
                    "r-0", statuses=[running("vllm", ready=True)], labels={"app": "r"}, status={"conditions": []}
                ),
                a_helper("r-1", labels={"app": "r"}),
            ],
            id="a pod of the service runs",
        ),
        pytest.param(
            "connection refused by redis:6379", [an_object("Service", "redis", spec={})], id="a service without pods"
        ),
    ],
)
def test_no_other_pod_is_blamed_without_proof(log: str, others: list[dict[str, Any]]) -> None:
    case = a_case(crashing(containers=SOCKET, spec=SHARED), *others, logs={"vllm": log})
    assert ids(STAGE, case) == ["crash.exit"]


def with_shm(source: dict[str, Any], restarts: int = 12) -> dict[str, Any]:
    container = a_container(gpus=1, volumeMounts=[{"name": "dshm", "mountPath": "/dev/shm"}])
    pod = crashing(containers=[container], spec={"volumes": [{"name": "dshm"} | source]})
    pod["status"]["containerStatuses"][0]["restartCount"] = restarts
    return pod


def test_what_crashed_runs_leave_in_shm_outlives_restarts() -> None:
    log = "\n".join(("[start] /dev/shm: 2.0G used 2.0G available 0 100%", *["x"] * 20, SHM_LINE))
    case = a_case(with_shm({"emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}}), logs={"vllm": log})
    finding = the_one(STAGE, case, "crash.shared-memory-left-over")
    assert "emptyDir `dshm` of 2 GiB, which lives as long as the pod" in finding.sentence
    assert "12 restarts" in finding.sentence
    text = told(finding)
    assert "100%" in text
    assert "kubectl -n llm delete pod glm-0" in text
    assert "a larger sizeLimit alone only fills up later" in text


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(with_shm({"emptyDir": {}}, restarts=0), id="at the first run nothing can be left"),
        pytest.param(with_shm({"hostPath": {"path": "/dev/shm"}}), id="the host's own shm is another matter"),
    ],
)
def test_shm_is_not_called_left_over(pod: dict[str, Any]) -> None:
    assert "crash.shared-memory-left-over" not in ids(STAGE, a_case(pod, logs={"vllm": SHM_LINE}))


def test_a_failed_pod_of_a_job_that_is_done_needs_nobody() -> None:
    job = an_object("Job", "eval", "batch/v1", spec={}, status={"conditions": [{"type": "Complete", "status": "True"}]})
    pod = a_pod_object(phase="Failed", statuses=[over(1)], owner=("Job", "eval"))
    assert "job llm/eval has completed since" in the_one(STAGE, a_case(pod, job), "crash.exit").sentence


def test_for_the_job_itself_the_earlier_try_is_only_worth_knowing() -> None:
    job = an_object("Job", "eval", "batch/v1", spec={}, status={"conditions": [{"type": "Complete", "status": "True"}]})
    pod = a_pod_object(phase="Failed", statuses=[over(1)], owner=("Job", "eval"))
    finding = the_one(STAGE, a_case(pod, job, owner=("Job", "eval")), "crash.earlier-try")
    assert finding.level is Level.NOTE
    assert "pod glm-0, ended with exit code 1" in finding.sentence


KILL = an_event("Killing", "Container vllm failed liveness probe, will be restarted", ago=1)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param(
            [a_pod_object(statuses=[running(ready=True, restartCount=3)])], id="restarted long ago, ready now"
        ),
        pytest.param([a_pod_object(statuses=[running()])], id="never ended"),
        pytest.param(
            [a_pod_object(statuses=[running(restartCount=1, lastState={"terminated": ended(1, ago=90)})])],
            id="ended hours ago",
        ),
        pytest.param([crashing(137), KILL], id="a probe killed it"),
        pytest.param([a_pod_object(phase="Failed", status={"reason": "Evicted"}, statuses=[over(137)])], id="evicted"),
        pytest.param([a_pod_object(phase="Succeeded", statuses=[over(0)])], id="done"),
        pytest.param([a_pod_object(phase="Pending", statuses=[waiting("ContainerCreating")])], id="not begun"),
        pytest.param([crashing(deletionTimestamp="2026-11-30T11:59:00Z")], id="it is being deleted"),
    ],
)
def test_nothing_is_said_where_nothing_crashes(objects: list[dict[str, Any]]) -> None:
    assert ids(STAGE, a_case(*objects, a_node_object())) == []


def test_logs_and_pods_that_may_be_missing_are_wanted() -> None:
    case = a_case(crashing(), a_helper(), whole=False)
    assert STAGE.wants(case).refs == (
        LogRef("llm", "glm-0", "vllm"),
        LogRef("llm", "glm-0", "vllm", previous=True),
        ObjectRef("Pod", "llm", "cache-0"),
        NodeRef("kernel", "gpu-a"),
    )


@pytest.mark.parametrize("field", ["state", "lastState", "restartCount", "name"])
def test_hostile_statuses_do_not_make_it_fall_over(field: str) -> None:
    for value in (None, 7, "x", [1], {"terminated": {"exitCode": "x", "finishedAt": 5}}):
        case = a_case(crashing(), whole=False)
        status = looping(1) | {field: value}
        data = {"spec": {"containers": [a_container()]}, "status": {"containerStatuses": [status, 5, None]}}
        case.__dict__["detail"] = type(case.detail)(data, "Pod", case.odd)
        list(STAGE.judge(case))


GROUP = "/kubepods.slice/kubepods-burstable-pod{}.slice"
KILL = (
    "2026-11-30T11:57:58,1+00:00 memory: usage 268435456kB, limit 268435456kB, failcnt 8\n"
    "2026-11-30T11:57:58,2+00:00 oom-kill:constraint=CONSTRAINT_MEMCG,oom_memcg={},task=VLLM::Worker_TP,pid=401\n"
    "2026-11-30T11:57:58,3+00:00 Memory cgroup out of memory: Killed process 401 (VLLM::Worker_TP) total-vm:9kB, "
    "anon-rss:4123kB, file-rss:1024kB, shmem-rss:88123312kB, UID:0\n"
)


def limited(memory: str) -> dict[str, Any]:
    return crashing(containers=[a_container(gpus=8, memory=memory)])


@pytest.mark.parametrize(
    ("pod", "kernel"),
    [
        pytest.param(limited("256Gi"), KILL.format("/kubepods/x"), id="by the very limit of the container"),
        pytest.param(limited("9Gi"), KILL.format(GROUP.format("uid_glm_0")), id="by the pod's uid in the group's path"),
    ],
)
def test_a_worker_that_the_kernel_killed_is_the_memory_limit_though_the_container_ended_by_itself(
    pod: dict[str, Any], kernel: str
) -> None:
    finding = the_one(STAGE, a_case(pod, kernel=kernel), "crash.memory-kill")
    assert finding.level is Level.ROOT
    assert "The kernel of gpu-a killed its process `VLLM::Worker_TP`" in finding.sentence
    assert "memory limit of" in finding.sentence
    assert "84 GiB of its memory is shared memory" in told(finding)


@pytest.mark.parametrize(
    ("pod", "kernel"),
    [
        pytest.param(limited("9Gi"), KILL.format(GROUP.format("other")), id="another pod's"),
        pytest.param(limited("256Gi"), KILL.replace("T11:57", "T10:57"), id="of an earlier run"),
        pytest.param(
            limited("256Gi"), "2026-11-30T11:57:58,3+00:00 Out of memory: Killed process 1 (x)", id="the node's"
        ),
        pytest.param(limited("256Gi"), "Memory cgroup out of memory: Killed process 1 (x)", id="without a time"),
    ],
)
def test_no_kill_is_taken_for_this_pods_without_proof(pod: dict[str, Any], kernel: str) -> None:
    assert "crash.memory-kill" not in ids(STAGE, a_case(pod, kernel=kernel))


def test_a_memory_limit_that_ends_a_load_says_how_far_it_was() -> None:
    log = "Loading safetensors checkpoint shards:  24% Completed | 14/59 [00:51<02:40,  3.57s/it]"
    pod = crashing(137, "OOMKilled", containers=[a_container(gpus=1, memory="64Gi")])
    sentence = the_one(STAGE, a_case(pod, logs={"vllm": log}), "crash.memory").sentence
    assert sentence.endswith("its memory limit of 64 GiB, while loading the weights: 14 of 59 shards, 24 %")


FULL = "OSError: [Errno 28] No space left on device: '/cache/hub/blobs/1.incomplete'"


def writing(volume: dict[str, Any] | None) -> dict[str, Any]:
    mounts = [{"name": "c", "mountPath": "/cache"}] if volume else []
    spec = {"volumes": [{"name": "c"} | volume]} if volume else {}
    return crashing(containers=[a_container(gpus=1, volumeMounts=mounts)], spec=spec)


@pytest.mark.parametrize(
    ("volume", "id_", "words"),
    [
        pytest.param(
            {"persistentVolumeClaim": {"claimName": "hf"}},
            "crash.full-claim",
            ["claim `hf` of 100 GiB, mounted at `/cache`", '"storage":"150Gi"'],
            id="a claim",
        ),
        pytest.param(
            {"emptyDir": {"sizeLimit": "20Gi"}},
            "crash.full-empty-dir",
            ["limited to 20 GiB", "the node's disk", "Raise its sizeLimit"],
            id="an emptyDir",
        ),
        pytest.param(None, "crash.full-own-disk", ["no volume is mounted above `/cache/hub"], id="its own disk"),
    ],
)
def test_which_disk_is_full(volume: dict[str, Any] | None, id_: str, words: list[str]) -> None:
    claim = an_object("PersistentVolumeClaim", "hf", spec={"resources": {"requests": {"storage": "100Gi"}}})
    text = told(the_one(STAGE, a_case(writing(volume), claim, logs={"vllm": FULL}), id_))
    for word in words:
        assert word in text


def test_a_command_that_ends_well_belongs_into_a_job() -> None:
    text = told(the_one(STAGE, a_case(crashing(0, "Completed"), logs={"vllm": "ok"}), "crash.exit"))
    assert "its command ends by itself" in text
    assert "its last words are “ok”" in text
    assert "run it as a Job" in text


def test_a_hook_that_fails_is_told_as_such() -> None:
    said = 'Exec lifecycle hook ([/warm.sh]) for Container "vllm" in Pod "glm-0" failed - error: exited with 7'
    pod = a_pod_object(statuses=[waiting("PostStartHookError", said, restartCount=8)])
    assert "its postStart hook fails" in the_one(STAGE, a_case(pod), "crash.post-start-hook").sentence


def test_commands_inside_a_container_that_does_not_run_are_left_out() -> None:
    text = told(the_one(STAGE, a_case(crashing(), logs={"vllm": "No HIP GPUs are available"}), "crash.rocm-no-device"))
    assert "sees the GPUs" in text
    assert " exec " not in text


def test_a_host_in_an_address_is_found() -> None:
    service = an_object("Service", "etcd", spec={"selector": {"app": "etcd"}})
    log = 'Failed to connect to etcd server with config ClientOptions { etcd_url: ["http://etcd:2379"] }'
    case = a_case(crashing(), service, a_helper("etcd-0", labels={"app": "etcd"}), logs={"vllm": log})
    assert "service `etcd`" in the_one(STAGE, case, "crash.needs-other-pod").sentence

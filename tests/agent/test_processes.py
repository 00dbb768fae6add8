"""Whose a process on a GPU is."""

import os
from pathlib import Path

import pytest

from bot.agent.pods.processes import HOST_PID_NAMESPACE, Processes, ProcessNames, uid_of

UID = "6f0a1f9e-0c7b-4d58-9c57-1f5c3b2a9d10"


@pytest.mark.parametrize(
    "cgroup",
    [
        pytest.param(
            f"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice/cri-containerd-ab.scope",
            id="systemd, v2",
        ),
        pytest.param(f"11:memory:/kubepods/burstable/pod{UID}/ab12", id="cgroupfs, v1"),
        pytest.param(f"0::/kubepods/pod{UID}/ab12", id="guaranteed"),
        pytest.param(
            f"0::/../../kubelet-kubepods-besteffort-pod{UID.replace('-', '_')}.slice/crio-ab.scope",
            id="seen from inside, CRI-O",
        ),
        pytest.param(f"1:name=systemd:/kubepods/pod{UID.replace('-', '')}/ab", id="a static pod's hash"),
    ],
)
def test_the_pods_uid_in_a_cgroup(cgroup: str) -> None:
    assert uid_of(cgroup) == UID.replace("-", "")


@pytest.mark.parametrize(
    "cgroup",
    [
        pytest.param("0::/system.slice/docker.service", id="no pod"),
        pytest.param("0::/podman/abc", id="something like it"),
        pytest.param("", id="nothing"),
    ],
)
def test_no_uid_in_a_cgroup(cgroup: str) -> None:
    assert uid_of(cgroup) == ""


def host(folder: Path, namespace: str = HOST_PID_NAMESPACE) -> Processes:
    """A /proc with one process of a pod and one of the system."""
    for pid, (comm, cgroup) in {
        4242: ("python3", f"0::/kubepods/pod{UID}/ab"),
        4243: ("nvidia-smi", "0::/system.slice"),
    }.items():
        (folder / "proc" / str(pid)).mkdir(parents=True)
        (folder / "proc" / str(pid) / "comm").write_text(f"{comm}\n")
        (folder / "proc" / str(pid) / "cgroup").write_text(f"{cgroup}\n")
    (folder / "proc" / "self" / "ns").mkdir(parents=True)
    os.symlink(namespace, folder / "proc" / "self" / "ns" / "pid")
    (folder / "pods" / f"llm_glm-0_{UID}").mkdir(parents=True)
    return Processes(folder / "proc", folder / "pods")


GPU = {"index": 0, "computeRunningProcesses": [{"pid": pid} for pid in (4242, 4243, 4244)]}


def test_processes_are_named_with_their_pods(tmp_path: Path) -> None:
    names = ProcessNames(host(tmp_path))
    (gpu,) = names.named([GPU], anew=True)
    assert gpu["computeRunningProcesses"] == [
        {"pid": 4242, "name": "python3", "pod": "llm/glm-0"},
        {"pid": 4243, "name": "nvidia-smi"},
        {"pid": 4244},
    ]
    assert names.named([GPU], anew=False) == [gpu], "between two lists of processes the names stay"


def test_in_another_pid_namespace_nothing_is_said(tmp_path: Path) -> None:
    (gpu,) = ProcessNames(host(tmp_path, "pid:[4026532713]")).named([GPU], anew=True)
    assert gpu == GPU

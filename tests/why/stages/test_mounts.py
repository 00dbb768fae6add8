"""Volumes and configuration that must be there first."""

from typing import Any

import pytest

from bot.why.stages.mounts import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    an_event,
    an_object,
    ids,
    running,
    the_one,
    told,
    waiting,
)

VOLUMES = {"volumes": [{"name": "w", "persistentVolumeClaim": {"claimName": "weights"}}]}
MULTI = 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) glm-1'


def creating(name: str = "glm-0", **more: Any) -> dict[str, Any]:
    return a_pod_object(
        name, a_container(gpus=4), phase="Pending", statuses=[waiting("ContainerCreating")], spec=VOLUMES, **more
    )


def a_claim(mode: str) -> dict[str, Any]:
    bound = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    spec = {"accessModes": [mode], "volumeName": "pvc-1", "resources": {"requests": {"storage": "1Ti"}}}
    return an_object("PersistentVolumeClaim", "weights", metadata=bound, spec=spec, status={"phase": "Bound"})


def holder(**more: Any) -> dict[str, Any]:
    return a_pod_object("glm-1", node="gpu-b", statuses=[running(ready=True)], spec=VOLUMES, **more)


def test_a_volume_for_one_node_names_mode_claim_holder_and_the_gpus_kept_meanwhile() -> None:
    event = an_event("FailedAttachVolume", MULTI, source="attachdetach-controller")
    owner = an_object("Deployment", "glm", "apps/v1", spec={"replicas": 2})
    rs = an_object("ReplicaSet", "glm-7b", "apps/v1", spec={"replicas": 2})
    rs["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "glm", "uid": "uid-glm", "controller": True}]
    pod = creating(owner=("ReplicaSet", "glm-7b"))
    finding = the_one(STAGE, a_case(pod, holder(), a_claim("ReadWriteOnce"), event, owner, rs), "mounts.multi-attach")
    assert "claim `weights` is ReadWriteOnce: one node at a time, and gpu-b has it (for llm/glm-1)" in finding.sentence
    text = told(finding)
    assert "4 GPUs of gpu-a stay reserved" in text
    assert "kubectl -n llm scale deployment/glm --replicas=1" in text
    assert "ReadWriteMany" in text
    assert not finding.until


def test_a_volume_comes_free_where_its_holder_is_ending() -> None:
    event = an_event("FailedAttachVolume", MULTI)
    leaving = holder(deletionTimestamp="2026-11-30T11:59:00Z")
    assert (
        "llm/glm-1 has ended"
        in the_one(STAGE, a_case(creating(), leaving, a_claim("ReadWriteOnce"), event), "mounts.multi-attach").until
    )


def test_claims_that_were_not_read_are_unknown_and_the_event_still_tells() -> None:
    case = a_case(creating(), an_event("FailedAttachVolume", MULTI), unread=("persistentvolumeclaims",))
    finding = the_one(STAGE, case, "mounts.multi-attach")
    assert "volume `pvc-1`" in finding.sentence
    assert "glm-1" in finding.sentence
    assert "ReadWriteOnce" not in finding.sentence
    assert any("persistentvolumeclaims" in one for one in finding.unknown)


@pytest.mark.parametrize(
    ("reason", "message", "id_", "words"),
    [
        pytest.param(
            "FailedMount",
            'MountVolume.SetUp failed for volume "c" : configmap "engine-config" not found',
            "mounts.missing",
            ["ConfigMap `engine-config` does not exist", "kubectl -n llm get configmap engine-config"],
            id="a missing ConfigMap",
        ),
        pytest.param(
            "FailedMount",
            'MountVolume.SetUp failed for volume "s" : secret "hf-token" not found',
            "mounts.missing",
            ["Secret `hf-token` does not exist"],
            id="a missing Secret",
        ),
        pytest.param(
            "FailedMount",
            'MountVolume.SetUp failed for volume "s" : references non-existent secret key: token',
            "mounts.missing",
            ["no key `token`"],
            id="a missing key",
        ),
        pytest.param(
            "FailedMount",
            "Unable to attach or mount volumes: unmounted volumes=[w], unattached volumes=[], failed to process "
            "volumes=[]: context deadline exceeded",
            "mounts.timeout",
            ["in time"],
            id="a time-out",
        ),
        pytest.param(
            "FailedAttachVolume",
            'AttachVolume.Attach failed for volume "pvc-1" : rpc error: disk is broken',
            "mounts.failed",
            ["attached to gpu-a", "disk is broken"],
            id="an attachment that fails",
        ),
        pytest.param(
            "FailedPrepareDynamicResources",
            "Failed to prepare dynamic resources: NodePrepareResources failed for ResourceClaim gpu: driver not found",
            "mounts.claim-not-prepared",
            ["cannot prepare the devices", "DRA driver"],
            id="a resource claim",
        ),
    ],
)
def test_the_kubelets_words_are_explained(reason: str, message: str, id_: str, words: list[str]) -> None:
    text = told(the_one(STAGE, a_case(creating(), an_event(reason, message)), id_))
    for word in words:
        assert word in text


@pytest.mark.parametrize(
    ("message", "id_", "words"),
    [
        pytest.param(
            "hostPath type check failed: /mnt/models is not a directory",
            "mounts.host-path",
            ["`/mnt/models` is not there on gpu-a", "DirectoryOrCreate"],
            id="a host path",
        ),
        pytest.param(
            "mount failed: exit status 32 Output: mount.nfs: access denied by server while mounting filer:/models",
            "mounts.export-refused",
            ["refuses gpu-a the export `filer:/models`"],
            id="an export",
        ),
        pytest.param(
            "mount failed: mount.nfs: mounting filer:/x failed, reason given by server: No such file or directory",
            "mounts.export-missing",
            ["no such export: `filer:/x`"],
            id="an export that is not there",
        ),
        pytest.param(
            "mount: bad option; for several filesystems (e.g. nfs, cifs) you might need a /sbin/mount.nfs helper program.",
            "mounts.helper-missing",
            ["lacks the program", "`mount.nfs`"],
            id="a node without the mount program",
        ),
        pytest.param(
            "mount.nfs: Connection timed out", "mounts.server-unreachable", ["does not reach the file server"], id="way"
        ),
        pytest.param(
            "AttachmentLimitExceeded: Volume attachment limit exceeded for instance",
            "mounts.attach-limit",
            ["as many volumes attached as it can take"],
            id="no more attachments",
        ),
        pytest.param(
            "rpc error: code = Internal desc = InvalidVolume.NotFound: The volume 'vol-1' does not exist.",
            "mounts.disk-gone",
            ["does not exist any more", "snapshot"],
            id="the disk is gone",
        ),
        pytest.param(
            "rpc error: code = Aborted desc = an operation with the given Volume ID vol-1 already exists",
            "mounts.busy",
            ["still at an earlier try"],
            id="an earlier try",
        ),
        pytest.param(
            "mount: wrong fs type, bad option, bad superblock on /dev/nvme1n1",
            "mounts.bad-filesystem",
            ["damaged, or of another type", "snapshot first"],
            id="a file system",
        ),
    ],
)
def test_the_words_of_mount_programs_and_drivers_are_explained(message: str, id_: str, words: list[str]) -> None:
    text = told(
        the_one(
            STAGE,
            a_case(creating(), an_event("FailedMount", f'MountVolume.SetUp failed for volume "w" : {message}')),
            id_,
        )
    )
    for word in words:
        assert word in text


NO_DRIVER = an_event("FailedMount", "driver name csi.weka.io not found in the list of registered CSI drivers")


def a_driver(**selector: str) -> dict[str, Any]:
    template = {"spec": {"nodeSelector": selector, "containers": [{"name": "d", "image": "quay.io/weka/csi:1"}]}}
    return an_object("DaemonSet", "csi-wekafs-node", "apps/v1", spec={"template": template})


def test_a_storage_driver_that_is_not_on_the_node_names_its_daemonset_and_the_label() -> None:
    case = a_case(creating(), NO_DRIVER, a_node_object(), a_driver(weka="client"))
    finding = the_one(STAGE, case, "mounts.driver-not-registered")
    assert "`csi.weka.io` is not registered on gpu-a" in finding.sentence
    text = told(finding)
    assert "daemonset llm/csi-wekafs-node has no pod on gpu-a: it wants nodes with `weka=client`" in text
    assert "kubectl label node gpu-a weka=client" in text


def test_a_storage_driver_whose_daemonset_is_not_known_is_looked_for_on_the_node() -> None:
    text = told(the_one(STAGE, a_case(creating(), NO_DRIVER, a_node_object()), "mounts.driver-not-registered"))
    assert "--field-selector spec.nodeName=gpu-a" in text


def test_a_host_path_that_siblings_have_says_where() -> None:
    event = an_event("FailedMount", "hostPath type check failed: /mnt/models is not a directory")
    pods = [creating(owner=("StatefulSet", "glm")), holder(owner=("StatefulSet", "glm"))]
    assert "`/mnt/models` is there on gpu-b" in told(the_one(STAGE, a_case(*pods, event), "mounts.host-path"))


def test_a_holder_on_a_lost_node_never_lets_go_by_itself() -> None:
    lost = a_node_object("gpu-b")
    lost["status"]["conditions"] = [
        {"type": "Ready", "status": "Unknown", "lastTransitionTime": "2026-11-30T11:50:00Z"}
    ]
    leaving = holder(deletionTimestamp="2026-11-30T11:55:00Z")
    case = a_case(creating(), leaving, a_claim("ReadWriteOnce"), lost, an_event("FailedAttachVolume", MULTI))
    finding = the_one(STAGE, case, "mounts.held-by-lost-node")
    assert "gpu-b has it, which does not answer any more since 11:50" in finding.sentence
    assert "kubectl taint nodes gpu-b node.kubernetes.io/out-of-service=nodeshutdown:NoExecute" in told(finding)
    assert not finding.until


def test_files_that_change_their_owner_are_counted_and_waiting_is_right() -> None:
    begun = an_event(
        "VolumePermissionChangeInProgress", "Setting volume ownership is taking longer than expected", ago=20
    )
    told_now = "Setting volume ownership for /var/lib/kubelet/pods/1/volumes/kubernetes.io~csi/pvc-c/mount, processed 5121525 files."
    pod = creating()
    pod["spec"]["securityContext"] = {"fsGroup": 100}
    case = a_case(pod, begun, an_event("VolumePermissionChangeInProgress", told_now))
    finding = the_one(STAGE, case, "mounts.ownership")
    assert "every file of volume `pvc-c` to group 100 (fsGroup), 5,121,525 files so far" in finding.sentence
    assert "OnRootMismatch" in told(finding)
    assert finding.until


def test_a_missing_key_names_the_config_map_of_that_volume() -> None:
    pod = creating()
    pod["spec"]["volumes"] = [{"name": "c", "configMap": {"name": "engine"}}]
    message = 'MountVolume.SetUp failed for volume "c" : configmap references non-existent config key: a.yaml'
    finding = the_one(STAGE, a_case(pod, an_event("FailedMount", message)), "mounts.missing")
    assert "ConfigMap `engine` has no key `a.yaml`" in finding.sentence


def test_the_event_that_names_the_reason_comes_before_the_one_that_only_waits() -> None:
    named = an_event("FailedMount", 'MountVolume.SetUp failed for volume "s" : secret "a" not found', ago=2)
    waits = an_event("FailedMount", "Unable to attach or mount volumes: timed out waiting for the condition", ago=1)
    assert ids(STAGE, a_case(creating(), named, waits)) == ["mounts.missing"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        pytest.param("couldn't find key token in Secret llm/hf", "Secret `hf` has no key `token`", id="a key"),
        pytest.param('configmap "x" not found', "ConfigMap `x` does not exist", id="an object"),
        pytest.param(
            "container has runAsNonRoot and image will run as root", "“container has runAsNonRoot", id="others"
        ),
        pytest.param("", "does not say why", id="no message"),
    ],
)
def test_a_container_that_cannot_be_configured(message: str, words: str) -> None:
    pod = a_pod_object(phase="Pending", statuses=[waiting("CreateContainerConfigError", message)])
    assert words in the_one(STAGE, a_case(pod), "mounts.configuration").sentence


OLD = an_event("FailedMount", 'MountVolume.SetUp failed for volume "s" : secret "a" not found', ago=9)


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([creating()], id="no event"),
        pytest.param([creating(), OLD, an_event("Pulled", "x", ago=2)], id="mounted since"),
        pytest.param(
            [creating(), OLD, an_event("FailedCreatePodSandBox", "x", ago=2)], id="the sandbox is next by now"
        ),
        pytest.param([a_pod_object(statuses=[running(ready=True)]), OLD], id="it runs"),
    ],
)
def test_nothing_is_said_where_volumes_are_not_in_the_way(objects: list[dict[str, Any]]) -> None:
    assert ids(STAGE, a_case(*objects)) == []

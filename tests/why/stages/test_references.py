"""Things that are named and do not exist, and claims that are not bound."""

from fractions import Fraction
from typing import Any

import pytest

from bot.domain.evidence import Evidence, ObjectRef
from bot.domain.fields import Fields
from bot.domain.pod import ContainerState, Pod
from bot.domain.pod_spec import ClaimRef, PodSpec, Volume
from bot.domain.selectors import selector
from bot.domain.storage import PersistentVolume, PersistentVolumeClaim, StorageClass
from bot.why.finding import Level
from bot.why.stages.references import STAGE
from tests.factories import a_claim, a_node, a_pod
from tests.why.builders_owners import a_thing, a_volume_claim, ago, an_event, asked, found, owners_view, words

TIB = Fraction(2**40)


def uses(claim: str, **changed: Any) -> Pod:
    return a_pod(node="", volumes=(Volume("v", claim=claim, **changed),), uid="u")


def a_volume(name: str = "pv-1", **changed: Any) -> PersistentVolume:
    defaults: dict[str, Any] = {"phase": "Available", "size": TIB, "access_modes": frozenset({"ReadWriteMany"})}
    return PersistentVolume(name=name, **(defaults | changed))


# ---- volume claims -----------------------------------------------------------------------------------------------------


def test_a_claim_that_does_not_exist_has_a_neighbour() -> None:
    pod = uses("weigths")
    (finding,) = found(STAGE, asked(owners_view(pod, a_volume_claim()), pod))
    assert (finding.id, finding.level) == ("references.no-claim", Level.CAUSE)
    assert "`weigths`, which does not exist in namespace llm (`weights` does: a typing mistake?)" in finding.sentence


def test_a_claim_of_another_namespace_is_not_its_own() -> None:
    pod = uses("weights")
    (finding,) = found(STAGE, asked(owners_view(pod, a_volume_claim(namespace="other")), pod))
    assert "one of that name is in other, but a pod can only use those of its own namespace" in finding.sentence


def test_a_claim_that_is_being_deleted_may_not_be_used() -> None:
    pod = uses("weights")
    (finding,) = found(STAGE, asked(owners_view(pod, a_volume_claim(deleted=ago(minutes=2))), pod))
    assert finding.id == "references.claim-deleted"


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"phase": "Failed"}, id="it has ended"),
        pytest.param({"deleted": ago(minutes=1)}, id="it is being deleted"),
        pytest.param({"node": "gpu-1", "phase": "Running"}, id="it runs"),
    ],
)
def test_the_claims_of_a_pod_do_not_matter_where(changed: dict[str, Any]) -> None:
    pod = a_pod(**({"node": "", "volumes": (Volume("v", claim="gone"),)} | changed))
    assert found(STAGE, asked(owners_view(pod, a_node()), pod)) == []


def test_claims_that_are_not_read_are_not_called_missing() -> None:
    pod = uses("weights")
    assert found(STAGE, asked(owners_view(pod, unread=("persistentvolumeclaims",)), pod)) == []


@pytest.mark.parametrize(
    ("claim", "others", "what", "told"),
    [
        pytest.param(
            {"storage_class": "fats"},
            (StorageClass(name="fast"),),
            "class-missing",
            "StorageClass `fats` does not exist (`fast` does: a typing mistake?)",
            id="its class does not exist",
        ),
        pytest.param(
            {"storage_class": "fast"},
            (
                StorageClass(name="fast", provisioner="csi.example.com"),
                an_event(a_thing("PersistentVolumeClaim", "weights"), "ProvisioningFailed", 'pool "ssd" not found'),
            ),
            "provisioning",
            '“pool "ssd" not found”',
            id="its provisioner fails",
        ),
        pytest.param(
            {"storage_class": "fast"},
            (StorageClass(name="fast", provisioner="csi.example.com"),),
            "provisioner",
            "no CSI driver `csi.example.com` is installed",
            id="its provisioner is not installed",
        ),
        pytest.param({}, (), "no-volume", "names no StorageClass and there is no default", id="no class and no volume"),
        pytest.param(
            {"storage_class": "local"},
            (
                StorageClass(name="local", provisioner="kubernetes.io/no-provisioner"),
                a_volume(storage_class="local", size=TIB / 2),
            ),
            "no-volume",
            "is too small: 512 GiB of 1 TiB",
            id="the only volume is too small",
        ),
        pytest.param(
            {},
            (a_volume(access_modes=frozenset({"ReadWriteOnce"})),),
            "no-volume",
            "lacks access mode ReadWriteMany",
            id="a mode is missing",
        ),
        pytest.param(
            {},
            (a_volume(claim=("dev", "old", ""), phase="Released"),),
            "no-volume",
            "dev/old (released, but",
            id="released to nobody",
        ),
        pytest.param(
            {"selector": selector({"tier": "gold"}, ())},
            (a_volume(),),
            "no-volume",
            "labels that the claim selects",
            id="other labels",
        ),
        pytest.param(
            {"mode": "Block"}, (a_volume(),), "no-volume", "has volume mode Filesystem", id="another volume mode"
        ),
        pytest.param(
            {"volume": "pv-7"},
            (),
            "volume-missing",
            "volume `pv-7`, which does not exist",
            id="the volume it names is not there",
        ),
        pytest.param(
            {"volume": "pv-1"},
            (a_volume(claim=("dev", "x", "")),),
            "volume-taken",
            "belongs to claim dev/x",
            id="its volume is another's",
        ),
    ],
)
def test_why_a_claim_is_not_bound(claim: dict[str, Any], others: tuple[Any, ...], what: str, told: str) -> None:
    itself = a_volume_claim(**claim)
    pod = uses("weights")
    view = owners_view(itself, pod, *others)
    for about, who in ((itself, "it is not bound"), (pod, "its claim `weights` is not bound")):
        (finding,) = found(STAGE, asked(view, about))
        assert finding.id == f"references.claim-{what}"
        assert finding.sentence.startswith(who)
        assert told in words(finding)


def test_a_claim_that_waits_for_its_pod_is_right() -> None:
    claim, cls = (
        a_volume_claim(storage_class="fast"),
        StorageClass(name="fast", provisioner="x", binding_mode="WaitForFirstConsumer"),
    )
    (alone,) = found(STAGE, asked(owners_view(claim, cls), claim))
    assert "no pod uses it" in alone.sentence
    pod = uses("weights")
    view = owners_view(claim, cls, pod)
    (used,) = found(STAGE, asked(view, claim))
    assert "`glm-0` gets a place, and that pod waits" in used.sentence
    assert found(STAGE, asked(view, pod)) == [], "the pod's place is a matter of the filters"


def test_a_claim_that_is_being_deleted_names_its_users() -> None:
    claim = a_volume_claim(deleted=ago(hours=1), volume="pv-1", completed=True)
    (finding,) = found(STAGE, asked(owners_view(claim, uses("weights")), claim))
    assert "`glm-0` still uses it" in finding.sentence


@pytest.mark.parametrize(
    ("claim", "unread"),
    [
        pytest.param(a_volume_claim(volume="pv-1", completed=True), (), id="it is bound"),
        pytest.param(a_volume_claim(volume="pv-1"), ("persistentvolumes",), id="volumes are not read"),
    ],
)
def test_nothing_is_said_of_a_claim_where(claim: PersistentVolumeClaim, unread: tuple[str, ...]) -> None:
    assert found(STAGE, asked(owners_view(claim, unread=unread), claim)) == []


# ---- devices -----------------------------------------------------------------------------------------------------------


def test_a_resource_claim_that_does_not_exist_keeps_the_scheduler_silent() -> None:
    pod = a_pod(node="", spec=PodSpec(claims=(ClaimRef("gpus", claim="gpus-a"),)))
    (finding,) = found(STAGE, asked(owners_view(pod, a_claim("gpus-b")), pod))
    assert finding.id == "references.no-resource-claim"
    assert "ResourceClaim `gpus-a`, which does not exist in namespace llm (`gpus-b` does" in finding.sentence
    assert "does not look at the pod and says nothing" in finding.sentence


def test_a_template_that_does_not_exist_makes_no_claim() -> None:
    pod = a_pod(node="", spec=PodSpec(claims=(ClaimRef("gpus", template="gpu-tmpl"),)))
    event = an_event(
        a_thing("Pod", "glm-0"), "FailedResourceClaimCreation", 'PodResourceClaim gpus: template "gpu-tmpl" not found'
    )
    view = owners_view(pod, event, a_thing("ResourceClaimTemplate", "gpu-templ"))
    (finding,) = found(STAGE, asked(view, pod))
    assert finding.id == "references.no-claim-template"
    assert "`gpu-tmpl` does not exist in namespace llm (`gpu-templ` does" in finding.sentence
    assert "FailedResourceClaimCreation" in words(finding)


def test_a_claim_that_was_made_or_that_may_be_there_is_not_missed() -> None:
    made = a_pod(node="", spec=PodSpec(claims=(ClaimRef("gpus", template="t"),)), made_claims=(("gpus", "glm-0-gpus"),))
    assert found(STAGE, asked(owners_view(made), made)) == []
    soon = a_pod(node="", spec=PodSpec(claims=(ClaimRef("gpus", template="t"),)))
    assert found(STAGE, asked(owners_view(soon, a_thing("ResourceClaimTemplate", "t")), soon)) == []
    named = a_pod(node="", spec=PodSpec(claims=(ClaimRef("gpus", claim="gpus-a"),)))
    assert found(STAGE, asked(owners_view(named, unread=("resourceclaims",)), named)) == []


# ---- what the kubelet does not find ------------------------------------------------------------------------------------


def starting(**changed: Any) -> Pod:
    return a_pod(phase="Pending", states=(ContainerState("vllm", waiting="ContainerCreating"),), uid="u", **changed)


def test_a_config_map_that_was_made_since_is_found_by_itself() -> None:
    pod = starting()
    event = an_event(a_thing("Pod", "glm-0"), "FailedMount", 'configmap "engine-conf" not found')
    view = owners_view(pod, event, a_node())
    ref = ObjectRef("ConfigMap", "llm", "engine-conf")
    assert STAGE.wants(asked(view, pod)).refs == (ref,)
    evidence = Evidence({ref: Fields({"metadata": {"creationTimestamp": ago(minutes=1)}})})
    (finding,) = found(STAGE, asked(view, pod, evidence))
    assert finding.id == "references.made-since"
    assert finding.until == "the kubelet mounts it, within 2 min"


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param({}, id="it is still missing"),
        pytest.param(
            {ObjectRef("ConfigMap", "llm", "engine-conf"): Fields({"metadata": {"creationTimestamp": ago(hours=9)}})},
            id="it was there before: the kubelet means something else",
        ),
    ],
)
def test_what_the_kubelet_misses_is_left_to_the_mounts(objects: dict[ObjectRef, Fields]) -> None:
    pod = starting()
    event = an_event(a_thing("Pod", "glm-0"), "FailedMount", 'configmap "engine-conf" not found')
    assert found(STAGE, asked(owners_view(pod, event, a_node()), pod, Evidence(objects))) == []


def test_a_runtime_class_that_was_taken_away() -> None:
    pod = starting(runtime_class="nvidia")
    (finding,) = found(STAGE, asked(owners_view(pod, a_node(), a_thing("RuntimeClass", "kata", "")), pod))
    assert "RuntimeClass `nvidia`, which does not exist" in finding.sentence
    assert found(STAGE, asked(owners_view(pod, a_node(), unread=("runtimeclasses",)), pod)) == []


def test_old_events_of_a_pod_that_runs_say_nothing() -> None:
    pod = a_pod(uid="u")
    event = an_event(a_thing("Pod", "glm-0"), "FailedMount", 'configmap "engine-conf" not found', minutes=50)
    assert found(STAGE, asked(owners_view(pod, event, a_node()), pod)) == []


# ---- the node of a volume that is still to be made ---------------------------------------------------------------------

LATE = StorageClass(name="late", provisioner="csi.example.com", binding_mode="WaitForFirstConsumer")


def test_the_node_that_was_chosen_for_the_volume_is_gone() -> None:
    pod = uses("weights")
    claim = a_volume_claim(storage_class="late", selected_node="gpu-9")
    (finding,) = found(STAGE, asked(owners_view(pod, claim, LATE, a_node()), pod))
    assert finding.id == "references.claim-node-gone"
    assert "is to be made on gpu-9, the node that was once chosen for it" in finding.sentence
    assert finding.remedies[0].command == "kubectl -n llm annotate pvc weights volume.kubernetes.io/selected-node-"


def test_a_volume_for_a_node_that_is_full_is_told_with_the_placement() -> None:
    pod = uses("weights")
    claim = a_volume_claim(storage_class="late", selected_node="gpu-1")
    full = a_pod("holder", gpus=8)
    assert found(STAGE, asked(owners_view(pod, claim, LATE, a_node(), full), pod)) == []
    (finding,) = found(STAGE, asked(owners_view(pod, claim, LATE, a_node()), pod))
    assert finding.id == "references.claim-provisioner"


def test_a_pod_that_names_its_node_gets_no_late_volume() -> None:
    pod = a_pod(node="gpu-1", phase="Pending", volumes=(Volume("v", claim="weights"),), uid="u")
    claim = a_volume_claim(storage_class="late")
    (finding,) = found(STAGE, asked(owners_view(pod, claim, LATE, a_node()), pod))
    assert finding.id == "references.claim-pinned"
    assert "this pod names its node itself (`nodeName: gpu-1`)" in finding.sentence
    assert "`nodeSelector` (`kubernetes.io/hostname: gpu-1`)" in finding.remedies[0].action
    assert finding.remedies[1].command.endswith("annotate pvc weights volume.kubernetes.io/selected-node=gpu-1")


def test_a_claim_has_lost_its_volume() -> None:
    pod = uses("weights")
    claim = a_volume_claim(volume="pv-9", phase="Lost")
    (finding,) = found(STAGE, asked(owners_view(pod, claim), pod))
    assert finding.sentence == "its claim `weights` has lost its volume `pv-9`, which does not exist any more"
    assert "delete pvc weights" in finding.remedies[1].command


def test_who_keeps_a_claim_that_is_being_deleted() -> None:
    pod = uses("weights")
    user = a_pod("user-0", volumes=(Volume("v", claim="weights"),))
    (finding,) = found(STAGE, asked(owners_view(pod, user, a_volume_claim(deleted=ago(minutes=2))), pod))
    assert finding.sentence.endswith("and it stays as long as `user-0` uses it")


def test_a_claim_without_a_class_where_none_is_the_default() -> None:
    pod = uses("weights")
    (finding,) = found(STAGE, asked(owners_view(pod, a_volume_claim(), LATE), pod))
    assert "it names no StorageClass and there is no default" in finding.sentence
    assert "StorageClasses that exist: late" in finding.evidence
    assert "annotate storageclass late storageclass.kubernetes.io/is-default-class=true" in finding.remedies[0].command

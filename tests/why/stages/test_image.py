"""Images that are not there."""

from typing import Any

import pytest

from bot.why.stages.image import STAGE
from tests.why.builders_started import (
    a_case,
    a_container,
    a_node_object,
    a_pod_object,
    an_event,
    an_object,
    ids,
    looping,
    running,
    the_one,
    told,
    waiting,
)

IMAGE = "vllm/vllm-openai:v0.24.0"
FRAME = f'Back-off pulling image "{IMAGE}": ErrImagePull: failed to pull and unpack image "docker.io/{IMAGE}": '


def pulling(reason: str = "ImagePullBackOff", message: str = "", **more: Any) -> dict[str, Any]:
    return a_pod_object(phase="Pending", statuses=[waiting(reason, message)], **more)


@pytest.mark.parametrize(
    ("reason", "tail", "id_", "words"),
    [
        pytest.param(
            "ImagePullBackOff", "docker.io/x:1: not found", "image.not-found", ["knows no such image"], id="404"
        ),
        pytest.param(
            "ErrImagePull", "manifest unknown: manifest unknown", "image.not-found", ["no such image"], id="tag"
        ),
        pytest.param(
            "ErrImagePull",
            "pull access denied, repository does not exist or may require authorization",
            "image.no-access",
            ["no access, which it also says where the image does not exist"],
            id="private or missing: it is not claimed which",
        ),
        pytest.param(
            "ErrImagePull", "unexpected status: 401 Unauthorized", "image.no-access", ["imagePullSecrets"], id="401"
        ),
        pytest.param(
            "ErrImagePull",
            "unexpected status from HEAD request to https://1.dkr.ecr/v2/x: 403 Forbidden: Your authorization token has "
            "expired. Reauthenticate and try again.",
            "image.login-expired",
            ["has expired", "Make the pull secret anew", "Name and tag are not at fault"],
            id="a login that has expired",
        ),
        pytest.param(
            "ErrImagePull",
            "failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://ghcr.io/"
            "token?scope=x: 401 Unauthorized",
            "image.no-login",
            ["without a login", "imagePullSecrets", "unexpected status"],
            id="no login at all",
        ),
        pytest.param("ErrImagePull", "403 Forbidden", "image.no-access", ["gives no access"], id="403"),
        pytest.param(
            "ErrImagePull", "429 Too Many Requests - toomanyrequests: x", "image.rate-limited", ["mirror"], id="429"
        ),
        pytest.param(
            "ErrImagePull", "write /var/lib: no space left on device", "image.disk-full", ["disk is full"], id="disk"
        ),
        pytest.param(
            "ErrImagePull", "x509: certificate signed by unknown authority", "image.certificate", ["trust"], id="tls"
        ),
        pytest.param(
            "ErrImagePull", "server gave HTTP response to HTTPS client", "image.plain-http", ["HTTPS"], id="http"
        ),
        pytest.param(
            "ErrImagePull", "dial tcp 1.2.3.4:443: i/o timeout", "image.unreachable", ["does not reach"], id="net"
        ),
        pytest.param("ErrImagePull", "dial tcp: lookup r.x: no such host", "image.no-such-host", ["resolve"], id="dns"),
        pytest.param(
            "ErrImagePull", "no match for platform in manifest", "image.architecture", ["architecture"], id="arch"
        ),
        pytest.param("InvalidImageName", "invalid reference format", "image.invalid-name", ["not a valid"], id="name"),
        pytest.param(
            "ErrImageNeverPull", "not present with pull policy of Never", "image.never-pull", ["Never"], id="never"
        ),
        pytest.param("ErrImagePull", "the moon is full", "image.pull-failed", ["“the moon is full”"], id="unknown"),
    ],
)
def test_the_runtimes_error_is_told_in_words(reason: str, tail: str, id_: str, words: list[str]) -> None:
    finding = the_one(STAGE, a_case(pulling(reason, FRAME + tail)), id_)
    assert f"`{IMAGE}` of `vllm` cannot be pulled on gpu-a" in finding.sentence
    for word in words:
        assert word in told(finding)


def test_older_kubelets_keep_the_error_in_an_event_only() -> None:
    event = an_event("Failed", f'Failed to pull image "{IMAGE}": rpc error: toomanyrequests: slow down', count=12)
    text = told(the_one(STAGE, a_case(pulling(message="Back-off pulling image"), event), "image.rate-limited"))
    assert "tried 12 times" in text


def test_what_proves_that_the_image_exists_and_which_secrets_were_used() -> None:
    other = a_pod_object("glm-1", a_container(), node="gpu-b", statuses=[running(ready=True)])
    pod = pulling(message=FRAME + "401 Unauthorized", spec={"imagePullSecrets": [{"name": "regcred"}]})
    text = told(the_one(STAGE, a_case(pod, other), "image.no-access"))
    assert "the same image runs on gpu-b" in text
    assert "pull secrets: `regcred`" in text


def test_a_pull_secret_that_is_missing() -> None:
    event = an_event("FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (regcred)")
    case = a_case(pulling(message=FRAME + "401 Unauthorized"), event)
    finding = the_one(STAGE, case, "image.pull-secret-missing")
    assert "its pull secret `regcred` does not exist in namespace llm" in finding.sentence
    assert "Create `regcred` in namespace llm" in told(finding)


def test_a_missing_pull_secret_is_no_matter_where_the_registry_answers_otherwise() -> None:
    event = an_event("FailedToRetrieveImagePullSecret", "Unable to retrieve some image pull secrets (regcred)")
    case = a_case(pulling(message=FRAME + "write /var/lib: no space left on device"), event)
    assert ids(STAGE, case) == ["image.disk-full"]


def test_the_nodes_architecture_is_named() -> None:
    node = a_node_object(labels={"kubernetes.io/arch": "arm64"})
    case = a_case(pulling(message=FRAME + "no match for platform in manifest: not found"), node)
    assert "gpu-a is `arm64`" in told(the_one(STAGE, case, "image.architecture"))


def test_a_pull_may_take_what_it_took_elsewhere() -> None:
    began = an_event("Pulling", f'Pulling image "{IMAGE}"', ago=40)
    took = f'Successfully pulled image "{IMAGE}" in 35m1.5s (35m1.5s including waiting). Image size: 17324118211 bytes.'
    elsewhere = an_event("Pulled", took, about="glm-1", ago=200)
    finding = the_one(STAGE, a_case(pulling("ContainerCreating"), began, elsewhere), "image.pulling")
    assert "glm-1 needed 35 min" in finding.until


def test_an_init_containers_image_is_looked_at_too() -> None:
    pod = a_pod_object(
        phase="Pending",
        inits=[a_container("fetch")],
        init_statuses=[waiting("ErrImagePull", FRAME + "not found", "fetch")],
        statuses=[waiting("PodInitializing")],
    )
    assert "of `fetch`" in the_one(STAGE, a_case(pod), "image.not-found").sentence


def test_a_template_that_was_corrected_since_is_not_to_be_corrected_again() -> None:
    template = {"spec": {"containers": [{"name": "vllm", "image": "vllm/vllm-openai:v1"}]}}
    owner = an_object("StatefulSet", "glm", "apps/v1", spec={"template": template})
    case = a_case(pulling(message=FRAME + "not found", owner=("StatefulSet", "glm")), owner)
    text = told(the_one(STAGE, case, "image.not-found"))
    assert "says `vllm/vllm-openai:v1` by now" in text
    assert "Correct the image" not in text


def begun(ago: float) -> dict[str, Any]:
    return an_event("Pulling", f'Pulling image "{IMAGE}"', ago=ago)


def test_a_pull_that_is_on_is_progress() -> None:
    before = an_event(
        "Pulled",
        f'Successfully pulled image "{IMAGE}" in 4m2s (4m2s including waiting). Image size: 10737418240 bytes.',
        about="glm-1",
        ago=50,
    )
    finding = the_one(STAGE, a_case(pulling("ContainerCreating"), begun(6), before), "image.pulling")
    assert "for 6 min, which is progress" in finding.sentence
    assert finding.until
    assert "glm-1 pulled it (10 GiB) in 4m2s" in told(finding)


def test_a_pull_of_more_than_half_an_hour_is_not() -> None:
    finding = the_one(STAGE, a_case(pulling("ContainerCreating"), begun(41)), "image.pulling-long")
    assert "longer than usual" in finding.sentence
    assert not finding.until


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([pulling("ContainerCreating")], id="no pull has begun"),
        pytest.param([pulling("ContainerCreating"), begun(6), an_event("Pulled", "x", ago=2)], id="it is there"),
        pytest.param([a_pod_object(statuses=[running(ready=True)]), begun(6)], id="it runs"),
        pytest.param([a_pod_object(statuses=[looping(1)])], id="it crashes, which is another matter"),
        pytest.param([a_pod_object(phase="Pending", node="")], id="it has no node"),
    ],
)
def test_nothing_is_said_where_the_image_is_not_in_the_way(objects: list[dict[str, Any]]) -> None:
    assert ids(STAGE, a_case(*objects)) == []


def test_the_kept_record_is_enough() -> None:
    assert ids(STAGE, a_case(pulling("ErrImagePull"), whole=False)) == ["image.pull-failed"]

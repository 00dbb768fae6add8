"""What the API server says when it refuses a pod is taken apart, in every wording and wrapping."""

import pytest

from bot.why.admission_errors import Kind, parse

HOOK = 'failed calling webhook "mutate.example.io": failed to call webhook: Post "https://hook.ns-1.svc:443/m?timeout=10s": '


@pytest.mark.parametrize(
    ("message", "kind", "name"),
    [
        pytest.param(
            'Error creating: pods "a" is forbidden: exceeded quota: gpu, requested: requests.nvidia.com/gpu=4, '
            "used: requests.nvidia.com/gpu=8, limited: requests.nvidia.com/gpu=8",
            Kind.QUOTA,
            "gpu",
            id="a full quota",
        ),
        pytest.param(
            'Error creating: pods "a" is forbidden: failed quota: q: must specify limits.cpu for: vllm; limits.memory for: vllm',
            Kind.QUOTA_SILENT,
            "q",
            id="a quota that wants a limit",
        ),
        pytest.param(
            'pods "a" is forbidden: status unknown for quota: q, resources: pods',
            Kind.QUOTA_UNKNOWN,
            "q",
            id="not counted yet",
        ),
        pytest.param(
            'pods "a" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [high]}]',
            Kind.QUOTA_NEEDED,
            "",
            id="only under a quota",
        ),
        pytest.param(
            'pods "a" is forbidden: violates PodSecurity "restricted:latest": host namespaces (hostIPC=true)',
            Kind.POD_SECURITY,
            "restricted:latest",
            id="Pod Security",
        ),
        pytest.param(
            f'Error creating: Internal error occurred: {HOOK}no endpoints available for service "hook"',
            Kind.WEBHOOK_DOWN,
            "mutate.example.io",
            id="a webhook that nobody serves",
        ),
        pytest.param(
            'admission webhook "v.example.io" denied the request: [rule] no latest tag',
            Kind.WEBHOOK_DENIED,
            "v.example.io",
            id="no",
        ),
        pytest.param(
            'admission webhook "v.example.io" denied the request without explanation',
            Kind.WEBHOOK_DENIED,
            "v.example.io",
            id="a bare no",
        ),
        pytest.param(
            "pods \"a\" is forbidden: ValidatingAdmissionPolicy 'team' with binding 'b' denied request: no team label",
            Kind.POLICY,
            "team",
            id="an admission policy",
        ),
        pytest.param(
            'pods "a" is forbidden: unable to validate against any security context constraint: [provider "x": no]',
            Kind.CONSTRAINTS,
            "",
            id="OpenShift's constraints",
        ),
        pytest.param(
            'pods "a" is forbidden: no PriorityClass with name hihg was found',
            Kind.PRIORITY_CLASS,
            "hihg",
            id="no class",
        ),
        pytest.param(
            'pods "a" is forbidden: pod rejected: RuntimeClass "nvidia" not found',
            Kind.RUNTIME_CLASS,
            "nvidia",
            id="no runtime class",
        ),
        pytest.param(
            'pods "a" is forbidden: error looking up service account llm/sa: serviceaccount "sa" not found',
            Kind.SERVICE_ACCOUNT,
            "sa",
            id="no account",
        ),
        pytest.param(
            'pods "a" is forbidden: unable to create new content in namespace llm because it is being terminated',
            Kind.TERMINATING,
            "llm",
            id="a namespace on its way out",
        ),
        pytest.param('namespaces "llm" not found', Kind.NO_NAMESPACE, "llm", id="a namespace that is gone"),
        pytest.param(
            'pods "a" is forbidden: [maximum cpu usage per Container is 2, but limit is 4, minimum memory usage per Pod is 1Gi, but request is 1Mi]',
            Kind.LIMIT_RANGE,
            "",
            id="a limit range",
        ),
        pytest.param(
            'pods is forbidden: User "system:x" cannot create resource "pods" in API group "" in the namespace "llm"',
            Kind.RIGHTS,
            "",
            id="no rights",
        ),
        pytest.param(
            'Pod "a" is invalid: spec.containers[0].resources.limits[nvidia.com/gpu]: Invalid value: resource.MustParse("500m"): must be an integer',
            Kind.INVALID,
            "",
            id="half a GPU",
        ),
        pytest.param(
            'object is being deleted: pods "glm-0" already exists', Kind.EXISTS, "glm-0", id="a name that is taken"
        ),
        pytest.param("etcdserver: request timed out", Kind.OVERLOADED, "", id="a slow server"),
        pytest.param(
            "create Pod glm-0 in StatefulSet glm failed error: some new words", Kind.OTHER, "", id="unknown words"
        ),
        pytest.param("", Kind.OTHER, "", id="nothing"),
    ],
)
def test_every_refusal_has_its_kind_and_name(message: str, kind: Kind, name: str) -> None:
    refusal = parse(message)
    assert (refusal.kind, refusal.name) == (kind, name)


def test_several_resources_of_a_quota() -> None:
    found = parse(
        "exceeded quota: q, requested: limits.cpu=2,pods=1,requests.nvidia.com/gpu=4, used: limits.cpu=8,pods=10,"
        "requests.nvidia.com/gpu=0, limited: limits.cpu=9,pods=10,requests.nvidia.com/gpu=8"
    )
    assert found.requested == {"limits.cpu": "2", "pods": "1", "requests.nvidia.com/gpu": "4"}
    assert (found.used["pods"], found.limited["limits.cpu"]) == ("10", "9")


def test_violations_are_split_outside_brackets_only() -> None:
    found = parse(
        'violates PodSecurity "restricted:v1.30": unrestricted capabilities (containers "a", "b" must set '
        'securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set x)'
    )
    assert [one.split(" (")[0] for one in found.items] == ["unrestricted capabilities", "runAsNonRoot != true"]


def test_limits_and_fields_are_split() -> None:
    limits = parse(
        "[maximum cpu usage per Container is 2, but limit is 4, minimum memory usage per Pod is 1Gi.  No limit is specified]"
    )
    assert limits.items == (
        "maximum cpu usage per Container is 2, but limit is 4",
        "minimum memory usage per Pod is 1Gi.  No limit is specified",
    )
    fields = parse(
        'Pod "a" is invalid: [spec.containers[0].image: Required value, spec.volumes[1].name: Duplicate value: "x"]'
    )
    assert fields.items == ("spec.containers[0].image: Required value", 'spec.volumes[1].name: Duplicate value: "x"')


@pytest.mark.parametrize(
    ("url", "service"),
    [
        pytest.param('Post "https://hook.ns-1.svc:443/m?timeout=10s": EOF', ("ns-1", "hook"), id="a service"),
        pytest.param(
            "Post https://hook.ns-1.svc.cluster.local/m: EOF", ("ns-1", "hook"), id="an old wording without quotes"
        ),
        pytest.param('Post "https://policy.example.com/m": EOF', ("", ""), id="outside the cluster"),
        pytest.param("context deadline exceeded", ("", ""), id="no address"),
    ],
)
def test_the_service_behind_a_webhook(url: str, service: tuple[str, str]) -> None:
    assert parse(f'failed calling webhook "w.example.io": {url}').service == service


def test_a_refused_claim_of_a_statefulset() -> None:
    found = parse(
        'create Claim data-glm-0 for Pod glm-0 in StatefulSet glm failed error: persistentvolumeclaims "data-glm-0" is '
        "forbidden: exceeded quota: disk, requested: requests.storage=1Ti, used: requests.storage=9Ti, limited: requests.storage=9Ti"
    )
    assert (found.kind, found.claim, found.name) == (Kind.QUOTA, "data-glm-0", "disk")


def test_a_hostile_text_is_read_in_a_moment_and_kept_short() -> None:
    found = parse("Error creating: " * 500 + "maximum x usage per " + "is " * 50_000)
    assert len(found.text) < 5_000

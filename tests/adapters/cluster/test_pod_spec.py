"""What filters read of a pod, from its JSON."""

from typing import Any

import msgspec
import pytest

from bot.adapters.cluster import kinds
from bot.adapters.cluster.shared import Shared
from bot.domain.pod import Pod
from bot.domain.pod_spec import PLAIN, ClaimRef, Disk, HostPort, Toleration, Volume
from bot.domain.selectors import EVERYTHING, NOTHING, Requirement

TERM = {"topologyKey": "zone"}
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def decoded(spec: dict[str, Any], shared: Shared | None = None, name: str = "p", **status: Any) -> Pod:
    containers = spec.pop("containers", [{"name": "c"}])
    pod = {"metadata": {"name": name}, "spec": {"containers": containers, **spec}, "status": status}
    _, record = kinds.decode(kinds.collect()["pods"], msgspec.json.encode(pod), shared)
    assert isinstance(record, Pod)
    return record


def test_a_pod_that_asks_for_nothing_has_the_plain_spec() -> None:
    assert decoded({"preemptionPolicy": "PreemptLowerPriority"}).spec is PLAIN


@pytest.mark.parametrize(
    ("spec", "field", "value"),
    [
        pytest.param({"nodeSelector": {"a": "b"}}, "node_selector", {"a": "b"}, id="node selector"),
        pytest.param({"nodeSelector": None}, "node_selector", {}, id="a null is as if not there"),
        pytest.param(
            {"tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 5}, {}]},
            "tolerations",
            (Toleration("k", "Exists"), Toleration()),
            id="tolerations",
        ),
        pytest.param({"schedulingGates": [{"name": "x"}]}, "gates", ("x",), id="gates"),
        pytest.param(
            {"resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}]},
            "claims",
            (ClaimRef("g", template="t"),),
            id="resource claims",
        ),
        pytest.param(
            {"affinity": {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": None}}}},
            "node_terms",
            (),
            id="no term at all",
        ),
        pytest.param({"affinity": {"nodeAffinity": {}}}, "node_terms", None, id="only preferred affinity"),
        pytest.param({"hostNetwork": True, "hostUsers": True}, "features", frozenset(), id="its users are the host's"),
        pytest.param(
            {"hostNetwork": True, "hostUsers": False},
            "features",
            {"UserNamespacesHostNetworkSupport"},
            id="users of its own on the host's network",
        ),
    ],
)
def test_fields(spec: dict[str, Any], field: str, value: object) -> None:
    assert getattr(decoded(spec).spec, field) == value


@pytest.mark.parametrize(
    ("spec", "ports"),
    [
        pytest.param({"ports": [{"containerPort": 80}]}, (), id="a container's port is not the host's"),
        pytest.param({"ports": [{"hostPort": 80}]}, (HostPort(80, "TCP", "0.0.0.0"),), id="defaults"),
        pytest.param(
            {"ports": [{"hostPort": 80, "protocol": "UDP", "hostIP": "10.0.0.1"}]},
            (HostPort(80, "UDP", "10.0.0.1"),),
            id="all of it",
        ),
    ],
)
def test_host_ports(spec: dict[str, Any], ports: tuple[HostPort, ...]) -> None:
    assert decoded({"containers": [{"name": "c", **spec}]}).spec.host_ports == ports


def test_on_the_hosts_network_every_port_is_the_hosts_and_only_sidecars_keep_theirs() -> None:
    ports = [{"containerPort": 80}]
    init = [{"name": "i", "ports": ports}, {"name": "s", "restartPolicy": "Always", "ports": [{"containerPort": 81}]}]
    made = decoded({"hostNetwork": True, "containers": [{"name": "c", "ports": ports}], "initContainers": init})
    assert [port.port for port in made.spec.host_ports] == [80, 81]


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        pytest.param({}, NOTHING, id="no selector matches nothing"),
        pytest.param({"labelSelector": {}}, EVERYTHING, id="an empty one everything"),
    ],
)
def test_selectors(selector: dict[str, Any], expected: object) -> None:
    made = decoded({"affinity": {"podAntiAffinity": {REQUIRED: [TERM | selector]}}})
    assert made.spec.anti_affinity[0].selector == expected
    assert made.spec.anti_affinity[0].namespace_selector is None


def test_a_selector_that_does_not_parse_says_why_and_matches_nothing() -> None:
    odd = {"matchExpressions": [{"key": "a", "operator": "Near", "values": ["b"]}]}
    made = decoded({"affinity": {"podAffinity": {REQUIRED: [TERM | {"labelSelector": odd}]}}}).spec.affinity[0].selector
    assert made.requirements == (Requirement("a", "Near", ("b",)),)
    assert (made.nothing, made.invalid) == (True, "'Near' is not a valid operator")


def test_only_volumes_that_matter_are_kept() -> None:
    volumes = [
        {"name": "data", "persistentVolumeClaim": {"claimName": "c1"}},
        {"name": "tmp", "ephemeral": {"volumeClaimTemplate": {}}},
        {"name": "inline", "csi": {"driver": "d"}},
        {"name": "disk", "gcePersistentDisk": {"pdName": "pd", "readOnly": True}},
        {"name": "settings", "configMap": {"name": "x"}},
        {"name": "kube-api-access-abcde", "projected": {}},
    ]
    assert decoded({"volumes": volumes}, name="web-0").volumes == (
        Volume("data", "c1"),
        Volume("tmp", "web-0-tmp", ephemeral=True),
        Volume("inline", csi_driver="d"),
        Volume("disk", disk=Disk("gcePersistentDisk", "pd", read_only=True, pool="rbd")),
    )


def test_pods_of_a_template_share_what_filters_read() -> None:
    shared = Shared()
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "c"}}]
    one, other, third = (
        decoded(
            {"nodeSelector": {"a": "b"}, "volumes": [*volumes, {"name": f"kube-api-access-{token}"}], "priority": 1},
            shared,
            name=token,
        )
        for token in ("aaaaa", "bbbbb", "ccccc")
    )
    assert one.spec is other.spec is third.spec
    assert one.volumes is other.volumes
    assert decoded({"nodeSelector": {"a": "c"}}, shared).spec is not one.spec


def test_who_is_being_evicted_for_another_pod() -> None:
    told = [{"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}]
    leaving = {"metadata": {"name": "p", "deletionTimestamp": "2026-11-30T12:00:00Z"}, "spec": {}}
    for conditions, expected in ((told, True), ([], False), ([told[0] | {"reason": "DeletionByTaintManager"}], False)):
        pod = leaving | {"status": {"conditions": conditions}}
        _, record = kinds.decode(kinds.collect()["pods"], msgspec.json.encode(pod))
        assert isinstance(record, Pod)
        assert record.preempted is expected
    assert decoded({}, conditions=told).preempted is False, "it is not leaving yet"

"""The manifests that install the bot: valid for a real client, and allowed to read exactly what is read."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.adapters.cluster import kinds
from bot.changes.deploy_steps import RESOURCES as DEPLOYED
from bot.changes.workload_target import FORMS
from bot.local.cluster.api import ApiServer

FOLDER = Path(__file__).parent.parent.parent / "config" / "kubernetes"
KUBECTL = Path(__file__).parent.parent.parent / ".venv" / "bin" / "kubectl"


def documents() -> list[dict[str, Any]]:
    return [
        document
        for name in ("rbac.yaml", "deployment.yaml")
        for document in yaml.safe_load_all((FOLDER / name).read_text())
        if document
    ]


def rules() -> set[tuple[str, str, str]]:
    role = next(document for document in documents() if document["kind"] == "ClusterRole")
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


ON_DEMAND = {("", "pods/log", "get"), ("", "configmaps", "get")}  # looked up for one question, never listed


def test_every_kind_that_is_read_may_be_listed_and_watched_and_nothing_more() -> None:
    wanted = set()
    for kind in kinds.collect().values():
        group = kind.versions[0].rpartition("/")[0]
        wanted |= {(group, kind.plural or kind.name, verb) for verb in ("get", "list", "watch")}
    assert rules() == wanted | ON_DEMAND


def test_nothing_can_be_changed_and_no_secret_read() -> None:
    assert {verb for _, _, verb in rules()} == {"get", "list", "watch"}
    assert not {resource for _, resource, _ in rules()} & {"secrets"}


def test_of_config_maps_only_those_are_read_that_are_named() -> None:
    role = next(document for document in documents() if document["kind"] == "ClusterRole")
    named = [rule["resourceNames"] for rule in role["rules"] if "configmaps" in rule["resources"]]
    assert named == [["cluster-autoscaler-status"]]


def test_the_rule_for_the_pod_proxy_is_left_out_and_is_one_when_put_in() -> None:
    assert "pods/proxy" not in {resource for _, resource, _ in rules()}
    text = (FOLDER / "rbac.yaml").read_text()
    explained = text[text.index("# Only for `nodes:") :].partition("\n---")[0].splitlines()
    rule = [line.removeprefix("# ") for line in explained if line.startswith(("# - ", "#   "))]
    assert yaml.safe_load("\n".join(rule)) == [{"apiGroups": [""], "resources": ["pods/proxy"], "verbs": ["get"]}]


async def test_a_real_client_accepts_them(tmp_path: Path) -> None:
    if not KUBECTL.exists():
        pytest.skip("kubectl is not in .venv")
    from datetime import UTC, datetime

    from bot.local.cluster.store import RESOURCES, Store

    store = Store(clock=lambda: datetime.now(UTC))
    store.create(RESOURCES["", "namespaces"], "", {"metadata": {"name": "gpubot"}})
    server = ApiServer(store)
    await server.start()
    server.write_kubeconfig(tmp_path / "kc")
    import asyncio

    def apply(folder: Path) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [KUBECTL, "--kubeconfig", tmp_path / "kc", "apply", "-k", folder],
            capture_output=True,
            text=True,
            timeout=30,
        )

    done = await asyncio.to_thread(apply, FOLDER)
    changes = await asyncio.to_thread(apply, FOLDER / "changes")
    await server.stop()
    assert changes.returncode == 0, changes.stderr
    assert "rolebinding.rbac.authorization.k8s.io/gpubot-verify created" in changes.stdout
    assert done.returncode == 0, done.stderr
    assert "deployment.apps/gpubot created" in done.stdout
    assert "clusterrole.rbac.authorization.k8s.io/gpubot-reader created" in done.stdout


# ---- the rights to change --------------------------------------------------------------------------------------------


CHANGES = FOLDER / "changes" / "rbac.yaml"


def change_rules(kind: str = "ClusterRole") -> set[tuple[str, str, str]]:
    roles = [document for document in yaml.safe_load_all(CHANGES.read_text()) if document["kind"] == kind]
    return {
        (group, resource, verb)
        for role in roles
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_every_workload_that_can_be_restarted_may_be_patched() -> None:
    wanted = {(form.api_version.rpartition("/")[0], form.resource, "patch") for form in FORMS.values()}
    assert wanted <= change_rules()


@pytest.mark.parametrize(
    "right",
    [
        pytest.param(("authorization.k8s.io", "subjectaccessreviews", "create"), id="asking what a person may"),
        pytest.param(("", "nodes", "patch"), id="cordon"),
        pytest.param(("", "pods/eviction", "create"), id="drain"),
        pytest.param(("", "pods", "delete"), id="a pod that hangs"),
        pytest.param(("apps", "deployments/scale", "patch"), id="scaling"),
        pytest.param(("leaderworkerset.x-k8s.io", "leaderworkersets/scale", "patch"), id="scaling groups"),
        pytest.param(("keda.sh", "scaledobjects", "patch"), id="pausing KEDA"),
    ],
)
def test_what_changes_need_is_there(right: tuple[str, str, str]) -> None:
    assert right in change_rules()


def test_what_is_changed_is_read_too() -> None:
    changed = {(group, resource.partition("/")[0]) for group, resource, verb in change_rules() if verb == "patch"}
    assert changed <= {(group, resource) for group, resource, _ in rules()}


def test_the_rights_to_change_are_no_way_to_more() -> None:
    given = change_rules() | change_rules("Role")
    assert not {verb for _, _, verb in given} & {"*", "escalate", "bind", "impersonate", "deletecollection"}
    assert not {resource for _, resource, _ in given} & {
        "*",
        "secrets",
        "pods/exec",
        "pods/proxy",
        "serviceaccounts/token",
    }
    assert ("", "pods", "create") not in change_rules()
    assert change_rules("Role") == {("", "pods", "create")}


def test_the_rules_for_impersonation_are_left_out_and_name_people_when_put_in() -> None:
    explained = CHANGES.read_text().partition("# Only for `access:")[2].partition("\n---")[0].splitlines()
    rule = "\n".join(line.removeprefix("# ") for line in explained if line.startswith(("# - ", "#   ")))
    found = yaml.safe_load(rule)
    assert [(one["resources"], one["verbs"]) for one in found] == [
        (["users"], ["impersonate"]),
        (["groups"], ["impersonate"]),
    ]
    assert all(one["resourceNames"] for one in found)


# ---- the rights to deploy --------------------------------------------------------------------------------------------


DEPLOYING = FOLDER / "deploying" / "rbac.yaml"


def deploy_rules() -> set[tuple[str, str, str]]:
    roles = [one for one in yaml.safe_load_all(DEPLOYING.read_text()) if one["kind"] == "ClusterRole"]
    return {
        (group, resource, verb)
        for rule in roles[0]["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
    }


def test_all_that_a_deployment_makes_may_be_made_changed_and_taken_back() -> None:
    group_of = {"ConfigMap": "", "PersistentVolumeClaim": "", "Service": "", "Job": "batch", "Deployment": "apps"}
    group_of |= {"LeaderWorkerSet": "leaderworkerset.x-k8s.io", "PodDisruptionBudget": "policy"}
    group_of |= {"ScaledObject": "keda.sh", "ServiceMonitor": "monitoring.coreos.com", "Ingress": "networking.k8s.io"}
    group_of |= {"HTTPRoute": "gateway.networking.k8s.io"}
    assert set(group_of) == set(DEPLOYED)
    for kind, resource in DEPLOYED.items():
        for verb in ("create", "patch", "delete"):
            assert (group_of[kind], resource, verb) in deploy_rules()


def test_it_is_bound_in_one_namespace_and_never_for_the_whole_cluster() -> None:
    kinds = [one["kind"] for one in yaml.safe_load_all(DEPLOYING.read_text())]
    assert kinds == ["ClusterRole", "RoleBinding"]
    assert not {resource for _, resource, _ in deploy_rules()} & {"*", "secrets", "pods/exec", "roles", "rolebindings"}

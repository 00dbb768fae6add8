"""What kube-apiserver promises over plain HTTP, held against ours."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import pytest

from bot.local.cluster.api import ApiServer
from bot.local.cluster.store import Store
from tests.local.cluster.api_objects import (
    BUDGETS,
    CONFIG_MAPS,
    DEPLOYMENT_PATH,
    DEPLOYMENTS,
    POD_PATH,
    PODS,
    Http,
    Json,
    definition,
    deployment,
    pod,
)

MERGE = "application/merge-patch+json"
APPLY = "application/apply-patch+yaml"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json"


@pytest.fixture(autouse=True)
def pods(store: Store) -> None:
    store.create(PODS, "default", pod("p1", {"app": "a", "tier": "x"}, "gpu-0"))
    store.create(PODS, "default", pod("p2", {"app": "b"}))
    store.create(PODS, "other", pod("p3", {"app": "a"}))


async def test_create_answers_201_with_identity(http: Http) -> None:
    reply = await http("POST", POD_PATH, pod("new"))
    metadata = reply.body["metadata"]
    assert (reply.status, reply.body["kind"]) == (201, "Pod")
    assert all(metadata.get(key) for key in ("uid", "creationTimestamp", "resourceVersion"))


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "reason", "message"),
    [
        pytest.param("GET", POD_PATH + "/no", None, 404, "NotFound", 'pods "no" not found', id="a missing pod"),
        pytest.param(
            "GET",
            DEPLOYMENT_PATH + "/no",
            None,
            404,
            "NotFound",
            'deployments.apps "no" not found',
            id="a missing deployment is named with its group",
        ),
        pytest.param(
            "POST", POD_PATH, pod("p1"), 409, "AlreadyExists", 'pods "p1" already exists', id="a name that is taken"
        ),
        pytest.param(
            "POST",
            "/api/v1/namespaces/none/pods",
            pod("x"),
            404,
            "NotFound",
            'namespaces "none" not found',
            id="a namespace that does not exist",
        ),
        pytest.param(
            "POST",
            POD_PATH,
            pod("Bad_Name"),
            422,
            "Invalid",
            'Pod "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name"',
            id="a name that is no DNS name",
        ),
        pytest.param(
            "POST",
            POD_PATH,
            {**pod("x"), "kind": "Node"},
            400,
            "BadRequest",
            "Node in version v1 cannot be handled as a Pod in version v1",
            id="a body of another kind",
        ),
        pytest.param(
            "POST", POD_PATH, b"{", 400, "BadRequest", "couldn't get version/kind; json parse error", id="a torn body"
        ),
        pytest.param(
            "POST", POD_PATH, {"spec": 5, "metadata": {"name": "x"}}, 422, "Invalid", "containers", id="a wrong shape"
        ),
        pytest.param(
            "GET", "/apis/none/v1/things", None, 404, "NotFound", "could not find the requested", id="an unknown group"
        ),
        pytest.param(
            "GET",
            "/api/v1/pods?fieldSelector=spec.colour%3Dred",
            None,
            400,
            "BadRequest",
            "field label not supported: spec.colour",
            id="a field that cannot be selected by",
        ),
        pytest.param(
            "GET",
            "/api/v1/pods?resourceVersion=999999",
            None,
            504,
            "Timeout",
            "Too large resource version: 999999",
            id="a version of the future",
        ),
        pytest.param("PUT", "/api/v1/pods", {}, 405, "MethodNotAllowed", "does not allow", id="a PUT of a list"),
    ],
)
async def test_refusals_are_worded_as_kubernetes_words_them(
    http: Http, method: str, path: str, body: object, status: int, reason: str, message: str
) -> None:
    reply = await http(method, path, body)
    assert (reply.status, reply.reason, reply.body["kind"]) == (status, reason, "Status")
    assert message in reply.body["message"]


@pytest.mark.parametrize(
    ("parameter", "selector", "names"),
    [
        pytest.param("label", "app=a", ["p1", "p3"], id="equality"),
        pytest.param("label", "app in (a,b)", ["p1", "p2", "p3"], id="in a set"),
        pytest.param("label", "app notin (a)", ["p2"], id="not in a set"),
        pytest.param("label", "app!=a", ["p2"], id="inequality"),
        pytest.param("label", "tier", ["p1"], id="presence"),
        pytest.param("label", "!tier,app=a", ["p3"], id="absence and equality together"),
        pytest.param("field", "spec.nodeName=gpu-0", ["p1"], id="pods of a node"),
        pytest.param("field", "spec.nodeName=", ["p2", "p3"], id="pods of no node"),
        pytest.param("field", "status.phase!=Running", ["p2", "p3"], id="not in a phase"),
        pytest.param("field", "metadata.name=p2", ["p2"], id="one by name"),
        pytest.param("field", "metadata.namespace=other", ["p3"], id="by namespace"),
    ],
)
async def test_lists_are_narrowed_by_selectors(http: Http, parameter: str, selector: str, names: list[str]) -> None:
    assert (await http("GET", f"/api/v1/pods?{parameter}Selector={quote(selector)}")).names == names


async def test_lists_say_their_kind_and_version(http: Http, store: Store) -> None:
    reply = await http("GET", POD_PATH)
    assert (reply.body["kind"], reply.body["apiVersion"]) == ("PodList", "v1")
    assert reply.body["metadata"] == {"resourceVersion": str(store.version)}
    assert reply.names == ["p1", "p2"]


async def test_pages_follow_one_another_and_say_how_much_is_left(http: Http) -> None:
    first = await http("GET", "/api/v1/pods?limit=2")
    token = first.body["metadata"]["continue"]
    assert first.body["metadata"]["remainingItemCount"] == 1
    last = await http("GET", f"/api/v1/pods?limit=2&continue={token}")
    assert (first.names, last.names) == (["p1", "p2"], ["p3"])
    assert last.body["metadata"] == {"resourceVersion": first.body["metadata"]["resourceVersion"]}


async def test_an_old_page_token_is_expired_and_names_another_to_go_on_with(http: Http, server: ApiServer) -> None:
    token = (await http("GET", "/api/v1/pods?limit=2")).body["metadata"]["continue"]
    await http("DELETE", POD_PATH + "/p2")
    server.compact()
    old = await http("GET", f"/api/v1/pods?limit=2&continue={token}")
    assert (old.status, old.reason) == (410, "Expired")
    other = old.body["metadata"]["continue"]
    assert (await http("GET", f"/api/v1/pods?continue={other}")).names == ["p3"]


async def test_a_table_has_the_columns_that_kubectl_prints(http: Http) -> None:
    body = (await http("GET", POD_PATH, Accept=TABLE)).body
    assert [c["name"] for c in body["columnDefinitions"] if c["priority"] == 0] == [
        *("Name", "Ready", "Status", "Restarts", "Age")
    ]
    assert body["rows"][0]["cells"][:5] == ["p1", "0/2", "Running", "0", "0s"]
    assert body["rows"][0]["object"]["kind"] == "PartialObjectMetadata"
    whole = (await http("GET", POD_PATH + "?includeObject=Object", Accept=TABLE)).body
    assert whole["rows"][0]["object"]["spec"]


async def test_metadata_alone_can_be_listed(http: Http) -> None:
    body = (await http("GET", POD_PATH, Accept=PARTIAL)).body
    assert body["kind"] == "PartialObjectMetadataList"
    assert set(body["items"][0]) == {"kind", "apiVersion", "metadata"}


@pytest.mark.parametrize(
    ("kind", "patch", "path", "expected"),
    [
        pytest.param(
            MERGE, {"metadata": {"labels": {"tier": None}}}, ("metadata", "labels"), {"app": "a"}, id="null deletes"
        ),
        pytest.param(
            "application/json-patch+json",
            [{"op": "add", "path": "/metadata/labels/j", "value": "1"}],
            ("metadata", "labels"),
            {"app": "a", "tier": "x", "j": "1"},
            id="a JSON patch adds one label",
        ),
        pytest.param(
            "application/strategic-merge-patch+json",
            {"spec": {"terminationGracePeriodSeconds": 5}},
            ("spec", "terminationGracePeriodSeconds"),
            5,
            id="a strategic patch sets one field",
        ),
    ],
)
async def test_patches(http: Http, kind: str, patch: object, path: tuple[str, str], expected: object) -> None:
    reply = await http("PATCH", POD_PATH + "/p1", patch, kind)
    assert (reply.status, reply.body[path[0]][path[1]]) == (200, expected)


async def test_a_strategic_patch_merges_containers_by_name(http: Http) -> None:
    change = {"spec": {"containers": [{"name": "main", "image": "a:2"}]}}
    reply = await http("PATCH", POD_PATH + "/p1", change, "application/strategic-merge-patch+json")
    assert [(c["name"], c["image"]) for c in reply.body["spec"]["containers"]] == [("main", "a:2"), ("side", "b:1")]


async def test_apply_creates_then_conflicts_then_takes_by_force(http: Http) -> None:
    path, body = "/api/v1/namespaces/default/configmaps/c?fieldManager=", {"apiVersion": "v1", "kind": "ConfigMap"}
    made = await http("PATCH", path + "one", {**body, "data": {"k": "1"}}, APPLY)
    clash = await http("PATCH", path + "two", {**body, "data": {"k": "2"}}, APPLY)
    forced = await http("PATCH", path + "two&force=true", {**body, "data": {"k": "2"}}, APPLY)
    assert (made.status, clash.status, clash.reason, forced.status) == (201, 409, "Conflict", 200)
    assert clash.body["message"] == 'Apply failed with 1 conflict: conflict with "one" using v1: .data.k'
    assert [entry["manager"] for entry in forced.body["metadata"]["managedFields"]] == ["two"]


async def test_yaml_is_read_from_apply(http: Http) -> None:
    body = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: y\ndata:\n  k: '1'\n"
    reply = await http("PATCH", "/api/v1/namespaces/default/configmaps/y?fieldManager=m", body, APPLY)
    assert (reply.status, reply.body["data"]) == (201, {"k": "1"})


async def test_a_replacement_of_an_older_version_conflicts(http: Http) -> None:
    old = (await http("GET", POD_PATH + "/p2")).body
    newer = {**old, "metadata": {**old["metadata"], "labels": {"v": "2"}}}
    assert (await http("PUT", POD_PATH + "/p2", newer)).status == 200
    stale = await http("PUT", POD_PATH + "/p2", old)
    assert (stale.status, stale.reason) == (409, "Conflict")
    assert "the object has been modified; please apply your changes to the latest version" in stale.body["message"]


@pytest.mark.parametrize(
    ("method", "path", "body", "kind"),
    [
        pytest.param("POST", POD_PATH + "?dryRun=All", pod("dry"), "application/json", id="create"),
        pytest.param("PUT", POD_PATH + "/p1?dryRun=All", pod("p1", {"x": "y"}), "application/json", id="replace"),
        pytest.param("PATCH", POD_PATH + "/p1?dryRun=All", {"metadata": {"labels": {"x": "y"}}}, MERGE, id="patch"),
        pytest.param("DELETE", POD_PATH + "/p1?dryRun=All", None, "application/json", id="delete"),
        pytest.param("DELETE", POD_PATH + "?dryRun=All", None, "application/json", id="delete a collection"),
        pytest.param("DELETE", POD_PATH + "/p1", {"dryRun": ["All"]}, "application/json", id="delete by its body"),
        pytest.param("PATCH", DEPLOYMENT_PATH + "/web/scale?dryRun=All", {"spec": {"replicas": 9}}, MERGE, id="scale"),
        pytest.param("POST", POD_PATH + "/p1/eviction?dryRun=All", {}, "application/json", id="evict"),
        pytest.param(
            "POST", POD_PATH + "/p2/binding?dryRun=All", {"target": {"name": "gpu-0"}}, "application/json", id="bind"
        ),
    ],
)
async def test_a_dry_run_stores_nothing(
    http: Http, store: Store, method: str, path: str, body: object, kind: str
) -> None:
    store.create(DEPLOYMENTS, "default", deployment("web"))
    version = store.version
    assert (await http(method, path, body, kind)).status in (200, 201)
    assert store.version == version


async def test_names_are_generated(http: Http) -> None:
    body = pod("x")
    body["metadata"] = {"generateName": "gen-"}
    reply = await http("POST", POD_PATH, body)
    assert reply.status == 201
    assert len(reply.body["metadata"]["name"]) == len("gen-") + 5


async def test_status_and_the_rest_are_written_apart(http: Http) -> None:
    both = {"status": {"phase": "Failed"}, "spec": {"terminationGracePeriodSeconds": 1}}
    status = (await http("PATCH", POD_PATH + "/p1/status", both, MERGE)).body
    assert (status["status"]["phase"], status["spec"]["terminationGracePeriodSeconds"]) == ("Failed", 30)
    spec = (await http("PATCH", POD_PATH + "/p1", {**both, "status": {"phase": "Lost"}}, MERGE)).body
    assert (spec["status"]["phase"], spec["spec"]["terminationGracePeriodSeconds"]) == ("Failed", 1)


async def test_scale_is_read_and_set(http: Http, store: Store) -> None:
    store.create(DEPLOYMENTS, "default", deployment("web", 2))
    present = (await http("GET", DEPLOYMENT_PATH + "/web/scale")).body
    assert (present["kind"], present["spec"], present["status"]["selector"]) == ("Scale", {"replicas": 2}, "app=web")
    changed = await http("PATCH", DEPLOYMENT_PATH + "/web/scale", {"spec": {"replicas": 5}}, MERGE)
    assert (changed.status, changed.body["spec"]["replicas"]) == (200, 5)
    assert store.get(DEPLOYMENTS, "default", "web")["spec"]["replicas"] == 5


async def test_a_pod_is_bound_once(http: Http, store: Store) -> None:
    binding = {"target": {"kind": "Node", "name": "gpu-0"}}
    assert (await http("POST", POD_PATH + "/p2/binding", binding)).status == 201
    assert store.get(PODS, "default", "p2")["spec"]["nodeName"] == "gpu-0"
    assert (await http("POST", POD_PATH + "/p2/binding", binding)).status == 409


async def test_an_eviction_deletes_unless_a_budget_forbids(http: Http, store: Store) -> None:
    budget = {"metadata": {"name": "b"}, "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "a"}}}}
    store.create(BUDGETS, "default", {**budget, "status": {"disruptionsAllowed": 0, "desiredHealthy": 1}})
    refused = await http("POST", POD_PATH + "/p1/eviction", {})
    assert (refused.status, refused.reason) == (429, "TooManyRequests")
    assert "The disruption budget b needs 1 healthy pods" in refused.body["details"]["causes"][0]["message"]
    assert (await http("POST", POD_PATH + "/p2/eviction", {})).status == 201
    assert (await http("GET", POD_PATH)).names == ["p1"]


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        pytest.param("container=side", 200, "p1/side starts\nand runs\n", id="the callback's text"),
        pytest.param("container=side&tailLines=1", 200, "and runs\n", id="its last line"),
        pytest.param("", 400, "choose one of: [main side]", id="no container named among two"),
        pytest.param("container=none", 400, "container none is not valid for pod p1", id="a container that is not"),
    ],
)
async def test_logs(http: Http, query: str, status: int, text: str) -> None:
    reply = await http("GET", f"{POD_PATH}/p1/log?{query}")
    assert reply.status == status
    assert text in (reply.body if status == 200 else reply.body["message"])


async def test_dependents_go_with_their_owner(http: Http, store: Store) -> None:
    owner = store.create(DEPLOYMENTS, "default", deployment("web"))["metadata"]
    reference = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": owner["uid"]}
    store.create(PODS, "default", pod("child", ownerReferences=[reference]))
    assert (await http("DELETE", DEPLOYMENT_PATH + "/web")).status == 200
    assert (await http("GET", POD_PATH + "/child")).status == 404


async def test_a_collection_is_deleted_by_selector(http: Http) -> None:
    reply = await http("DELETE", POD_PATH + "?labelSelector=app%3Da")
    assert (reply.status, reply.names) == (200, ["p1"])
    assert (await http("GET", POD_PATH)).names == ["p2"]


async def test_unknown_fields_are_refused_named_or_ignored(http: Http) -> None:
    body: Json = deployment("bad")
    body["spec"]["replikas"] = 1
    strict = await http("POST", DEPLOYMENT_PATH + "?fieldValidation=Strict&dryRun=All", body)
    assert (strict.status, 'unknown field "spec.replikas"' in strict.body["message"]) == (400, True)
    warned = await http("POST", DEPLOYMENT_PATH + "?fieldValidation=Warn&dryRun=All", body)
    assert (warned.status, warned.headers["Warning"]) == (201, '299 - "unknown field \\"spec.replikas\\""')
    assert "replikas" not in warned.body["spec"]
    good = await http("POST", DEPLOYMENT_PATH + "?fieldValidation=Strict&dryRun=All", deployment("good"))
    assert good.status == 201


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        pytest.param("application/vnd.kubernetes.protobuf", b"k8s\x00\x0a\x02", id="protobuf"),
        pytest.param("application/cbor", b"\xa0", id="CBOR"),
        pytest.param("application/json", b"k8s\x00\x0a\x02", id="protobuf that calls itself JSON"),
    ],
)
async def test_formats_that_are_not_read_are_refused(http: Http, content_type: str, body: bytes) -> None:
    assert (await http("POST", POD_PATH, body, content_type)).status == 415


async def test_discovery_names_versions_resources_and_subresources(http: Http) -> None:
    assert (await http("GET", "/api")).body["versions"] == ["v1"]
    assert (await http("GET", "/version")).body["gitVersion"] == "v1.36.3"
    assert (await http("GET", "/readyz")).body == "ok"
    assert "apps" in [group["name"] for group in (await http("GET", "/apis")).body["groups"]]
    core = (await http("GET", "/api/v1")).body
    assert core["groupVersion"] == "v1"
    apps = {row["name"]: row for row in (await http("GET", "/apis/apps/v1")).body["resources"]}
    assert apps["deployments/scale"]["kind"] == "Scale"
    aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
    reply = await http("GET", "/apis", Accept=aggregated)
    assert (reply.body["kind"], reply.headers["Content-Type"]) == ("APIGroupDiscoveryList", aggregated)


async def test_openapi_has_schemas_and_says_that_patch_validates(http: Http) -> None:
    index = (await http("GET", "/openapi/v3")).body["paths"]
    document = (await http("GET", index["apis/apps/v1"]["serverRelativeURL"])).body
    patch = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"]["patch"]
    assert {"dryRun", "fieldValidation"} <= {parameter["name"] for parameter in patch["parameters"]}
    assert document["components"]["schemas"]["Deployment"]["properties"]["spec"]


async def test_a_definition_makes_its_kind_served(http: Http) -> None:
    path = "/apis/ml.example.com/v1/namespaces/default/trainjobs"
    assert (await http("GET", path)).status == 404
    made = await http("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition())
    assert {c["type"] for c in made.body["status"]["conditions"]} == {"NamesAccepted", "Established"}
    job = {"apiVersion": "ml.example.com/v1", "kind": "TrainJob", "metadata": {"name": "t"}, "spec": {"workers": 1}}
    assert (await http("POST", path, job)).status == 201
    scaled = await http("PATCH", path + "/t/scale", {"spec": {"replicas": 4}}, MERGE)
    assert scaled.body["spec"] == {"replicas": 4}
    await http("PATCH", path + "/t/status", {"status": {"phase": "Running"}}, MERGE)
    rows = (await http("GET", path, Accept=TABLE)).body["rows"]
    assert rows[0]["cells"] == ["t", "Running"]
    assert (await http("PATCH", path + "/t", {}, "application/strategic-merge-patch+json")).status == 415
    await http("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/trainjobs.ml.example.com")
    assert (await http("GET", path)).status == 404


async def test_metrics_default_to_what_running_pods_request(http: Http, store: Store) -> None:
    busy = pod("busy", node="gpu-0")
    busy["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1500m", "memory": "2Gi"}}
    store.create(PODS, "default", busy)
    (item,) = (await http("GET", "/apis/metrics.k8s.io/v1beta1/nodes")).body["items"]
    assert (item["metadata"]["name"], item["usage"]) == ("gpu-0", {"cpu": "1500m", "memory": "2097152Ki"})
    one = (await http("GET", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods/busy")).body
    assert [container["name"] for container in one["containers"]] == ["main", "side"]


async def test_injected_failures_strike_so_many_times(http: Http, server: ApiServer) -> None:
    server.fail("/api/v1/pods", 503, times=2)
    statuses = [(await http("GET", "/api/v1/pods")).status for _ in range(3)]
    assert statuses == [503, 503, 200]
    assert (await http("GET", "/api/v1/nodes")).status == 200


async def test_a_paused_server_refuses_connections_and_comes_back_on_its_port(http: Http, server: ApiServer) -> None:
    url = server.url
    await server.pause()
    with pytest.raises(OSError, match="Cannot connect"):
        await http("GET", "/version")
    await server.resume()
    assert server.url == url
    assert (await http("GET", "/version")).status == 200


async def test_a_taken_port_gives_another(store: Store, server: ApiServer) -> None:
    second = ApiServer(store)
    await second.start(int(server.url.rpartition(":")[2]))
    assert second.url != server.url
    await second.stop()


async def test_concurrent_patches_do_not_disturb_one_another(http: Http, store: Store) -> None:
    store.create(CONFIG_MAPS, "default", {"metadata": {"name": "c"}})
    path = "/api/v1/namespaces/default/configmaps/c?fieldValidation=Strict"
    replies = await asyncio.gather(*(http("PATCH", path, {"data": {f"k{i}": "v"}}, MERGE) for i in range(20)))
    assert {reply.status for reply in replies} == {200}
    assert len(store.get(CONFIG_MAPS, "default", "c")["data"]) == 20

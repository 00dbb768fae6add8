"""What a sweep's look says: whom it hits, what changed before, and what could not be seen."""

from datetime import timedelta

from bot.domain.evidence import Evidence, LogRef, Wanted
from bot.domain.node import Condition
from bot.domain.node_past import FleetPast, Held, NodePast
from bot.domain.severity import Severity
from bot.domain.source import Reading, Source
from bot.incidents import before, blast
from bot.incidents.looking import look_of, seen
from bot.sweep.trouble import Entry, Sweep, Trouble, Wait
from tests.factories import NOW, POLICY, a_node, a_pod
from tests.sweep.building import a_cluster_of, swept
from tests.why.builders_owners import a_deployment, a_member, a_replicaset, ago, an_event

DOWN = a_node("gpu-9", conditions=(Condition("Ready", "Unknown", since=ago(minutes=14)),))
DEPLOYMENT = a_deployment(replicas=4, status={"replicas": 4})
SET = a_replicaset(DEPLOYMENT, replicas=4, status={"replicas": 4}, created=ago(minutes=20))
MEMBERS = [a_member(SET, f"glm-{number}", node="gpu-1") for number in range(3)]
LOST = a_member(SET, "glm-3", node="gpu-9", conditions=(Condition("Ready", "False"),))


def test_a_node_that_is_down_hits_the_owner_of_its_pod_with_replicas_left() -> None:
    view = a_cluster_of(DOWN, a_node("gpu-1"), DEPLOYMENT, SET, *MEMBERS, LOST)
    look = look_of(swept(view), view, POLICY, Wanted(), Evidence(), NOW, {"llm/glm-0": 300.0, "llm/glm-3": 100.0})
    bundle = next(one for one in look.bundles if one.root.cause == "node.not_ready")
    hit = bundle.content.hits[0]
    assert (hit.owner, hit.ready, hit.wanted, hit.gpus, hit.tokens_share) == ("llm/glm", 3, 4, 1, 0.25)
    assert bundle.grave_nodes == {"gpu-9"}


def test_without_engines_the_share_of_tokens_is_not_known() -> None:
    view = a_cluster_of(DOWN, DEPLOYMENT, SET, LOST)
    entry = Entry(Trouble("node.not_ready", Severity.CRITICAL, "gpu-9 is gone", nodes=("gpu-9",)))
    assert blast.hits(entry, view, POLICY)[0].tokens_share is None


def test_an_owner_without_pods_is_hit_too() -> None:
    entry = Entry(Trouble("admission.quota", Severity.CRITICAL, "quota", owner="dev/nb"))
    assert [(one.owner, one.wanted) for one in blast.hits(entry, a_cluster_of(), POLICY)] == [("dev/nb", 0)]


def test_what_could_not_be_seen() -> None:
    view = a_cluster_of(
        a_node("gpu-1"), DEPLOYMENT, SET, *MEMBERS, a_pod("alone", conditions=(Condition("Ready", "False"),))
    )
    log = LogRef("llm", "glm-0", "vllm")
    found = seen(swept(view), view, Wanted((log,)), Evidence(missing={log: "timed out"}), NOW)
    assert found.told
    assert found.unread == {"llm/glm"}
    assert "llm/alone" in found.ill
    assert ("gpu.lost", "gpu-1") in found.blind


def test_a_connection_that_is_gone_shows_what_was() -> None:
    view = a_cluster_of(a_node("gpu-1"))
    view.sources["pods"] = Source("pods", Reading.STALE, NOW)
    assert not seen(swept(view), view, Wanted(), Evidence(), NOW).told


def test_who_only_stands_in_line_is_well_and_who_starts_is_not_yet() -> None:
    pods = [a_pod(name, node="", created=ago(hours=1)) for name in ("waits", "starts")]
    view = a_cluster_of(*pods)
    told = Sweep(waits=(Wait("llm/waits", "in line"), Wait("llm/starts", "loads", until="12:30")))
    assert seen(told, view, Wanted(), Evidence(), NOW).ill == {"llm/starts"}


def test_a_check_that_raised_is_an_alert_of_its_own() -> None:
    view = a_cluster_of(a_node("gpu-1"))
    look = look_of(Sweep(failed=("gpu.lost",)), view, POLICY, Wanted(), Evidence(), NOW)
    assert look.bundles[0].content.title == "The check gpu.lost failed; the others go on"


def test_what_changed_shortly_before() -> None:
    cordoned = an_event(DOWN, "NodeNotSchedulable", "Node gpu-9 status is now: NodeNotSchedulable", minutes=9)
    old = an_event(DOWN, "Rebooted", "long ago", minutes=300)
    view = a_cluster_of(DOWN, DEPLOYMENT, SET, LOST, cordoned, old)
    held = (Held(value="570.1", since=NOW - timedelta(days=9)), Held(value="580.2", since=NOW - timedelta(minutes=40)))
    past = FleetPast(cluster="test", nodes={"gpu-9": NodePast(node="gpu-9", parts={"driver": held}, seen_at=NOW)})
    content = look_of(swept(view), view, POLICY, Wanted(), Evidence(), NOW).bundles[0].content
    told = before.before(content, view, NOW, past)
    assert told == (
        "11:20 node gpu-9: driver 570.1 → 580.2",
        "11:40 deployment llm/glm: a new version was rolled out (glm-new)",
        "11:51 node gpu-9: Node gpu-9 status is now: NodeNotSchedulable",
    )

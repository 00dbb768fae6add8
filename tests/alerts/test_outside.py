"""Alertmanager's webhook: what it means, and what rubbish comes to."""

from typing import Any

import pytest

from bot.alerts.outside import from_alertmanager
from bot.domain.alert import Look, Seen
from bot.domain.alert_state import Kind
from bot.domain.errors import UsageError
from bot.domain.severity import Severity
from tests.alerts.building import Fleet, down

NODES = {"gpu-9": object()}


def a_payload(*alerts: dict[str, Any], version: str = "4", **more: Any) -> dict[str, Any]:
    return {"version": version, "receiver": "gpubot", "alerts": list(alerts), **more}


def told(status: str = "firing", **labels: str) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": "HighLatency", **labels},
        "annotations": {
            "summary": "p99 is 9 s.",
            "description": "for 10 m",
            "runbook_url": "https://runbooks.example/x",
        },
        "startsAt": "2026-11-30T11:00:00Z",
        "fingerprint": "abc",
    }


def test_what_it_says_in_our_words() -> None:
    labels = {"severity": "page", "namespace": "llm", "deployment": "glm", "team": "llm", "node": "gpu-9"}
    bundle = from_alertmanager(a_payload(told(**labels)), NODES).bundles[0]
    alert = bundle.root
    assert (alert.cause, alert.owner, alert.node, alert.team) == ("alertmanager.HighLatency", "llm/glm", "gpu-9", "llm")
    assert (alert.severity, alert.source) == (Severity.CRITICAL, "Alertmanager")
    assert bundle.content.title == "p99 is 9 s"
    assert "runbooks.example" in bundle.content.remedies[0].action


@pytest.mark.parametrize(
    ("labels", "node"),
    [
        pytest.param({"instance": "gpu-9:9100"}, "gpu-9", id="an instance with a port"),
        pytest.param({"Hostname": "gpu-9"}, "gpu-9", id="as DCGM calls it"),
        pytest.param({"node": "gpu-77"}, "", id="a node that is not there"),
        pytest.param({"instance": "10.0.0.1:9100"}, "", id="an address"),
    ],
)
def test_where_it_is(labels: dict[str, str], node: str) -> None:
    assert from_alertmanager(a_payload(told(**labels)), NODES).bundles[0].root.node == node


@pytest.mark.parametrize(
    ("payload", "words"),
    [
        pytest.param(a_payload(version="5"), "Version 5 of Alertmanager's webhook is not known; 4 is", id="a version"),
        pytest.param({"alerts": []}, "no webhook of Alertmanager", id="no version"),
        pytest.param([], "no webhook of Alertmanager", id="a list"),
        pytest.param("rubbish", "no webhook of Alertmanager", id="a text"),
        pytest.param(None, "no webhook of Alertmanager", id="nothing"),
        pytest.param({"version": "4", "alerts": [{"labels": {"a": 1}}]}, "no webhook", id="a label that is no text"),
        pytest.param({"version": "4", "alerts": 7}, "no webhook of Alertmanager", id="alerts that are none"),
    ],
)
def test_rubbish_is_refused_in_one_sentence(payload: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        from_alertmanager(payload, NODES)


def test_ten_megabytes_of_it_are_capped() -> None:
    long = "x" * 20_000
    found = from_alertmanager(a_payload(*[told(pod=f"{number}", note=long) for number in range(510)]), NODES)
    assert (len(found.bundles), found.left) == (500, 10)
    assert all(len(one.content.title) <= 400 and len(one.content.evidence[1]) <= 420 for one in found.bundles)


def test_foreign_words_are_made_harmless() -> None:
    nasty = told(namespace="llm", pod="<!channel>\x1b[31m", severity="page")
    nasty["annotations"] = {"summary": "<@U0ANA> look"}
    bundle = from_alertmanager(a_payload(nasty), NODES).bundles[0]
    assert "<!" not in bundle.root.subject
    assert "<@" not in bundle.content.title


def test_it_goes_the_same_way_and_is_over_when_its_source_says_so() -> None:
    fleet = Fleet()
    fired = from_alertmanager(a_payload(told(node="gpu-9")), NODES)
    fleet.see(Look(bundles=fired.bundles, seen=Seen(over=fired.over), swept=False))
    assert fleet.open == [1]
    fleet.look(times=50)
    assert fleet.open == [1]
    over = from_alertmanager(a_payload(told("resolved", node="gpu-9")), NODES)
    fleet.see(Look(bundles=over.bundles, seen=Seen(over=over.over), swept=False))
    assert fleet.open == []


def test_what_it_says_of_a_node_that_is_down_is_no_incident_of_its_own() -> None:
    fleet = Fleet()
    fleet.look(down("gpu-9"), times=2)
    fired = from_alertmanager(a_payload(told(node="gpu-9")), NODES)
    fleet.see(Look(bundles=fired.bundles, seen=Seen(), swept=False))
    assert fleet.open == [1]
    assert fleet.kinds(Kind.JOINED) == [Kind.JOINED]

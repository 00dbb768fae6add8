"""JUnit's XML: a suite for each pool, a case for each node and point, and nothing foreign that breaks the document."""

from xml.etree import ElementTree

from bot.checks.preflight.junit import junit
from bot.checks.preflight.report import Report
from tests.checks.preflight.fleets import a_fit_node, a_plugin, an_engine, fit, judged
from tests.factories import NOW
from tests.why.builders_stack import a_stack_view

HOSTILE = 'gpu"><failure/>&amp;]]>\x00\x1b[31m\ud800\u202e\ufffe<!-- '


def tree(found: Report, *silent: str) -> ElementTree.Element:
    return ElementTree.fromstring(junit(found, NOW, silent))


def test_a_suite_for_each_pool_and_a_case_for_each_node_and_point() -> None:
    root = tree(judged(fit(a_fit_node("gpu-2"), a_plugin("gpu-2"), a_fit_node("a10-1", pool="a10"))))
    assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("a10", "10"), ("h200", "20")]
    assert [case.get("classname") for case in root.iter("testcase")] == ["a10-1"] * 10 + ["gpu-1"] * 10 + ["gpu-2"] * 10
    assert root[0][0].get("name") == "01 driver: driver lists all GPUs, none is broken"
    assert root[0].get("timestamp") == "2026-11-30T12:00:00"


def test_not_ok_fails_with_evidence_and_fix_and_unknown_is_skipped() -> None:
    root = tree(judged(a_stack_view(a_fit_node(healthy=7), a_plugin())))
    assert (root.get("tests"), root.get("failures"), root.get("skipped"), root.get("errors")) == ("10", "1", "2", "0")
    [failure] = root.iter("failure")
    assert failure.get("type") == "plugin.unhealthy"
    assert "offers 7 of its 8" in (failure.get("message") or "")
    assert "capacity 8, allocatable 7" in (failure.text or "")
    assert "\nfix: Look at the GPU first" in (failure.text or "")
    assert [one.get("message") for one in root.iter("skipped")][1].startswith("gpu-1 runs no engine")  # type: ignore[union-attr]


def test_foreign_names_stay_text() -> None:
    view = a_stack_view(a_fit_node(HOSTILE, pool=HOSTILE), an_engine(HOSTILE, node=HOSTILE, image=HOSTILE))
    document = junit(judged(view), NOW)
    root = ElementTree.fromstring(document)
    assert [len(suite) for suite in root] == [10]
    assert not list(root.iter("failure"))
    assert b"\x1b" not in document
    assert (root[0].get("name") or "").startswith('gpu"><failure/>&amp;]]>')


def test_nodes_that_nobody_could_read_are_one_skipped_case() -> None:
    root = tree(judged(a_stack_view(unread=("nodes",))), "nodes", "pods")
    [case] = root.iter("testcase")
    assert [one.get("message") for one in case] == ["not read: nodes, pods"]
    assert root.get("skipped") == "1"


def test_no_gpu_node_is_one_skipped_case() -> None:
    assert [one.get("message") for one in tree(judged(a_stack_view())).iter("skipped")] == ["no GPU node was found"]

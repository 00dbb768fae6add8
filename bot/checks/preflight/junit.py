"""The checklist as JUnit's XML: a test suite for each pool, a test case for each node and point.

A failure is a point that is not OK, a skipped case one that is unknown. The form that Jenkins, GitLab and GitHub's
reporters read (testmoapp/junitxml); text is made by xml.etree, after characters that XML cannot hold were taken out.
"""

from collections.abc import Sequence
from datetime import datetime
from xml.etree import ElementTree

from bot.checks.preflight.point import Outcome, Point, State
from bot.checks.preflight.report import NodeReport, Report, points
from bot.domain.text import inert

LONGEST = 1_000


def junit(report: Report, now: datetime, silent: Sequence[str] = ()) -> bytes:
    """The whole document. `silent`: kinds that could not be read; without a node they are its one skipped case."""
    suites = [_suite(pool, nodes, now) for pool, nodes in report.pools.items()] or [_nothing(silent, now)]
    root = ElementTree.Element("testsuites", {"name": "gpubot preflight", **_sums(suites)})
    root.extend(suites)
    ElementTree.indent(root)
    document: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return document + b"\n"


def _suite(pool: str, nodes: Sequence[NodeReport], now: datetime) -> ElementTree.Element:
    cases = [
        _case(node, point, outcome) for node in nodes for point, outcome in zip(points(), node.points, strict=True)
    ]
    return _with(pool, cases, now)


def _nothing(silent: Sequence[str], now: datetime) -> ElementTree.Element:
    case = ElementTree.Element("testcase", classname="fleet", name="GPU nodes", time="0")
    why = f"not read: {', '.join(silent)}" if silent else "no GPU node was found"
    ElementTree.SubElement(case, "skipped", message=inert(why, LONGEST))
    return _with("no GPU nodes", [case], now)


def _with(name: str, cases: list[ElementTree.Element], now: datetime) -> ElementTree.Element:
    suite = ElementTree.Element(
        "testsuite",
        name=inert(name, LONGEST),
        timestamp=f"{now:%Y-%m-%dT%H:%M:%S}",
        tests=str(len(cases)),
        failures=str(sum(case.find("failure") is not None for case in cases)),
        errors="0",
        skipped=str(sum(case.find("skipped") is not None for case in cases)),
        time="0",
    )
    suite.extend(cases)
    return suite


def _case(node: NodeReport, point: Point, outcome: Outcome) -> ElementTree.Element:
    case = ElementTree.Element(
        "testcase", classname=inert(node.name, LONGEST), name=f"{point.number:02} {point.id}: {point.title}", time="0"
    )
    message = inert(outcome.sentence, LONGEST)
    if outcome.state is State.NOT_OK:
        failure = ElementTree.SubElement(case, "failure", message=message, type=inert(outcome.reason, LONGEST))
        failure.text = _body(outcome)
    elif outcome.state is State.UNKNOWN:
        ElementTree.SubElement(case, "skipped", message=message)
    else:
        ElementTree.SubElement(case, "system-out").text = "\n".join([message, *_lines(outcome.evidence)])
    return case


def _body(outcome: Outcome) -> str:
    helps = [
        inert(f"fix: {one.action}{f': {one.command}' if one.command else ''}", LONGEST) for one in outcome.remedies
    ]
    follows = [f"follows from the point {outcome.follows}"] if outcome.follows else []
    return "\n".join([*follows, *_lines(outcome.evidence), *helps])


def _lines(texts: Sequence[str]) -> list[str]:
    return [inert(text, LONGEST) for text in texts]


def _sums(suites: Sequence[ElementTree.Element]) -> dict[str, str]:
    kinds = ("tests", "failures", "errors", "skipped")
    return {kind: str(sum(int(suite.get(kind, "0")) for suite in suites)) for kind in kinds}

"""Objects out of documents and lists of any kind, and what is no object."""

from pathlib import Path

import pytest

from bot.adapters.files.objects import objects
from bot.domain.errors import ConfigError

POD = '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}}'
JOB = '{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"b"}}'


def found(text: str, name: str = "objects.json") -> list[tuple[str, str, int]]:
    return [(item.group, item.kind, item.place.line) for item in objects(text.encode(), Path(name))]


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        pytest.param(POD, "a.json", [("", "Pod", 1)], id="one JSON object"),
        pytest.param(POD, "a.yaml", [("", "Pod", 1)], id="JSON in a file that says YAML"),
        pytest.param(POD, "-", [("", "Pod", 1)], id="JSON from standard input"),
        pytest.param("kind: Pod\n---\nkind: Job\napiVersion: batch/v1\n", "-", [("", "Pod", 1), ("batch", "Job", 3)], id="YAML from standard input"),
        pytest.param(f"[{POD}, {JOB}]", "a.json", [("", "Pod", 1), ("batch", "Job", 1)], id="a bare array"),
        pytest.param(f"{POD}\n\n{JOB}\n", "a.json", [("", "Pod", 1), ("batch", "Job", 3)], id="one after the other"),
        pytest.param(f'{{"kind":"List","apiVersion":"v1","items":[{POD},{JOB}]}}', "a.json", [("", "Pod", 1), ("batch", "Job", 1)], id="a List"),
        pytest.param('{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a"}}]}', "a.json", [("", "Pod", 1)], id="items of a typed list that do not say what they are"),
        pytest.param('{"kind":"PodList","apiVersion":"v1","items":null}', "a.json", [], id="a list of nothing"),
        pytest.param("kind: JobList\napiVersion: batch/v1\nitems:\n- metadata: {name: a}\n", "a.yml", [("batch", "Job", 1)], id="a typed list in YAML"),
        pytest.param('{"kind":"PriceList","apiVersion":"acme.com/v1"}', "a.json", [("acme.com", "PriceList", 1)], id="a kind whose name only ends like a list"),
        pytest.param(f"{POD}\n==== START logs for container x of pod a/b ====\n{{ not json\n==== END logs for container x of pod a/b ====\n{JOB}", "-", [("", "Pod", 1), ("batch", "Job", 5)], id="a dump on standard output, with logs in between"),
    ],
)  # fmt: skip
def test_finds(text: str, name: str, expected: list[tuple[str, str, int]]) -> None:
    assert found(text, name) == expected


@pytest.mark.parametrize(
    ("text", "name", "says"),
    [
        pytest.param('{"metadata":{}}', "a.json", r"a\.json, line 1: an object without `kind`", id="no kind"),
        pytest.param("kind: Pod\n---\nname: x\n", "a.yaml", r"a\.yaml, line 3: an object without `kind`", id="no kind in the second document"),
        pytest.param('{"kind":"List","items":[{"metadata":{}}]}', "a.json", "an object without `kind`", id="no kind in a List"),
        pytest.param('{"kind":7}', "a.json", "not a Kubernetes object", id="a kind that is a number"),
        pytest.param("just words\n", "a.yaml", "not a Kubernetes object", id="prose"),
        pytest.param('{"kind":"PodList","items":{"a":1}}', "a.json", "`items` are no list", id="items that are no list"),
        pytest.param('{"kind":"Pod",\n "metadata": {]}', "a.json", r"a\.json, line 2, column 15: not JSON", id="broken JSON"),
        pytest.param('{"kind":"Pod"', "a.json", r"line 1, column 14: not JSON", id="JSON cut off"),
        pytest.param("[" * 100_000, "a.json", "JSON that cannot be read", id="JSON nested without end"),
        pytest.param("[[[[" + POD + "]]]]", "a.json", "lists inside lists", id="lists in lists"),
        pytest.param("? [a, b]\n: c\nkind: Pod\n", "a.yaml", "a.yaml", id="a key that is a list"),
    ],
)  # fmt: skip
def test_refuses(text: str, name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        found(text, name)

"""Things are read through fields, found under their kind's plural, and called as people type them."""

import pytest

from bot.domain.thing import Thing, plural


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("Deployment", "deployments"),
        ("Ingress", "ingresses"),
        ("NetworkPolicy", "networkpolicies"),
        ("ClusterPolicy", "clusterpolicies"),
        ("RuntimeClass", "runtimeclasses"),
        ("HorizontalPodAutoscaler", "horizontalpodautoscalers"),
        ("LimitRange", "limitranges"),
        ("Batch", "batches"),
        ("Box", "boxes"),
    ],
)
def test_a_kind_has_its_table(kind: str, table: str) -> None:
    assert plural(kind) == table


@pytest.mark.parametrize(
    ("thing", "key", "title"),
    [
        (Thing(name="glm", namespace="llm", kind="Deployment"), "llm/glm", "deployment/glm"),
        (Thing(name="team-a", kind="ClusterQueue"), "team-a", "clusterqueue/team-a"),
    ],
)
def test_a_thing_is_called(thing: Thing, key: str, title: str) -> None:
    assert (thing.key, thing.title) == (key, title)


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"null", b"3", b"\xff", b'{"spec":', b"[" * 100_000])
def test_what_is_no_object_reads_as_an_empty_one(raw: bytes) -> None:
    assert not Thing(name="x", kind="Job", raw=raw).fields


def test_spec_and_status_are_read_and_oddities_collected() -> None:
    thing = Thing(name="x", namespace="llm", kind="Job", raw=b'{"spec":{"parallelism":"two"},"status":{"active":1}}')
    odd: list[str] = []
    assert thing.fields.number("status", "active") == 1
    assert thing.told(odd).number("spec", "parallelism") is None
    assert odd == ["Job llm/x: spec.parallelism"]

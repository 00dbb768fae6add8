"""What was found out about a record is asked again of its successor only, and about no other record's."""

import msgspec

from bot.domain.node import Node
from bot.domain.pod import Pod
from bot.domain.remembered import of_latest
from tests.factories import a_node, a_pod, a_view

ASKED: list[str] = []


def _shape(node: Node) -> int:
    ASKED.append(node.name)
    return len(node.labels)


def _odd(pod: Pod) -> bool:
    ASKED.append(pod.key)
    return pod.name.startswith("odd")


@of_latest
def _labelled(node: Node, by: int) -> int:
    ASKED.append(node.name)
    return by * len(node.labels)


def test_only_nodes_that_changed_are_asked_again() -> None:
    view = a_view(a_node("n1"), a_node("n2"))
    before = dict(view.each_node(_shape))
    ASKED.clear()
    view.put("nodes", "n2", a_node("n2", labels={"a": "1"}))
    view.put("nodes", "n3", a_node("n3"))
    view.take("nodes", "n1")
    assert view.each_node(_shape) == {"n2": 1, "n3": before["n1"]}
    assert sorted(ASKED) == ["n2", "n3"]


def test_places_follow_the_names_as_people_sort_them() -> None:
    view = a_view(a_node("gpu-10"), a_node("gpu-9"))
    assert view.places() == {"gpu-9": 0, "gpu-10": 1}
    view.put("nodes", "gpu-1", a_node("gpu-1"))
    view.take("nodes", "gpu-9")
    assert view.places() == {"gpu-1": 0, "gpu-10": 1}


def test_only_pods_that_came_or_are_called_otherwise_are_asked_again() -> None:
    view = a_view(a_pod("odd-1"), a_pod("even-2"))
    assert [pod.name for pod in view.pods_that(_odd)] == ["odd-1"]
    ASKED.clear()
    first = next(pod for pod in view.pods.values() if pod.name == "odd-1")
    other = msgspec.structs.replace(first, phase="Failed")
    view.put("pods", first.key, other)
    assert view.pods_that(_odd) == [other]
    assert not ASKED, "only how it stands has changed"
    view.take("pods", first.key)
    assert view.pods_that(_odd) == []


def test_pods_of_one_name_are_found_in_every_namespace() -> None:
    view = a_view(a_pod("a", namespace="one"), a_pod("a", namespace="two"), a_pod("b", namespace="three"))
    assert [pod.key for pod in view.pods_named("a")] == ["one/a", "two/a"]
    assert [pod.key for pod in view.pods_named("b")] == ["three/b"]
    assert view.pods_named("c") == []
    view.take("pods", "three/b")
    assert (view.pods_named("b"), set(view.inhabited)) == ([], {"one", "two"})


def test_an_answer_holds_for_one_record_and_its_arguments() -> None:
    node = a_node("n1", labels={"a": "1"})
    ASKED.clear()
    assert (_labelled(node, 2), _labelled(node, 2), _labelled(node, 3)) == (2, 2, 3)
    assert ASKED == ["n1", "n1"]
    assert _labelled(a_node("n1", labels={"a": "1", "b": "2"}), 2) == 4

"""An event speaks of one object, and was last seen at the latest time that it tells of."""

import pytest

from bot.domain.event import Event


@pytest.mark.parametrize(
    ("times", "latest"),
    [
        ({"last": "3", "first": "2", "created": "1"}, "3"),
        ({"first": "2", "created": "1"}, "2"),
        ({"created": "1"}, "1"),
        ({}, ""),
    ],
)
def test_it_was_last_seen(times: dict[str, str], latest: str) -> None:
    assert Event(name="e", namespace="llm", **times).time == latest


def test_it_is_about_one_object() -> None:
    event = Event(name="e", namespace="llm", about_kind="Pod", about_namespace="llm", about_name="glm-0")
    assert event.about == ("Pod", "llm", "glm-0")

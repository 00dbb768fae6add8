"""What the kubelet's events say of a pull."""

import pytest

from bot.deploying.rollout.pulling import Pull, pull, size_elsewhere
from bot.domain.event import Event

IMAGE = "vllm/vllm-openai:v0.33.0"
OTHER = "python:3.12-slim"


def event(reason: str, message: str, pod: str = "glm-a") -> Event:
    return Event(
        name=f"{pod}.{reason}", namespace="llm", about_kind="Pod", about_name=pod, reason=reason, message=message
    )


def pulled(took: str, size: str = "", image: str = IMAGE) -> Event:
    return event("Pulled", f'Successfully pulled image "{image}" in {took} ({took} including waiting).{size}')


PULLS = [
    pytest.param([], Pull(), id="nothing said"),
    pytest.param([event("Pulling", f'Pulling image "{IMAGE}"')], Pull(going=True), id="it goes on"),
    pytest.param([event("Pulling", f'Pulling image "{OTHER}"')], Pull(), id="another container's"),
    pytest.param([event("Failed", f'Failed to pull image "{IMAGE}": denied')], Pull(), id="it failed"),
    pytest.param(
        [pulled("2m40.5s", " Image size: 21474836480 bytes."), event("Pulling", f'Pulling image "{IMAGE}"')],
        Pull(False, 160.5, 21_474_836_480),
        id="it is there, with its size",
    ),
    pytest.param([pulled("850ms")], Pull(False, 0.85, 0), id="without its size, as before 1.30"),
    pytest.param([pulled("1h2m3s")], Pull(False, 3723.0, 0), id="an hour"),
    pytest.param(
        [event("Pulled", f'Container image "{IMAGE}" already present on machine')], Pull(), id="it was there already"
    ),
    pytest.param([event("Pulled", f'"{IMAGE}" in 9..9..9s Image size: lots bytes')], Pull(), id="odd figures"),
]


@pytest.mark.parametrize(("events", "wanted"), PULLS)
def test_a_pull(events: list[Event], wanted: Pull) -> None:
    found = pull(events, IMAGE)
    assert (found.going, found.size_bytes) == (wanted.going, wanted.size_bytes)
    assert found.seconds == pytest.approx(wanted.seconds) if wanted.seconds is not None else True


def test_its_size_is_known_from_another_pods_pull() -> None:
    events = [pulled("1s", " Image size: 5 bytes.", OTHER), pulled("2s"), pulled("3s", " Image size: 9000 bytes.")]
    assert size_elsewhere(events, IMAGE) == 9000
    assert size_elsewhere(events[:2], IMAGE) == 0

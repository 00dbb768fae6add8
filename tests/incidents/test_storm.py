"""750 nodes fail within five minutes: one thread for each cause, few messages, and nothing lost when they come back."""

from bot.domain.alert import Alert, Bundle
from bot.domain.incident import IncidentState
from tests.alerts.building import a_bundle, an_alert
from tests.incidents.building import Watch

NAMES = [f"n{number}" for number in range(750)]
NODES = frozenset(NAMES)
CAUSES = ("node.not_ready", "driver.missing", "plugin.missing")
LOOKS = 10  # in five minutes


def failing(names: list[str]) -> list[Bundle]:
    """Each third of them in its own way, each with a model on it."""
    found = []
    for place, cause in enumerate(CAUSES):
        mine = [name for name in names if int(name[1:]) % 3 == place]
        roots: list[Alert] = [an_alert(cause, node=name) for name in mine]
        models = [an_alert("crash.gpu-lost", owner=f"llm/{name}", follows=True) for name in mine[:40]]
        if roots:
            found.append(a_bundle(roots[0], *roots[1:], *models, nodes=tuple(mine), places=()))
    return found


def test_one_thread_for_each_cause_and_no_lost_end() -> None:
    watch = Watch()
    for step in range(1, LOOKS + 1):
        watch.look(*failing(NAMES[: step * 75]), nodes=NODES)
    assert [one.content.cause for one in watch.book.alive()] == list(CAUSES)
    assert watch.threads == ["incident/prod/1", "incident/prod/2", "incident/prod/3"]
    assert [len(one.content.nodes) for one in watch.book.alive()] == [250, 250, 250]
    assert watch.calls <= 300, "one message a second for five minutes"
    watch.look(*failing(NAMES), times=60, nodes=NODES)
    calls = watch.calls
    for step in range(1, LOOKS + 1):
        watch.look(*failing(NAMES[step * 75 :]), nodes=NODES)
    watch.look(times=3, nodes=NODES)
    assert list(watch.book.alive()) == []
    assert [one.state for one in watch.book.incidents.values()] == [IncidentState.RESOLVED] * 3
    assert watch.calls - calls <= 300


def test_seventy_faults_of_seventy_kinds_are_a_digest_and_five_threads() -> None:
    watch = Watch()
    many = [a_bundle(an_alert(f"cause.{number}", node=f"n{number}")) for number in range(70)]
    for step in range(1, LOOKS + 1):
        watch.look(*many[: step * 7], nodes=NODES)
    assert len(watch.threads) == 6
    assert len(list(watch.book.alive())) == 63
    assert watch.calls <= 60
    watch.look(times=4, nodes=NODES)
    assert list(watch.book.alive()) == []
    assert "0 last, 58 over" in watch.posted["storm/prod/6/C0OPS"].text

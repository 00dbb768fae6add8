"""Names of alerts last: the same fault has the same name in each sweep, whatever numbers stand in its sentence."""

from bot.alerts.fingerprint import bundle
from bot.domain.severity import Severity
from bot.sweep.trouble import Entry, Trouble
from tests.factories import a_pod


def names(*troubles: Trouble) -> list[str]:
    return [one.fingerprint for one in bundle(Entry(troubles[0], troubles[1:]), {}, ()).alerts]


def a_trouble(cause: str = "gpu.lost", sentence: str = "gpu-9 lost a GPU", **more: object) -> Trouble:
    return Trouble(cause, Severity.CRITICAL, sentence, **more)  # type: ignore[arg-type]  # a table of fields


def test_numbers_and_words_do_not_matter() -> None:
    one, other = a_trouble(sentence="3 min ago", nodes=("gpu-9",)), a_trouble(sentence="4 min ago", nodes=("gpu-9",))
    assert names(one) == names(other)


def test_a_pod_that_is_made_anew_is_the_same_owner() -> None:
    before = a_trouble("crash.oom", owner="llm/glm", pods=(a_pod("glm-1"),), nodes=("gpu-1",))
    after = a_trouble("crash.oom", owner="llm/glm", pods=(a_pod("glm-2"),), nodes=("gpu-2",))
    assert names(before) == names(after)


def test_gpus_nodes_causes_and_owners_differ() -> None:
    every = [
        a_trouble(nodes=("gpu-9",), about="GPU-a"),
        a_trouble(nodes=("gpu-9",), about="GPU-b"),
        a_trouble(nodes=("gpu-8",), about="GPU-a"),
        a_trouble("gpu.count", nodes=("gpu-9",)),
        a_trouble("crash.oom", owner="llm/glm"),
        a_trouble("crash.oom", owner="llm/air"),
    ]
    assert len({name for one in every for name in names(one)}) == len(every)


def test_the_same_fault_on_many_nodes_is_one_alert_for_each_with_one_root() -> None:
    few = a_trouble("driver.missing", nodes=("gpu-1", "gpu-2"))
    more = a_trouble("driver.missing", nodes=("gpu-0", "gpu-1", "gpu-2"))
    assert set(names(few)) < set(names(more))
    assert not any(one.follows for one in bundle(Entry(more), {}, ()).alerts)

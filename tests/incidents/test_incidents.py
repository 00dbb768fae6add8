"""An incident's way, from the first sign to the end, with what people do on it and what is told of it."""

import pytest

from bot.domain.alert import Hit
from bot.domain.errors import BotError, ConflictError, NotFoundError, UsageError
from bot.domain.incident import Deed, Happening, IncidentState
from tests.alerts.building import a_bundle, an_alert, crashing, down, lost
from tests.incidents.building import BEN, Watch

OPEN, ACKNOWLEDGED, MITIGATED = IncidentState.OPEN, IncidentState.ACKNOWLEDGED, IncidentState.MITIGATED
RESOLVED, CLOSED, MERGED = IncidentState.RESOLVED, IncidentState.CLOSED, IncidentState.MERGED


def test_from_the_first_sign_to_the_end() -> None:
    watch = Watch()
    watch.look(down("gpu-9", "llm/glm"), times=2, before=("11:58 node gpu-9: cordoned",))
    assert watch.threads == ["incident/prod/1"]
    assert "critical, prod: gpu-9: node.not_ready" in watch.posted["incident/prod/1"].text
    assert "11:58 node gpu-9: cordoned" in watch.posted["incident/prod/1/evidence"].text
    watch.do(Deed.TAKE)
    assert (watch.incident().state, watch.incident().taken_by) == (ACKNOWLEDGED, "U0ANA")
    watch.look(times=3)
    assert watch.incident().state is RESOLVED
    assert "🟢 over, prod" in watch.posted["incident/prod/1"].text
    assert "lasted 1 min" in watch.posted["incident/prod/1"].text
    watch.look(times=70)
    assert watch.incident().state is CLOSED
    assert watch.story() == [Happening.OPENED, Happening.TAKEN, Happening.CLEARED, Happening.LAPSED]
    assert "incident/prod/1/2" in watch.posted
    assert "incident/prod/1/3" not in watch.posted, "that it stayed away is no news"


def test_a_quiet_hour_of_the_same_says_nothing_more() -> None:
    watch = Watch()
    watch.look(down("gpu-9", "llm/glm"), times=2)
    calls = watch.calls
    watch.look(down("gpu-9", "llm/glm"), times=120)
    assert watch.calls == calls


def test_only_the_root_mentions_and_only_once() -> None:
    watch = Watch()
    watch.look(down("gpu-9", "llm/glm"), times=2)
    watch.do(Deed.NOTE, text="the power supply is dead")
    watch.look(down("gpu-9", "llm/glm", "dev/nb"), times=3)
    mentions = [key for key, post in watch.posted.items() if "S0ONCALL" in str(post.blocks)]
    assert mentions == ["incident/prod/1"]
    assert str(watch.posted["incident/prod/1"].blocks).count("S0ONCALL") == 1
    replies = [post for post in watch.posted.values() if post.thread]
    assert not any("'user" in str(post.blocks) for post in replies)


def test_it_is_mitigated_when_everything_it_hit_is_whole_again_elsewhere() -> None:
    watch = Watch()
    glm = an_alert("node.lost", owner="llm/glm")
    root = an_alert("node.not_ready", node="gpu-9")
    watch.look(a_bundle(root, glm, hits=(Hit(owner="llm/glm", ready=3, wanted=4, gpus=8),)), times=2)
    watch.look(a_bundle(root, hits=()), times=2)
    assert watch.incident().state is MITIGATED
    watch.look(a_bundle(root, glm, hits=(Hit(owner="llm/glm", ready=2, wanted=4, gpus=8),)))
    assert watch.incident().state is OPEN
    assert Happening.WORSENED in watch.story()


def test_nobody_was_hit_and_so_nothing_is_mitigated() -> None:
    watch = Watch()
    watch.look(lost(), times=9)
    assert watch.incident().state is OPEN


def test_it_comes_back_in_its_own_thread_with_who_had_it() -> None:
    watch = Watch()
    watch.look(lost(), times=2)
    watch.do(Deed.TAKE)
    watch.look(times=3)
    watch.look(lost(), times=2)
    assert (watch.incident().state, watch.incident().reopened) == (ACKNOWLEDGED, 1)
    assert watch.threads == ["incident/prod/1"]


def test_it_can_be_handed_on_and_taken_over() -> None:
    watch = Watch()
    watch.look(lost(), times=2)
    watch.do(Deed.HAND, person="U0BEN")
    assert (watch.incident().state, watch.incident().taken_by) == (ACKNOWLEDGED, "U0BEN")
    watch.do(Deed.TAKE)
    assert watch.incident().taken_by == "U0ANA"
    with pytest.raises(ConflictError, match="You have incident 1 already"):
        watch.do(Deed.TAKE)


def test_what_a_person_merged_stays_together_and_ends_together() -> None:
    watch = Watch()
    watch.look(lost("gpu-1"), crashing("llm/a", node="gpu-3"), times=2)
    watch.do(Deed.MERGE, 2, other=1)
    assert (watch.incident(2).state, watch.incident(2).into) == (MERGED, 1)
    watch.look(lost("gpu-1"), crashing("llm/a", node="gpu-3"), times=60)
    assert [one.number for one in watch.book.alive()] == [1]
    watch.look(lost("gpu-1"), times=6)
    assert watch.incident(1).state is MITIGATED
    watch.look(times=3)
    assert watch.incident(1).state is RESOLVED


def test_what_a_person_closed_is_not_told_again_until_it_was_gone() -> None:
    watch = Watch()
    watch.look(lost(), times=2)
    watch.do(Deed.CLOSE, text="known, the card is on its way")
    calls = watch.calls
    watch.look(lost(), times=60)
    assert (watch.calls, watch.incident().state) == (calls, CLOSED)
    watch.look(times=4)
    watch.look(lost(), times=2)
    assert [one.number for one in watch.book.alive()] == [2]
    assert watch.incident(2).known == (1,)


def test_what_was_closed_by_mistake_can_be_opened_while_it_fires() -> None:
    watch = Watch()
    watch.look(lost(), times=2)
    watch.do(Deed.CLOSE)
    watch.do(Deed.REOPEN, text="it is not gone")
    watch.look(lost(), times=3)
    assert (watch.incident().state, watch.incident().reopened) == (OPEN, 1)


def test_taking_one_of_a_storm_opens_its_thread() -> None:
    watch = Watch()
    many = [crashing(f"llm/m{number}", node=f"cpu-{number}") for number in range(12)]
    watch.look(*many, times=3)
    assert [key for key in watch.threads if key.startswith("storm/")] == ["storm/prod/6/C0OPS"]
    assert len(watch.threads) == 6
    watch.do(Deed.TAKE, 9)
    assert "incident/prod/9" in watch.threads
    watch.look(times=3)
    assert "0 last, 7 over" in watch.posted["storm/prod/6/C0OPS"].text


@pytest.mark.parametrize(
    ("deed", "more", "error", "words"),
    [
        pytest.param(Deed.TAKE, {"number": 9}, NotFoundError, "There is no incident 9", id="one that is not there"),
        pytest.param(Deed.HAND, {}, UsageError, "to whom", id="to nobody"),
        pytest.param(Deed.NOTE, {}, UsageError, "what to note", id="nothing to note"),
        pytest.param(Deed.MERGE, {"other": 1}, UsageError, "the same as itself", id="with itself"),
        pytest.param(Deed.MERGE, {"other": 5}, NotFoundError, "no incident 5", id="with one that is not there"),
        pytest.param(Deed.REOPEN, {}, ConflictError, "it cannot be reopened now", id="open already"),
    ],
)
def test_what_cannot_be_done_says_why_and_changes_nothing(
    deed: Deed, more: dict[str, object], error: type[BotError], words: str
) -> None:
    watch = Watch()
    watch.look(lost(), times=2)
    book = watch.book
    with pytest.raises(error, match=words):
        watch.do(deed, by=BEN, **more)  # type: ignore[arg-type]  # a table of fields
    assert watch.book is book

"""The same event, delivered again, is answered once."""

from bot.slack.redelivery import KEPT_AT_MOST, KEPT_SECONDS, Redelivery


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_first_delivery_counts_and_repeats_do_not() -> None:
    guard = Redelivery(Clock())
    assert [guard.is_first("a"), guard.is_first("a"), guard.is_first("b")] == [True, False, True]


def test_a_key_is_forgotten_after_ten_minutes() -> None:
    clock = Clock()
    guard = Redelivery(clock)
    guard.is_first("a")
    clock.now = KEPT_SECONDS
    assert not guard.is_first("a")
    clock.now = KEPT_SECONDS + 1
    assert guard.is_first("a")


def test_memory_is_bounded() -> None:
    guard = Redelivery(Clock())
    for index in range(KEPT_AT_MOST + 500):
        guard.is_first(str(index))
    assert len(guard._seen) <= KEPT_AT_MOST + 1

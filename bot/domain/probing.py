"""What asking a served model brought: whether it answers as it should, and how fast."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A Service in front of engines. model: the name that requests give. tools: whether tool calls have to parse."""

    namespace: str
    service: str
    port: int
    model: str
    tools: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """What `at_once` requests at the same time got. Seconds are the middle of all; failed: how many got no answer."""

    at_once: int
    first_token_seconds: float | None
    tokens_per_second: float
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Smoke:
    """`answer`: the beginning of what it said. wrong: why it is no answer, or the tool call none; empty where all is
    well.
    """

    answer: str
    paces: tuple[Pace, ...] = ()
    called: bool | None = None  # whether a tool call came and parsed; None: none was asked for
    wrong: str = ""

    @property
    def ok(self) -> bool:
        return not self.wrong

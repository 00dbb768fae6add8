"""What came of asking one program on a node."""

from dataclasses import dataclass

ANSWER_MAX_BYTES = 10 * 2**20
LONGEST_WORDS = 300  # of another program's own words in a sentence of ours


@dataclass(frozen=True, slots=True)
class Told:
    """`trouble` says why nothing came; beside an answer it says what is odd about that."""

    data: bytes | None = None
    trouble: str = ""


class NotToldError(Exception):
    """Its text is the reason, as a clause. `out_of_reach`: we never got as far as the program itself."""

    def __init__(self, reason: str, *, out_of_reach: bool = False) -> None:
        super().__init__(reason)
        self.out_of_reach = out_of_reach


def too_long(at_most: int) -> NotToldError:
    return NotToldError(f"the answer is longer than {at_most / 2**20:g} MiB")


def too_late(seconds: float) -> NotToldError:
    return NotToldError(f"no answer within {max(seconds, 0.0):.2g} s")

"""One rule that lets in only some of the replicas asked for."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ration:
    """Lets in only `room` of the replicas asked for. `why` continues "2 would …: ".

    look: what to type to see more, and `shows` what. refuses: pods beyond that are not made at all, as with a quota;
    else they are made and wait.
    """

    room: int
    why: str
    kind: str
    look: str = ""
    refuses: bool = True
    shows: str = "See how much is used, and by whom"

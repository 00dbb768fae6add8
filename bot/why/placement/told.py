"""The one sentence about a pod that no node takes, with what belongs to it."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Headline:
    """As of a finding (bot.why.finding)."""

    id: str
    sentence: str
    evidence: tuple[str, ...] = ()
    useless: tuple[str, ...] = ()
    numbers: dict[str, object] = field(default_factory=dict)

"""How far an engine is, by the last milestone in its log.

Durations that are normal: 2 to 8 minutes to load from NVMe and 10 to 25 over NFS, 10 to 20 minutes of compiling with a
cold cache. Whether it still moves is for the reader of several logs, or of one log and the time, to judge.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from bot.domain.pattern import Pattern
from bot.domain.text import inert
from bot.serving.answers import Answers, count_answers
from bot.serving.bar import Bar, read_bar
from bot.serving.lines import Line
from bot.serving.load import Load, read_load
from bot.serving.mask import mask
from bot.serving.milestones import VERSION, Milestone, milestone_in
from bot.serving.phase import DOING, STARTED, Phase, Wait
from bot.serving.stamp import Stamp

_WAITED = Pattern(r"placement group of specs for (\d{1,7}) seconds")
_LOADING = frozenset({Phase.LOAD, Phase.COMPILE, Phase.WARM})


@dataclass(frozen=True, slots=True)
class Progress:
    """`since`: when this phase began, `last`: the newest time in the log; both only as far as lines carry a time."""

    phase: Phase
    line: str  # of the milestone, masked
    counts: str = ""  # what `bar` counts: shards, files, bytes, graphs
    bar: Bar = field(default_factory=Bar)
    waits_for: Wait | None = None
    waited_seconds: int | None = None
    since: Stamp | None = None
    last: Stamp | None = None
    engine: str = ""
    version: str = ""
    answers: Answers = field(default_factory=Answers)
    load: Load | None = None

    @property
    def started(self) -> bool:
        return self.phase in STARTED

    @property
    def summary(self) -> str:
        """`loading the weights: 66 of 93 shards, 70 %, about 4 min left`."""
        if self.waits_for:
            waited = f", for {self.waited_seconds} s" if self.waited_seconds else ""
            return f"waiting for {self.waits_for.value}{waited}"
        bar = self.bar
        parts = [
            f"{bar.done} of {bar.total} {self.counts}" if bar.total else "",
            f"{bar.percent:.0f} %" if bar.percent is not None else "",
            f"about {max(1, round(bar.left_seconds / 60))} min left" if bar.left_seconds else "",
        ]
        figures = ", ".join(part for part in parts if part)
        return f"{DOING[self.phase]}: {figures}" if figures else DOING[self.phase]


@dataclass(frozen=True, slots=True)
class Course:
    """The milestones of a log, by line. `begins`: the line from which on the last run of the engine counts."""

    reached: tuple[tuple[int, Milestone], ...]
    begins: int
    progress: Progress | None

    def phase_at(self, index: int) -> Phase | None:
        """What the engine was doing when it wrote that line."""
        phase = None
        for line, milestone in self.reached:
            if line > index:
                break
            phase = milestone.phase
        return phase

    def moved_on(self, index: int) -> bool:
        """Whether a milestone that is no waiting comes after that line."""
        return bool(self.reached) and any(
            line > index and milestone.phase is not Phase.WAITING for line, milestone in self.reached[-200:]
        )


def follow(lines: Sequence[Line]) -> Course:
    """Milestones, where the last run begins, and how far it is."""
    reached = tuple(_reached(lines))
    begins = max(
        (index for index, milestone in reached if milestone.begins or milestone.phase is Phase.READY), default=0
    )
    return Course(reached, begins, _progress(lines, reached) if reached else _listens(lines))


def _reached(lines: Sequence[Line]) -> list[tuple[int, Milestone]]:
    """Once it serves, only a new beginning leads back; a rank's NCCL lines during loading are no waiting."""
    found: list[tuple[int, Milestone]] = []
    phase: Phase | None = None
    for index, line in enumerate(lines):
        milestone = milestone_in(line.text)
        if milestone is None:
            continue
        if not milestone.begins and phase in STARTED and milestone.phase not in STARTED:
            continue
        if milestone.waits_for is Wait.NCCL and phase in _LOADING:
            continue
        phase = milestone.phase
        found.append((index, milestone))
    return found


def _progress(lines: Sequence[Line], reached: Sequence[tuple[int, Milestone]]) -> Progress:
    index, milestone = reached[-1]
    run = max((line for line, one in reached if one.begins), default=0)
    text = lines[index].text
    waited = _WAITED.search(text)
    answers = count_answers(line.text for line in lines[run:])
    serving = milestone.phase is Phase.READY and bool(answers.ok or answers.failed)
    return Progress(
        phase=Phase.SERVING if serving else milestone.phase,
        line=inert(mask(text[:1200])),
        counts=milestone.counts,
        bar=read_bar(text) if milestone.counts else Bar(),
        waits_for=milestone.waits_for,
        waited_seconds=int(waited[1]) if waited else None,
        since=_since(lines, reached),
        last=last_stamp(lines),
        engine=next((one.engine for _, one in reversed(reached) if one.engine), ""),
        version=next((found[1] for line in lines[run : run + 400] if (found := VERSION.search(line.text))), ""),
        answers=answers,
        load=next((load for line in reversed(lines) if (load := read_load(line.text))), None),
    )


def _listens(lines: Sequence[Line]) -> Progress | None:
    """A log that holds answers only: the engine serves, its start is no longer in it."""
    answers = count_answers(line.text for line in lines)
    if not answers:
        return None
    phase = Phase.SERVING if answers.ok or answers.failed else Phase.READY
    return Progress(phase, inert(mask(lines[-1].text[:1200])), last=last_stamp(lines), answers=answers)


def _since(lines: Sequence[Line], reached: Sequence[tuple[int, Milestone]]) -> Stamp | None:
    """The time at which the present phase was entered; bars have none, so the nearest time before serves."""
    phase = reached[-1][1].phase
    first = reached[-1][0]
    for index, milestone in reversed(reached):
        if milestone.phase is not phase:
            break
        first = index
    return next((line.stamp for line in reversed(lines[: first + 1]) if line.stamp), None)


def last_stamp(lines: Sequence[Line]) -> Stamp | None:
    return next((line.stamp for line in reversed(lines) if line.stamp), None)

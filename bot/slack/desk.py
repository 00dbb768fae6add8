"""Where a typed line becomes a document: understands it, picks the cluster that the channel means, never raises."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.command import Cluster, Command
from bot.dialogue import answer, understand
from bot.domain.document import Button, Document
from bot.slack.failures import explain
from bot.slack.shelf import Shelf, Shown

SHARE = "share"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to show, and whether others could want to see it."""

    document: Document
    worth_sharing: bool


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that answering needs. `channel_clusters` says which cluster a channel means."""

    commands: Sequence[Command]
    clusters: Mapping[str, Cluster]
    usual: str
    channel_clusters: Mapping[str, str]
    now: Callable[[], datetime]
    shelf: Shelf

    async def ask(self, line: str, channel: str, person: str) -> Outcome:
        """The answer, or the one sentence that says why there is none."""
        try:
            asked = understand(line, self.commands)
            usual = self.channel_clusters.get(channel, self.usual)
            document = (await answer(asked, self.clusters, usual, self.now, self.commands)).document
        except Exception as error:  # noqa: BLE001  # whatever it is, the person gets a sentence and the log the rest
            return Outcome(explain(error, line=line[:200], channel=channel, person=person), worth_sharing=False)
        return Outcome(document, worth_sharing=bool(asked.command.needs))

    async def ask_privately(self, line: str, channel: str, person: str) -> Document:
        """The same; an answer about a cluster gets a button that shares it with the channel."""
        outcome = await self.ask(line, channel, person)
        if not outcome.worth_sharing:
            return outcome.document
        key = self.shelf.put(Shown(line, outcome.document))
        button = Button("Share with channel", SHARE, f"{key} {line}", "Share this answer with everybody in the channel")
        return replace(outcome.document, buttons=(*outcome.document.buttons, button))

    async def to_share(self, value: str, channel: str, person: str) -> Shown | None:
        """What a click on Share means; asked anew after a restart. None: it was shared already."""
        key, _, line = value.partition(" ")
        shown = self.shelf.take(key)
        if shown is not None or not line or self.shelf.was_taken(key):
            return shown
        return Shown(line, (await self.ask(line, channel, person)).document)

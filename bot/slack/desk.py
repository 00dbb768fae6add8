"""Where a typed line becomes a document: understands it, asks who may, picks the cluster that the channel means.

What a command wants done besides its answer is handed to those who do it; nothing here raises.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import structlog

from bot.access.hiding import ALL, Sight, seen, typed, who_can
from bot.acting.actor import Doing
from bot.acting.collect import act
from bot.command import Cluster, Command
from bot.dialogue import Asked, answer, understand
from bot.domain.audit import Happened, refusal
from bot.domain.document import Button, Document
from bot.domain.errors import ForbiddenError, UpstreamError, UserError
from bot.domain.person import Access, Asker
from bot.domain.view import View
from bot.grammar import quoted
from bot.ports import ChangeStore
from bot.slack.failures import explain
from bot.slack.people import Caller
from bot.slack.shelf import Shelf, Shown

log = structlog.get_logger()
SHARE = "share"
_WORD_SEPARATOR = "|"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to show, and whether others could want to see it."""

    document: Document
    worth_sharing: bool


async def _everything(asker: Asker, cluster: Cluster) -> Sight:
    del asker, cluster
    return ALL


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything that answering needs. `channel_clusters` says which cluster a channel means.

    people: who a caller is. doing: what can be used to act for an asker on a cluster. sight: what is hidden from them.
    """

    commands: Sequence[Command]
    clusters: Mapping[str, Cluster]
    usual: str
    channel_clusters: Mapping[str, str]
    now: Callable[[], datetime]
    shelf: Shelf
    people: Callable[[Caller], Awaitable[Asker]]
    doing: Callable[[Asker, Cluster], Doing]
    sight: Callable[[Asker, Cluster], Awaitable[Sight]] = _everything

    async def ask(self, line: str, caller: Caller) -> Outcome:
        """The answer, or the one sentence that says why there is none."""
        try:
            asked = understand(line, self.commands)
            asker = await self.people(caller)
            return await self._answered(asked, asker, self.channel_clusters.get(caller.channel, self.usual))
        except Exception as error:  # noqa: BLE001  # whatever it is, the person gets a sentence and the log the rest
            return Outcome(self._explained(error, line, caller), worth_sharing=False)

    async def ask_privately(self, line: str, caller: Caller) -> Document:
        """The same; an answer about a cluster gets a button that shares it with the channel."""
        outcome = await self.ask(line, caller)
        if not outcome.worth_sharing:
            return outcome.document
        key = self.shelf.put(Shown(line, outcome.document))
        button = Button("Share with channel", SHARE, f"{key} {line}", "Share this answer with everybody in the channel")
        return replace(outcome.document, buttons=(*outcome.document.buttons, button))

    async def to_share(self, value: str, caller: Caller) -> Shown | None:
        """What a click on Share means; asked anew after a restart. None: it was shared already."""
        key, _, line = value.partition(" ")
        shown = self.shelf.take(key)
        if shown is not None or not line or self.shelf.was_taken(key):
            return shown
        return Shown(line, (await self.ask(line, caller)).document)

    async def click(self, value: str, caller: Caller) -> Document:
        """A click on a button of a change. Its value names nothing but the click: a nonce and a word."""
        try:
            asker = await self.people(caller)
            changing = self.doing(asker, self.clusters[self.usual]).changing
            if changing is None:
                raise UserError("Changes cannot be reached now: the record of them is not open. Click again later.")
            nonce, _, word = value.partition(_WORD_SEPARATOR)
            return await changing.click(nonce, word, asker)
        except Exception as error:  # noqa: BLE001  # as above
            return self._explained(error, "a button of a change", caller)

    async def _answered(self, asked: Asked, asker: Asker, usual: str) -> Outcome:
        """Raises what commands and actors raise. A refusal is recorded, as far as there is a record."""
        cluster = asked.cluster if asked.cluster and asked.cluster in self.clusters else usual
        doing = self.doing(asker, self.clusters[cluster])
        try:
            allowed(asker, asked.command)
            sight = await self.sight(asker, self.clusters[cluster])
            view = self.clusters[cluster].view
            _not_hidden(asked, sight, view)
            reply = await answer(asked, self.clusters, usual, self.now, self.commands, asker)
            done = await act(reply.intents, doing) if reply.intents else None
        except ForbiddenError as error:
            if doing.changes is not None:
                says = f"asked for {asked.command.name}: {error}"
                await _recorded(doing.changes, asker, says, cluster, self.now())
            raise
        return Outcome(
            done or seen(reply.document, sight, view), worth_sharing=done is None and bool(asked.command.needs)
        )

    def _explained(self, error: Exception, line: str, caller: Caller) -> Document:
        return explain(error, line=line[:200], channel=caller.channel, person=caller.person)


async def _recorded(changes: ChangeStore, asker: Asker, says: str, cluster: str, now: datetime) -> None:
    try:
        await changes.audit(refusal(Happened.REFUSED, asker, cluster, says, now))
    except UpstreamError as error:
        log.warning("a refusal is not recorded", person=asker.id, reason=str(error))


def allowed(asker: Asker, command: Command) -> None:
    """Raises ForbiddenError that says what is missing and who can give it."""
    if asker.access is Access.NOBODY:
        raise ForbiddenError(
            "You may not ask gpubot here: its settings name who may (`access.readers`, and this workspace in "
            "`access.workspaces`). Ask whoever runs gpubot."
        )
    if asker.access < command.access:
        raise ForbiddenError(
            f"You may not `{command.name}`: your role here is {_ROLES[asker.access]}, it needs "
            f"{_ROLES[command.access]}. Ask whoever runs gpubot to name you in `access.operators`."
        )


def _not_hidden(asked: Asked, sight: Sight, view: View) -> None:
    """Raises ForbiddenError where somebody names what they may not see; not whether it is there."""
    word = typed((*asked.words, *asked.options.values()), sight, view) if sight.hidden else ""
    if word:
        raise ForbiddenError(f"You may not see {quoted(word)}, or it is not there. {who_can(sight)}")


_ROLES = {Access.NOBODY: "nobody", Access.READ: "reader", Access.OPERATE: "operator", Access.ADMIN: "admin"}

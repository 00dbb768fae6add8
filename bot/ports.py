"""What the core needs from the world, as Protocols. Adapters fulfil them; tests bring fakes."""

from __future__ import annotations  # a short command in a terminal loads no word of what it does not ask for

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from bot.domain.audit import AuditEvent, AuditRow, Verified
    from bot.domain.bench import Bench, Load, Point
    from bot.domain.change import Change, ChangeState, Plan, Step, Target
    from bot.domain.document import Document
    from bot.domain.engine import EngineReading
    from bot.domain.engine_told import EngineTold
    from bot.domain.engine_window import EngineWindow
    from bot.domain.evidence import Evidence, Wanted
    from bot.domain.freeze import Freeze
    from bot.domain.history import History
    from bot.domain.incident import Book
    from bot.domain.node_past import FleetPast
    from bot.domain.person import Asker, Identity
    from bot.domain.posting import Post
    from bot.domain.probing import Endpoint, Pace, Smoke
    from bot.domain.view import View
    from bot.domain.writing import Done, Review

Telling = Callable[["Change"], Sequence["Post"]]  # what to post about a change, as it is once it is stored


class ClusterReader(Protocol):
    """One cluster, ready to be read without awaiting."""

    @property
    def name(self) -> str: ...

    @property
    def view(self) -> View: ...


class Clock(Protocol):
    """Says what time it is. The core is handed the answer, never the clock."""

    def __call__(self) -> datetime: ...


class Looker(Protocol):
    """Looks things up for one question. What cannot be had is named in the evidence, never raised."""

    async def look(self, wanted: Wanted, timeout_seconds: float) -> Evidence: ...


class HistoryReader(Protocol):
    """What is remembered of a cluster's pods, as it is in memory now: nobody waits for a database."""

    def history(self, cluster: str) -> History: ...


class EngineReader(Protocol):
    """What inference engines said of themselves in the last minutes, as it is in memory now."""

    def window(self, cluster: str, pod_uid: str) -> EngineWindow | None:
        """None: nothing was told of that pod."""

    def latest(self, cluster: str, pod_uid: str) -> EngineReading | None:
        """The newest reading in that window."""


class EngineWatch(EngineReader, Protocol):
    """The same, to be brought up to date."""

    def due(self, cluster: str) -> bool:
        """Whether it is time to ask again."""

    async def read(self, cluster: str) -> None:
        """Ask every engine, unless that was done seconds ago. What does not answer is remembered as such."""

    def told(self, cluster: str) -> Mapping[str, EngineTold] | None:
        """By the pod's uid, as of the last time; None: nobody has asked yet."""


class Loader(Protocol):
    """Puts a bounded load of our own on one engine."""

    async def measure(self, load: Load) -> tuple[str, tuple[Point, ...]]:
        """The way that was taken (direct, proxy), and a point for each concurrency that was measured.

        Raises ConflictError where that engine is being measured already, ClusterError where it cannot be reached.
        """


class BenchStore(Protocol):
    """Measurements, kept for comparison. Raises StoreUnavailableError (an UpstreamError)."""

    async def keep(self, bench: Bench) -> None: ...

    async def last(self, cluster: str, workload: str) -> Bench | None:
        """The newest of that workload."""


class NodePastReader(Protocol):
    """What nodes of a cluster ran before, as it is in memory now: nobody waits for a database."""

    def past(self, cluster: str) -> FleetPast: ...


class Writer(Protocol):
    """Changes one cluster, one call at a time, and says who may. `bot.domain.writing` has what comes of a call."""

    async def do(self, step: Step, *, dry_run: bool, as_: Identity | None = None) -> Done:
        """Do that step, or let the API server say what would come of it; in the name of a person where one is given.

        A step that names a uid holds for that very object. Done twice it does what it does once.
        Raises WriteRefusedError where nothing was changed, WriteUnknownError where that is not known, and ClusterError
        where it was not even asked or, in a dry run, did not answer.
        """

    async def may(
        self,
        identity: Identity | None,
        verb: str,
        *,
        api_group: str = "",
        resource: str,
        subresource: str = "",
        namespace: str = "",
        name: str = "",
        fresh: bool = False,
    ) -> Review:
        """May they, by the cluster's own authorizer? None asks for gpubot itself. Never raises: then it is unknown.

        verb: as RBAC has it. No namespace: in all of them. fresh: not from the memory of the last seconds; for every
        change.
        """

    async def read(self, target: Target) -> dict[str, Any] | None:
        """The object (or its scale) as it is now, managedFields and all; None where there is none. ClusterError."""

    async def log(self, namespace: str, pod: str, container: str, tail: int) -> str:
        """The last lines of a log. Raises ClusterError."""


class Prober(Protocol):
    """Asks a served model, within bounds. What goes wrong is told, never raised."""

    async def smoke(self, where: Endpoint) -> Smoke: ...

    async def pace(self, where: Endpoint, at_once: int, tokens: int = ...) -> Pace: ...


class ChangeStore(Protocol):
    """Changes on their way, freezes, and the audit of both. Each call is one transaction with its audit row.

    posts: what is to be posted about it, made from the change as it then is (its new nonce, too), and recorded in the
    same transaction. message: where it was said in Slack, as `channel/ts`, for the audit.
    All raise StoreUnavailableError (an UpstreamError) where the database cannot be used: then nothing was done.
    """

    async def propose(
        self,
        plan: Plan,
        asker: Asker,
        needed: int,
        expires_at: datetime,
        cluster: str,
        now: datetime,
        *,
        message: str = "",
        posts: Telling | None = None,
    ) -> Change:
        """A new change with its number and the nonce of its buttons, waiting for so many approvals."""

    async def by_nonce(self, nonce: str) -> Change | None:
        """The change whose buttons carry that nonce now."""

    async def spent(self, nonce: str) -> Change | None:
        """The change whose buttons carry it, or carried it once: what to tell a person who clicked twice, or late."""

    async def get(self, number: int) -> Change | None: ...

    async def move(
        self,
        number: int,
        expected: ChangeState,
        to: ChangeState,
        *,
        now: datetime,
        actor: str,
        told: str = "",
        nonce: str = "",
        workspace: str = "",
        message: str = "",
        posts: Telling | None = None,
        **fields: Any,
    ) -> Change:
        """From one state to another, if it is still in the first; the nonce is used up, and a new one made.

        nonce: of the button that was clicked; then it must still be the change's own. fields: of Change, such as
        `approvals`, `done`, `applied_at`, `undo_at`, `expires_at`, `audit_ids`, `channel`. New approvals need a nonce,
        so that of two clicks at once one counts. An empty `told` leaves what was told.
        Raises ConflictError where the state or the nonce is another by now, NotFoundError for no such change.
        """

    async def step_done(self, number: int, index: int, audit_id: str, now: datetime) -> Change:
        """That step (from 0) is done. Said again of a step that is recorded, it does nothing. Raises ConflictError."""

    async def recent(self, cluster: str, since: datetime) -> tuple[Change, ...]:
        """Changes of that cluster that were asked for or applied since, oldest first."""

    async def open_changes(self) -> tuple[Change, ...]:
        """Those that are not at their end, and those that will be undone by the clock."""

    async def audit(self, event: AuditEvent) -> None:
        """Add a row for what is no change of state: refusals, stale clicks, denials."""

    async def audit_rows(self, *, last: int | None = None) -> tuple[AuditRow, ...]:
        """The newest so many rows, or all, in their order."""

    async def verify(self) -> Verified:
        """Look at every row of the audit."""

    async def freeze(self, cluster: str, until: datetime, because: str, asker: Asker, now: datetime) -> Freeze:
        """Nothing is changed in that cluster until then. An empty name means all clusters."""

    async def thaw(self, cluster: str, asker: Asker, now: datetime) -> tuple[Freeze, ...]:
        """End every freeze that holds for that cluster; those that were ended."""

    async def freezes(self, now: datetime, cluster: str = "") -> tuple[Freeze, ...]:
        """Those that hold now, of that cluster or of any."""


class ChangeService(Protocol):
    """The way of a change, for whoever has a question or a click: `bot.acting.changing` carries it."""

    async def propose(self, plan: Plan, asker: Asker, cluster: str) -> Document:
        """What the asker is told. Raises UserError, UpstreamError."""

    async def click(self, nonce: str, word: str, asker: Asker) -> Document:
        """`word`: yes, no or undo. What the person who clicked is told. Raises UserError, UpstreamError."""


class AuditReader(Protocol):
    """The newest audit rows and the freezes, as they are in memory now: for commands, which wait for nothing."""

    def latest(self) -> Sequence[AuditRow]:
        """Oldest first; the last few hundred of all clusters."""

    def frozen(self, cluster: str, now: datetime) -> tuple[Freeze, ...]: ...


class Posts(Protocol):
    """What is to stand in Slack, recorded before it is posted."""

    async def put(self, posts: Sequence[Post], now: datetime) -> None:
        """The same key and content again does nothing; a root with new content is edited. StoreUnavailableError."""


class IncidentReader(Protocol):
    """Alerts, incidents and silences of a cluster, as they are in memory now: nobody waits for a database."""

    def incidents(self, cluster: str) -> Book: ...


class IncidentStore(IncidentReader, Protocol):
    """The same, to be changed: one transaction each, together with what is to be posted about it."""

    async def change(
        self,
        cluster: str,
        decide: Callable[[Book], Book],
        now: datetime,
        posts: Callable[[Book, Book], Sequence[Post]] | None = None,
    ) -> Book:
        """The book as `decide` made it, kept. posts: of the book before and after.

        Both are pure, and may be called again where another replica was faster, in a thread of their own. What
        `decide` raises is raised, and so is StoreUnavailableError (an UpstreamError): then nothing was changed.
        """

    async def prune(self, now: datetime, *, days: int) -> None:
        """Forget incidents and silences that were over so many days ago. Raises StoreUnavailableError."""

"""A kind of change: how its plan is made from what is there now, and how one tells when the cluster has got there.

One file each in `kinds/` → CHANGE. All of it is pure: the plan is made again at the click from the arguments alone, and
only a plan with the same digest is applied.
"""

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.change import Plan
from bot.domain.document import Part
from bot.domain.evidence import NO_EVIDENCE, Evidence, Wanted
from bot.domain.probing import Endpoint, Smoke
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.gpu.policy import Policy

FOLLOWED_SECONDS = 1800


@dataclass(frozen=True, slots=True)
class Ask:
    """What a plan is made of. `arguments` are texts, since they are kept and asked again; `because` is the reason.

    evidence: what the kind's `wants` asked for; empty where nothing was looked up.
    """

    arguments: Mapping[str, str]
    view: View
    inventory: Inventory
    now: datetime
    because: str = ""
    evidence: Evidence = NO_EVIDENCE

    @property
    def policy(self) -> Policy:
        return self.inventory.policy


class Phase(enum.StrEnum):
    """How far the cluster has got after all steps were done."""

    GOING = "going"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Progress:
    """`sentence` says where it stands, `lines` what each part waits for.

    subject: where it failed or is slow, the thing that `/why` is asked about in the same thread, as people type it.
    late: what takes longer than it should; of each `/why` is asked once while it goes on. parts: what stands below the
    lines in the thread at the end.
    """

    phase: Phase
    sentence: str
    lines: tuple[str, ...] = ()
    subject: str = ""
    late: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class ChangeKind:
    """plan: raises UserError where the arguments make no sense; says `refused` where the cluster does not allow it.

    follow(plan, view, now, applied_at): asked again and again once all steps are done. follow_seconds: for how long.
    wants: what to look up before a plan is made. needs: the kinds of records that it reads.
    hold(plan, view, now, approved_at, evidence): why the approved change is not begun yet, empty to begin (requests in
    flight are waited for this way); hold_wants is looked up for it. It must end by itself.
    follow_seen and follow_wants: the same as follow with what is looked up now and then, for what a view does not show.
    smoke(plan): what is asked once follow says done, and smoked(plan, progress, smoke): the last word then.
    proof(plan, view, evidence): the last word, once follow says done or failed, with what proof_wants had looked up
    while the cleanup has not been done.
    """

    name: str
    plan: Callable[[Ask], Plan]
    follow: Callable[[Plan, View, datetime, datetime], Progress]
    needs: frozenset[str] = field(default_factory=frozenset)
    wants: Callable[[Ask], Wanted] | None = None
    hold: Callable[[Plan, View, datetime, datetime, Evidence], str] | None = None
    hold_wants: Callable[[Plan, View], Wanted] | None = None
    proof: Callable[[Plan, View, Progress, Evidence], Progress] | None = None
    proof_wants: Callable[[Plan, View], Wanted] | None = None
    follow_seconds: int = FOLLOWED_SECONDS
    follow_seen: Callable[[Plan, View, datetime, datetime, Evidence], Progress] | None = None
    follow_wants: Callable[[Plan, View], Wanted] | None = None
    smoke: Callable[[Plan], Endpoint] | None = None
    smoked: Callable[[Plan, Progress, Smoke], Progress] | None = None

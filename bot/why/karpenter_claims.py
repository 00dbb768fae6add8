"""Karpenter's NodeClaims: nodes that were asked for and are not in use yet.

kubernetes-sigs/karpenter:pkg/apis/v1/nodeclaim_status.go. A claim goes through Launched, Registered and Initialized.
The last one has no time limit: a node that joins without its GPU stays so, and what the claim promises keeps Karpenter
from making another.
"""

from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.domain.thing import Thing
from bot.why.amounts import amounts_of
from bot.why.case import Case
from bot.why.finding import Level

NODE_POOL_LABEL = "karpenter.sh/nodepool"
YOUNG_SECONDS = 15 * 60  # a driver takes minutes to install; Karpenter gives up on registration after 15 min


@dataclass(frozen=True, slots=True)
class Claim:
    thing: Thing
    fields: Fields

    @property
    def name(self) -> str:
        return self.thing.name

    @property
    def node(self) -> str:
        return self.fields.text("status", "nodeName")

    @property
    def promises(self) -> dict[str, int]:
        """What pods that it was made for ask of it; what the machine should offer where that is not written down."""
        asked = amounts_of(self.fields.map("spec", "resources", "requests"))
        return asked or amounts_of(self.fields.map("status", "allocatable"))

    def state(self, condition: str) -> str:
        return self.fields.condition(condition).text("status")

    def said(self, condition: str) -> str:
        told = self.fields.condition(condition)
        return " ".join(filter(None, (told.text("reason"), told.text("message"))))


def claims(case: Case) -> list[Claim]:
    """All that are not whole yet, oldest first."""
    found = [Claim(one, case.fields(one)) for one in case.view.things("nodeclaims").values()]
    return sorted((one for one in found if one.state("Initialized") != "True"), key=lambda one: one.thing.created)


def begun(text: str, level: Level) -> str:
    return text if level is Level.CAUSE else text[0].upper() + text[1:]

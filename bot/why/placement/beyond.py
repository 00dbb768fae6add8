"""The scheduler turns the pod down for something that the API does not show: its own settings, an extender, a plugin.

All filters of kube-scheduler's default profile pass, so what it says in other words is not ours to check; to say that
the pod fits, and to wait, would be wrong.
"""

from bot.domain.answer import Remedy
from bot.domain.text import inert
from bot.domain.words import names
from bot.scheduling.messages import KUBE_SCHEDULER, Reason, sentence
from bot.scheduling.messages.table import Stage
from bot.why.case import Case
from bot.why.finding import Finding
from bot.why.schedulers import DEFAULT, SYSTEM, name_of
from bot.why.shell import kubectl

NOT_ROOM = "Changing what is free does not help: that is not what it complains about"
BY_PROFILE = "scheduler-enforced"  # addedAffinity of the profile


def finding(case: Case, nodes: tuple[str, ...]) -> Finding | None:
    """None where the scheduler says nothing of the kind."""
    said = case.said
    if said is None or case.pod is None or said.speaker not in (KUBE_SCHEDULER, None) or said.total is None:
        return None
    strange = [one for one in said.body if _is_strange(one)]
    if not strange:
        return None
    name = name_of(case.pod)
    why = ", ".join(sentence(one) if one.known else f"“{inert(one.text, 160)}”" for one in strange[:2])
    logs = kubectl("logs", "-l", "component=kube-scheduler", "--tail=200", namespace=SYSTEM)
    look = logs if name == DEFAULT else ""
    own = f"all of kube-scheduler's own filters would let it on {names(nodes)}"
    return Finding(
        "placement.beyond",
        f"the scheduler `{name}` turns it down because of {_what(strange[0])}, which the API does not show: {why}; "
        f"{own}",
        evidence=(f"The scheduler's last word: “{inert(str(said), 300)}”",),
        remedies=(Remedy("Look at the scheduler's configuration (profile, plugins, extenders) and its log", look),),
        useless=() if _about_room(strange) else (NOT_ROOM,),
    )


def _about_room(strange: list[Reason]) -> bool:
    """An extender that counts parts of a GPU complains of room in words of its own."""
    return any("nsufficient" in one.text or "not enough" in one.text for one in strange)


def _is_strange(one: Reason) -> bool:
    if one.cut:
        return False
    return one.known is None or BY_PROFILE in one.text or one.known.stage is Stage.PERMIT


def _what(one: Reason) -> str:
    if BY_PROFILE in one.text:
        return "a node affinity in its own profile (`addedAffinity`)"
    if one.known is not None:
        return "a plugin that held it back after a node was chosen"
    return "an extender or a plugin of its own"

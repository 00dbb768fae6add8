"""Admission checks of a ClusterQueue that are missing or do not work: the whole queue is off with them."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.fields import Fields
from bot.why.case import Case
from bot.why.shell import kubectl, quoted

KIND = "admissionchecks.kueue.x-k8s.io"


@dataclass(frozen=True, slots=True)
class CheckOff:
    """`words`: what is wrong with it. `command`: what to look at."""

    name: str
    words: str
    command: str


def checks_off(case: Case, queue: Fields) -> Iterator[CheckOff]:
    """Nothing where AdmissionChecks were not read."""
    if not case.view.knows("admissionchecks"):
        return
    for name in _named(queue):
        thing = case.view.things("admissionchecks").get(name)
        if thing is None:
            yield CheckOff(name, f"its admission check `{name}` does not exist", kubectl("get", KIND))
            continue
        active = case.fields(thing).condition("Active")
        if active.text("status") == "False":
            why = active.text("message") or active.text("reason")
            words = f"its admission check `{name}` is not active, {quoted(why)}"
            yield CheckOff(name, words, kubectl("describe", KIND, name))


def _named(queue: Fields) -> list[str]:
    """`spec.admissionChecks`, and the form that names flavors too."""
    listed = list(queue.texts("spec", "admissionChecks"))
    listed += [one.text("name") for one in queue.each("spec", "admissionChecksStrategy", "admissionChecks")]
    return list(dict.fromkeys(one for one in listed if one))

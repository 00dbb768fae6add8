"""How incidents look in Slack and in words: roots as they are edited, threads, the storm, reports and digests."""

from datetime import timedelta

from bot.domain.alert import Hit
from bot.domain.answer import Remedy
from bot.domain.document import Document
from bot.domain.incident import Deed
from bot.incidents.digest import day, digest
from bot.incidents.report import report
from bot.incidents.usage import Use
from bot.views import digest as digests
from bot.views import incident_report, incident_root, incident_show, incident_thread, incidents, storm
from bot.views.blocks import BLOCKS_MAX, render
from bot.views.text import render as plain
from tests.alerts.building import NOW, a_bundle, an_alert, crashing
from tests.factories import a_node, a_view
from tests.incidents.building import BEN, Watch
from tests.views.golden_files import matches

LOST = a_bundle(
    an_alert("gpu.lost", node="gpu-9", gpu="GPU-3"),
    an_alert("crash.gpu-lost", owner="llm/glm-prod"),
    title="gpu-9 lost GPU 3 (Xid 94)",
    since=NOW - timedelta(minutes=12),
    hits=(Hit(owner="llm/glm-prod", ready=3, wanted=4, gpus=1, team="llm", tokens_share=0.25),),
    effect=("service llm/glm-prod has 3 of 4 pods ready",),
    evidence=("kernel: “NVRM: Xid (PCI:0000:3b:00): 94, pid=7, Contained: CE User Channel”",),
    remedies=(
        Remedy("Drain gpu-9, reset GPU 3 and restart the plugin's pod", "kubectl drain gpu-9", cost="7 other GPUs"),
        Remedy("Replace it after the third in 30 days"),
    ),
    useless=("Restarting the pod alone does not help",),
    unknown=("temperature of GPU 3",),
)
SEEN = ("11:40 deployment llm/glm-prod: a new version was rolled out (glm-prod-7c)",)


def a_watch() -> Watch:
    watch = Watch()
    watch.look(LOST, times=2, before=SEEN)
    return watch


def shown(name: str, document: Document) -> None:
    matches(name, plain(document))
    assert len(render(document).blocks) <= BLOCKS_MAX


def test_a_root_that_is_new() -> None:
    shown("incident_root", incident_root.root(a_watch().incident()))
    matches("incident_root_blocks", render(incident_root.root(a_watch().incident())).blocks)


def test_a_root_as_it_ends() -> None:
    watch = a_watch()
    watch.do(Deed.TAKE)
    watch.now += timedelta(minutes=37)
    watch.look(times=3)
    shown("incident_root_over", incident_root.root(watch.incident()))


def test_a_root_that_was_taken_silenced_and_came_back() -> None:
    watch = a_watch()
    watch.look(times=3)
    watch.look(LOST, times=2)
    watch.do(Deed.HAND, person="U0BEN")
    shown("incident_root_back", incident_root.root(watch.incident()))


def test_a_root_that_became_part_of_another() -> None:
    watch = Watch()
    watch.look(LOST, crashing("dev/nb", node="gpu-3"), times=2)
    watch.do(Deed.MERGE, 2, other=1)
    shown("incident_root_merged", incident_root.root(watch.incident(2)))


def test_a_thread() -> None:
    watch = a_watch()
    watch.do(Deed.TAKE)
    watch.do(Deed.NOTE, text="the board is ordered, <!channel> *soon*")
    watch.do(Deed.HAND, person="U0BEN")
    watch.look(times=3)
    incident = watch.incident()
    lines = [plain(incident_thread.change(incident, one)) for one in incident.timeline]
    matches("incident_thread", "\n\n".join([plain(incident_thread.evidence(incident)), *lines]))


def test_the_list_and_one_of_them() -> None:
    watch = Watch()
    watch.look(LOST, crashing("dev/nb", node="gpu-3"), times=2, before=SEEN)
    watch.do(Deed.TAKE, by=BEN)
    watch.look(LOST, times=3)
    shown("incidents", incidents.show(watch.book, watch.now).document)
    shown("incident_show", incident_show.show(watch.incident(), watch.now).document)


def test_a_report_and_its_markdown() -> None:
    watch = a_watch()
    watch.do(Deed.TAKE)
    watch.do(Deed.NOTE, text="reset | `done`")
    watch.look(times=3)
    told = report(watch.book, watch.incident())
    shown("incident_report", incident_report.document(told))
    matches("incident_report_markdown", incident_report.markdown(told))


def test_a_storm() -> None:
    watch = Watch()
    watch.look(*[crashing(f"llm/m{number}", node=f"cpu-{number}") for number in range(40)], times=2)
    blows = watch.book.alerts.storm
    assert blows is not None
    members = [watch.incident(number) for number in blows.members]
    shown("storm", storm.digest(blows, members, "prod"))


def test_a_digest_of_a_day() -> None:
    watch = a_watch()
    watch.do(Deed.TAKE)
    watch.look(times=3)
    watch.look(crashing("dev/nb", node="gpu-3"), times=2)
    until = NOW + timedelta(hours=6)
    use = Use(0.41, (("dev/nb", 31.4), ("eval/judge", 2.0), ("llm/glm", 0.2)), NOW)
    key = "nvidia.com/cuda.driver-version.full"
    view = a_view(a_node("gpu-1", more_labels={key: "570.1"}), a_node("gpu-2", more_labels={key: "580.2"}))
    told = digest(watch.book, view, day(until), until, use, ("driver branch 535 is out of support",))
    assert told.worth_saying
    shown("digest_day", digests.show(told, "day"))


def test_a_quiet_day_is_not_worth_a_word() -> None:
    told = digest(Watch().book, a_view(a_node()), day(NOW), NOW, Use(0.9, (("llm/glm", 0.5),), NOW))
    assert not told.worth_saying

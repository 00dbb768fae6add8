"""What can be scaled, as a table."""

from datetime import datetime

from bot.command import Reply
from bot.domain.answer import Answer, Cause
from bot.domain.document import Code, Document, line, paragraph, sentence, table
from bot.domain.view import View
from bot.domain.words import count
from bot.scaling.forms import typed
from bot.scaling.listing import Listing
from bot.views import sources
from bot.views.shortened import shortened

NEEDED = ("pods", "deployments", "statefulsets", "horizontalpodautoscalers")


def reply(found: Listing, view: View, now: datetime) -> Reply:
    entries = found.entries
    verdict = (
        f"{count(len(entries) + found.left, 'GPU workload')} can be scaled, asking for {count(found.gpus, 'GPU')}."
        if entries
        else "No GPU workload here can be scaled."
    )
    rows = [
        (typed(one.thing), one.wanted, one.ready, one.gpus, ", ".join(one.owners) or "nobody but people")
        for one in entries
    ]
    more = f"and {found.left:,} more" if found.left else ""
    columns = ("what", "asked for", "ready", "GPUs each", "who owns the number")
    parts = [table(columns, rows, (1, 2, 3), more)] if rows else []
    others = (
        [paragraph(line(f"{count(found.others, 'workload')} without GPUs can be scaled, too."))] if found.others else []
    )
    hint = (
        [paragraph(line("To see what would come of it: ", Code(f"/scale {typed(entries[0].thing)} +1")))]
        if entries
        else []
    )
    missing = [view.source(kind) for kind in NEEDED if not view.source(kind).known]
    answer = Answer(
        cause=Cause("scale.list", verdict),
        as_of=view.oldest(*NEEDED),
        unknown=tuple(sources.not_read(missing)),
        sources=tuple(sources.lines(view, now, NEEDED)),
        numbers={"workloads": {typed(one.thing): one.wanted for one in entries}},
    )
    document = Document(sentence(verdict), (*parts, *others, *hint), sources.footer(view, now, NEEDED))
    return Reply(answer, shortened(document))

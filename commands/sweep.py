"""`/gpu sweep now`: one look at the whole cluster, at once: what is broken, each root once, the worst first.

    /gpu sweep now           looks up readings, kernel messages and logs, and judges everything; some seconds

The same as `gpubot sweep` in a terminal (docs/sweep.md). Nothing is decided by it: alerts go by the looks that the bot
takes every half minute by itself.
"""

from bot.command import Access, Command, Reply, Request
from bot.domain.answer import Answer, Cause
from bot.domain.document import Code, Document, paragraph
from bot.domain.errors import UsageError
from bot.domain.incident import SweepNow
from bot.grammar import quoted
from bot.sweep.sweep import KINDS

_LOOKING = "Looking at the whole cluster; that takes some seconds."
_TERMINAL = "In a terminal, gpubot sweep looks at the whole cluster."


def run(request: Request) -> Reply:
    """Raises UsageError."""
    if request.words not in ((), ("now",)):
        raise UsageError(f"{quoted(' '.join(request.words))} is not understood; try `/gpu sweep now`.")
    if not request.asker.id:
        hint = paragraph(("Type ", Code("gpubot sweep"), ", with the same --from or --context."))
        return Reply(Answer(cause=Cause("sweep.elsewhere", _TERMINAL), told=False), Document((_TERMINAL,), (hint,)))
    return Reply(Answer(cause=Cause("sweep.asked", _LOOKING), told=False), Document((_LOOKING,)), (SweepNow(),))


COMMAND = Command(
    words=("sweep",),
    summary="One look at everything: what is broken now, the worst first",
    access=Access.READ,
    examples=("/gpu sweep now",),
    run=run,
    takes_words="[now]",
    needs=KINDS,
    page=__doc__ or "",
)

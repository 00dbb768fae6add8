"""`/gpu fix`: have a remedy applied that an answer offered.

    /gpu fix glm-0              the remedies of `/why glm-0` that gpubot can apply, each with its id
    /gpu fix 3f9a2c glm-0       that one; its answer is worked out anew, and the id must still be in it
    /gpu fix 3f9a2c             among everything that waits now

An id is made from the remedy's own command, so it means the same for everybody and for as long as the remedy helps. It
is only looked up: what is done is planned from the cluster as it is. Remedies that are settings, or that gpubot would
not do (such as deleting by force), are told with their command and stay with people. In a terminal it is a preview.
"""

from bot.changes.because import split_because
from bot.changes.fixing import Fix, fixes, plan_of
from bot.command import Access, Command, Reply, Request
from bot.domain.errors import NotFoundError
from bot.domain.evidence import Wanted
from bot.grammar import quoted
from bot.views import fix as views
from bot.views.plan_reply import reply
from bot.why import needs
from bot.why.answering import Asked, answer, to_look_up
from bot.why.question import take_apart


def _asked(request: Request, words: tuple[str, ...]) -> Asked:
    cluster = request.cluster
    return Asked(
        question=take_apart(words or ("pending",)),
        options={},
        view=cluster.view,
        inventory=cluster.inventory,
        now=request.now,
        evidence=request.evidence,
    )


def _split(request: Request) -> tuple[str, tuple[str, ...]]:
    """The id, and the words of the question."""
    words, _ = split_because(request.words)
    if words and Fix.is_id(words[0]):
        return words[0].casefold(), words[1:]
    return "", words


def wants(request: Request) -> Wanted:
    """Raises UsageError, NotFoundError."""
    return to_look_up(_asked(request, _split(request)[1]))


def run(request: Request) -> Reply:
    """Raises UsageError, NotFoundError."""
    wanted, words = _split(request)
    _, because = split_because(request.words)
    found = fixes(answer(_asked(request, words)))
    question = " ".join(words)
    if not wanted:
        return views.listed(found, question, request.cluster.view, request.now)
    chosen = next((one for one in found if one.id == wanted), None)
    if chosen is None:
        lists = f"`{f'/gpu fix {question}'.strip()}` lists those that do"
        raise NotFoundError(f"No remedy with the id {quoted(wanted)} helps now, it may be over: {lists}.")
    cluster = request.cluster
    plan = plan_of(chosen, cluster.view, cluster.inventory, request.now, because or chosen.remedy.action)
    return reply(plan, cluster.view, request.now, needs.BASE)


COMMAND = Command(
    words=("fix",),
    summary="Have a remedy applied that an answer offered",
    access=Access.READ,
    examples=("/gpu fix glm-0", "/gpu fix 3f9a2c glm-0"),
    run=run,
    takes_words="[ID] [THING] [because REASON]",
    page=__doc__ or "",
    needs=needs.KINDS,
    wants=wants,
)

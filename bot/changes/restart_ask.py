"""What somebody asks to restart: `deployment/glm because …`, by the same words as `/why`; a model's name will do."""

from collections.abc import Sequence
from datetime import datetime

from bot.changes.because import needs_because, split_because
from bot.changes.kind import Ask
from bot.changes.workload_target import FORMS
from bot.domain.errors import NotFoundError, UsageError
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.inventory import Inventory
from bot.grammar import nearest, quoted
from bot.why.models import serving
from bot.why.subject import Subject, find

COMPARED = 5_000


def restart_ask(
    words: Sequence[str], namespace: str, view: View, inventory: Inventory, now: datetime, *, typed: str
) -> Ask:
    """Raises UsageError, NotFoundError with what to type instead."""
    named, because = split_because(words)
    if len(named) != 1:
        what = "Restart what?" if not named else "One workload at a time."
        raise UsageError(f"{what} For example `{typed} deployment/glm because it answers no more`.")
    subject = _subject(view, named[0], namespace, typed)
    needs_because(because, f"{typed} {subject.typed} because it answers no more")
    arguments = {
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
        "at": f"{now:%Y-%m-%dT%H:%M:%SZ}",
    }
    return Ask(arguments, view, inventory, now, because=because)


def _subject(view: View, word: str, namespace: str, typed: str) -> Subject:
    found = [one for one in (find(view, word) or serving(view, word)) if namespace in ("", one.namespace)]
    fit = [one for one in found if one.kind in FORMS]
    if len(fit) == 1:
        return fit[0]
    if fit:
        raise UsageError(f"{quoted(word)} can mean {names([one.typed for one in fit])}: `{typed} {fit[0].typed} …`.")
    if found:
        kinds = names([kind.lower() for kind in FORMS], len(FORMS))
        raise UsageError(f"{found[0].title} cannot be restarted as a whole; what can be: {kinds}.")
    known = [thing.name for form in FORMS.values() for thing in view.things(form.resource).values()][:COMPARED]
    close = nearest(word.rpartition("/")[2], known)
    hint = f"did you mean `{typed} {close} because …`?" if close else "`/gpu status --by owner` lists who runs here."
    raise NotFoundError(f"Nothing here is called {quoted(word)}; {hint}")

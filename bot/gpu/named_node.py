"""The node that somebody means by a word, or one sentence that helps on."""

from collections.abc import Sequence

from bot.domain.errors import NotFoundError, UsageError
from bot.domain.node import Node
from bot.domain.text import natural
from bot.domain.view import View
from bot.domain.words import names
from bot.gpu.kind import is_gpu_resource
from bot.grammar import nearest, quoted

_WORDS = ("node", "nodes", "no")
COMPARED = 5_000


def named_node(view: View, words: Sequence[str], command: str) -> Node:
    """Raises UsageError where no name is given, or several; NotFoundError where no node is called so.

    `node/gpu-9` is gpu-9, and so is `GPU-9`; `gpu-9` is also a node whose full name goes on with a dot. Any other part
    of a name is not taken for it: it may be the name of a node that has gone.
    """
    if not words:
        raise UsageError(f"Which node? For example `{command} {_example(view)}`.")
    if len(words) > 1:
        raise UsageError(f"One node at a time: for example `{command} {quoted_word(words[0])}`.")
    kind, slash, rest = words[0].partition("/")
    word = rest if slash and kind.casefold() in _WORDS else words[0]
    found = view.nodes.get(word) or _alike(view, word)
    if found is None:
        raise NotFoundError(_nobody(view, word, command))
    return found


def quoted_word(word: str) -> str:
    """As something to type again."""
    return quoted(word).strip("“”")


def _alike(view: View, word: str) -> Node | None:
    low = word.casefold()
    same = [node for name, node in view.nodes.items() if name.casefold() == low]
    found = same or [node for name, node in view.nodes.items() if name.startswith(f"{low}.")]
    return found[0] if len(found) == 1 else None


def _nobody(view: View, word: str, command: str) -> str:
    source = view.source("nodes")
    if not source.known:
        return f"Nodes could not be read ({source.detail or source.reading}), so nothing can be said of {quoted(word)}."
    if not view.nodes:
        return "This cluster has no nodes."
    known = sorted(view.nodes, key=natural)[:COMPARED]
    close = nearest(word, known)
    if close:
        return f"No node is called {quoted(word)}; did you mean `{command} {close}`?"
    return f"No node is called {quoted(word)}; there are: {names(known, 6)}."


def _example(view: View) -> str:
    """A node with GPUs, if there is one."""
    with_gpus = [
        name for name, node in view.nodes.items() if any(is_gpu_resource(resource) for resource in node.capacity)
    ]
    return min(with_gpus or view.nodes or ["gpu-1"], key=natural)

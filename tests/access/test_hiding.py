"""What of an answer is left out for whom may not list pods in a namespace."""

import pytest

from bot.access.hiding import HIDDEN, Sight, seen, typed
from bot.domain.document import Bold, Bullets, Button, Code, Document, paragraph, table
from bot.domain.thing import Thing
from bot.domain.view import View
from bot.domain.workload import Namespace
from tests.factories import a_pod, a_view, put

SECRET = Sight(frozenset({"secret", "sec-2"}))


def the_view() -> View:
    view = a_view(
        a_pod("glm-1", namespace="secret"),
        a_pod("glm-2", namespace="open"),
        a_pod("both-1", namespace="secret"),
        a_pod("both-1", namespace="open"),
        a_pod("train", namespace="secret"),
    )
    for name in ("secret", "sec-2", "open"):
        put(view, Namespace(name=name))
    view.put("deployments", "sec-2/llama-70b", Thing(kind="Deployment", namespace="sec-2", name="llama-70b"))
    return view


HIDES = [
    pytest.param(("secret/glm-1 waits.",), True, id="a pod with its namespace"),
    pytest.param(("Pod glm-1 waits.",), True, id="a pod by its name alone"),
    pytest.param((Code("pod/glm-1"), " waits."), True, id="a pod as people type it"),
    pytest.param(("GLM-1 waits.",), True, id="in capitals"),
    pytest.param(("held by ", Bold("secret"), "/x."), True, id="a namespace and a name in spans of their own"),
    pytest.param(("deployment/llama-70b is short.",), True, id="a workload"),
    pytest.param(("2 pods in sec-2.",), True, id="a namespace alone"),
    pytest.param(("2 pods in secret.",), True, id="a namespace of letters alone, after in"),
    pytest.param((Code("train"), " waits."), True, id="a pod of letters alone, as a name"),
    pytest.param(("It can train again.",), False, id="the same letters as a word of a sentence"),
    pytest.param(("open/glm-2 waits.",), False, id="a pod that may be seen"),
    pytest.param(("both-1 waits.",), False, id="a name that is also there where it may be seen"),
    pytest.param(("open/both-1 waits.",), False, id="the same with the namespace that may be seen"),
    pytest.param(("8 of 16 H200 are free on gpu-3.",), False, id="no name of a namespaced thing"),
]


@pytest.mark.parametrize(("line", "hidden"), HIDES)
def test_a_line_that_names_something_hidden_is_left_out(line: tuple[object, ...], hidden: bool) -> None:
    document = Document(("2 of 4 pods wait.",), (Bullets("Why", (line,)),))  # type: ignore[arg-type]
    told = seen(document, SECRET, the_view())
    [bullets] = told.parts
    assert isinstance(bullets, Bullets)
    assert (bullets.lines == ()) is hidden
    assert ("1 line left out" in " ".join(told.footer)) is hidden


def test_a_table_keeps_its_numbers_without_the_name() -> None:
    document = Document(("8 GPUs.",), (table(("who", "GPUs"), (("secret", 4), ("open", 2), ("glm-1", 2)), (1,)),))
    [rows] = seen(document, SECRET, the_view()).parts
    assert rows.rows == ((HIDDEN, "4"), ("open", "2"), (HIDDEN, "2"))  # type: ignore[union-attr]


def test_an_answer_about_something_hidden_is_one_sentence_that_does_not_name_it() -> None:
    told = seen(Document(("secret/glm-1 waits for 8 GPUs.",), (paragraph(("Log: x",)),)), SECRET, the_view())
    assert told.parts == ()
    assert "secret" not in str(told.verdict)
    assert "list pods" in str(told.verdict)


def test_a_button_that_would_ask_for_it_is_left_out() -> None:
    kept = Button("Why…", "ask", "why glm-2", "Ask")
    buttons = (Button("Why…", "ask", "why secret/glm-1", "Ask"), kept)
    assert seen(Document(("Fine.",), buttons=buttons), SECRET, the_view()).buttons == (kept,)


def test_whoever_sees_everything_gets_the_same_document() -> None:
    document = Document(("secret/glm-1 waits.",))
    assert seen(document, Sight(), the_view()) is document


@pytest.mark.parametrize(
    ("words", "found"),
    [(("glm-1",), "glm-1"), (("secret",), "secret"), (("glm-2",), ""), (("both-1",), ""), (("pending",), "")],
)
def test_what_somebody_types_is_looked_at_before_anything_is_answered(words: tuple[str, ...], found: str) -> None:
    assert typed(words, SECRET, the_view()) == found

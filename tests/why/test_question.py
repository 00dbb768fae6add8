"""What is typed after `why` becomes a question, or one refusal that says what to type instead."""

import pytest

from bot.domain.errors import UsageError
from bot.why.question import Question, take_apart

UNDERSTOOD = [
    ("", Question(), "nothing asks for everything"),
    ("pending", Question(), "everything"),
    ("Waiting", Question(), "another word for it, in any case"),
    ("pending glm-0", Question("glm-0"), "one of those that wait"),
    ("glm-0", Question("glm-0"), "a name"),
    ("llm/GLM-0", Question("llm/GLM-0"), "names keep their case"),
    ("is glm-0 pending", Question("glm-0"), "as people ask"),
    ("does glm-0 not running ?", Question("glm-0"), "with words around it"),
    ("pod glm-0", Question("glm-0"), "a pod, said so"),
    ("deployment/glm", Question("deployment/glm"), "an owner"),
    ("glm-0 details", Question("glm-0", details=True), "with the table"),
    ("details", Question(), "details of nothing are everything"),
    ("pending details", Question(), "also after pending"),
    ("pod/details", Question("pod/details"), "a thing that is called like a word of ours"),
    ("glm-0 if uncordon gpu-3", Question("glm-0", (("uncordon", "gpu-3"),)), "one change"),
    (
        "glm-0 if uncordon gpu-3 and tolerate dedicated",
        Question("glm-0", (("uncordon", "gpu-3"), ("tolerate", "dedicated"))),
        "two changes",
    ),
    (
        "glm-0 if uncordon gpu-3, tolerate dedicated, and request 4 gpus",
        Question("glm-0", (("uncordon", "gpu-3"), ("tolerate", "dedicated"), ("request", "4", "gpus"))),
        "commas between",
    ),
    ("glm-0 IF and uncordon gpu-3 AND", Question("glm-0", (("uncordon", "gpu-3"),)), "surplus ands"),
    ("fits 8 gpus", Question(fits=8), "before anything exists"),
    ("FITS 8", Question(fits=8), "just a number"),
    ("fits 4gpu on one node", Question(fits=4), "in one word, with words after"),
    ("fits 1024 gpus", Question(fits=1024), "the most"),
    ("fits 007 gpus", Question(fits=7), "with noughts before"),
]
REFUSED = [
    ("glm-0 glm-1", "`/why glm-0`", "two names"),
    ("glm-0 please", "“please” is a second one", "a word that nobody knows"),
    ("if uncordon gpu-3", "Name the pod before `if`", "a change for nobody"),
    ("pending if uncordon gpu-3", "Name the pod before `if`", "a change for all"),
    ("glm-0 if", "After `if` comes what to try", "no change"),
    ("glm-0 if and , and", "After `if` comes what to try", "no change but ands"),
    ("fits", "How many GPUs", "no number"),
    ("fits many gpus", "How many GPUs", "no number that we know"),
    ("fits 0 gpus", "How many GPUs", "none"),
    ("fits -1 gpus", "How many GPUs", "fewer than none"),
    ("fits 1025 gpus", "from 1 to 1,024", "more than any node has"),
    ("fits 99999999999999999999999999999", "How many GPUs", "a number without end"),
    ("fits 8 gpus tomorrow", "How many GPUs", "a word too many"),
    ("fits ٣ gpus", "How many GPUs", "digits of another script"),
    ("x`; rm -rf two", "second one", "hostile words"),
]


@pytest.mark.parametrize(("typed", "question"), [pytest.param(typed, one, id=id_) for typed, one, id_ in UNDERSTOOD])
def test_what_is_typed_is_understood(typed: str, question: Question) -> None:
    assert take_apart(tuple(typed.split())) == question


@pytest.mark.parametrize(("typed", "says"), [pytest.param(typed, says, id=id_) for typed, says, id_ in REFUSED])
def test_what_is_not_understood_is_refused_with_what_to_type(typed: str, says: str) -> None:
    with pytest.raises(UsageError) as refusal:
        take_apart(tuple(typed.split()))
    assert says in str(refusal.value)
    assert "`/why" in str(refusal.value)
    assert "\n" not in str(refusal.value)

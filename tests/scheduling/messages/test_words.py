"""Every reason in plain words, with its numbers."""

import re

import pytest

from bot.scheduling.messages import parse, sentence
from bot.scheduling.messages.table import table

JARGON = (
    "preempt",
    "PreFilter",
    "unresolvable",
    "unschedulable",
    "deallocate",
    "(s)",
    "selector #",
    "PVC",
    "PV ",
    "CSI",
)

WORDS = [
    pytest.param(
        "3 Insufficient nvidia.com/gpu", "3 nodes have too little free nvidia.com/gpu for the pod", id="several nodes"
    ),
    pytest.param(
        "1 Insufficient nvidia.com/gpu", "1 node has too little free nvidia.com/gpu for the pod", id="one node"
    ),
    pytest.param(
        "2 node(s) had untolerated taint {a: b}",
        "2 nodes have the taint a=b, which the pod does not tolerate",
        id="taint",
    ),
    pytest.param(
        "2 node(s) had untolerated taint {a: }",
        "2 nodes have the taint a, which the pod does not tolerate",
        id="bare taint",
    ),
    pytest.param('persistentvolumeclaim "x" not found', "the volume claim x does not exist", id="said of the pod"),
    pytest.param(
        '3 persistentvolumeclaim "x" not found', "3 nodes: the volume claim x does not exist", id="counted all the same"
    ),
    pytest.param("2 the moon is full", "2 nodes: “the moon is full”", id="unknown words are quoted"),
    pytest.param("<!channel>\x1b[2J", "“‹!channel>[2J”", id="unknown words are made harmless"),
    pytest.param(
        'persistentvolumeclaim "<!here>" not found', "the volume claim ‹!here> does not exist", id="so are names"
    ),
    pytest.param("2 " + "x" * 5000, "2 nodes: “" + "x" * 239 + "…”", id="and they are short"),
]


@pytest.mark.parametrize(("body", "words"), WORDS)
def test_sentence(body: str, words: str) -> None:
    assert sentence(parse(f"0/3 nodes are available: {body}.").body[0]) == words


def test_node_groups() -> None:
    said = parse("pod didn't trigger scale-up: 2 Insufficient cpu, 1 max node group size reached")
    assert [sentence(reason) for reason in said.body] == [
        "2 node groups have too little free cpu for the pod",
        "1 node group may grow no further",
    ]


def test_no_line_of_the_table_speaks_the_schedulers_jargon() -> None:
    for known in table():
        own = re.sub(r"<[a-z]+>", "", known.words)
        assert [word for word in JARGON if word in own] == [], known


def test_every_line_can_be_said_in_full() -> None:
    """What the words name, the text has."""
    helpers = {"nodes", "are", "have", "do"}
    for known in table():
        named = {piece.split(">")[0] for piece in known.words.split("<")[1:]}
        given = {piece.split(">")[0] for piece in known.text.split("<")[1:]}
        assert named - helpers <= given, known

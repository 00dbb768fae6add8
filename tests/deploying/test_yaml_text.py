"""Manifests as text: whatever is in them, every reader takes the same data from it, and nothing becomes structure."""

import random
import string
from typing import Any

import pytest
import yaml

from bot.deploying.kustomize import kustomization
from bot.deploying.yaml_text import dump
from tests.deploying.building import a_cluster, chosen, gpu_node

ODD = [
    *("no", "Yes", "null", "~", "", " ", "1", "1e3", "0x10", "1_000", "1:30", "2026-11-30", ".inf", "a: b", "a #b"),
    *(
        "- a",
        "? a",
        "*a",
        "&a",
        "!a",
        "%a",
        "@a",
        "`a`",
        "|",
        ">",
        "{a: b}",
        "[a]",
        "'a'",
        '"a"',
        "\\",
        "a\nb",
        "a\r\nb",
    ),
    *("a\tb", "\x00", "\x7f", "\u2028", "\ufeff", "é", "𝕏", "---", "...", "a:", ":a", "=", "<<", "0o7", "12:30:45"),
]


@pytest.mark.parametrize("text", ODD)
def test_an_odd_text_stays_that_text(text: str) -> None:
    data = {"a": text, "b": [text], "c": {"d": text}}
    if text:
        data[text] = "key"
    assert list(yaml.safe_load_all(dump([data]))) == [data]


def made(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(7 if depth < 4 else 5)
    if kind == 0:
        return chance.choice(ODD)
    if kind == 1:
        return "".join(chance.choices(string.printable, k=chance.randrange(12)))
    if kind in (2, 3):
        return chance.choice([True, False, None, 0, -1, 3.5, 10**12])
    if kind == 4:
        return chance.choice([[], {}])
    if kind == 5:
        return [made(chance, depth + 1) for _ in range(chance.randrange(4))]
    return {f"k{number}": made(chance, depth + 1) for number in range(chance.randrange(4))}


@pytest.mark.parametrize("seed", range(40))
def test_any_data_comes_back_as_it_was(seed: int) -> None:
    chance = random.Random(seed)
    objects = [{"kind": "A", "spec": made(chance)} for _ in range(5)]
    assert list(yaml.safe_load_all(dump(objects))) == objects


def test_the_manifests_and_the_folder_for_kustomize_are_the_same_objects() -> None:
    best = chosen(a_cluster(gpu_node("g1")), "glm").best
    assert best is not None
    text = dump(best.rendering.objects)
    assert tuple(yaml.safe_load_all(text)) == best.rendering.objects
    script = kustomization(best, text)
    assert text in script
    base = yaml.safe_load(script.split("END_OF_FILE'\n", 1)[1].split("END_OF_FILE", 1)[0])
    assert (base["kind"], base["resources"], base["namespace"]) == ("Kustomization", ["objects.yaml"], "llm")
    assert "END_OF_FILE" not in text

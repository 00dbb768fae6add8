"""How `/deploy` looks, kept as people see it: as text and as Block Kit; and what numbers go with it."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from yaml import safe_load_all as load_all

from bot.adapters.cluster import kinds
from bot.command import Cluster, Reply, Request
from bot.domain.change import Propose
from bot.domain.errors import UsageError
from bot.domain.source import Reading, Source
from bot.domain.view import View
from bot.gpu.inventory import Inventory
from bot.grammar import parse
from bot.local.workspace.validation import check_message_blocks
from bot.views.blocks import render
from bot.views.text import render as as_text
from commands.deploy import COMMAND
from tests.deploying.building import Object, a_cluster, claim, gpu_node, holder
from tests.factories import NOW, POLICY
from tests.views.golden_files import matches

VOLUME: Object = {
    "apiVersion": "v1",
    "kind": "PersistentVolume",
    "metadata": {"name": "pv-weights", "uid": "pv"},
    "spec": {
        "accessModes": ["ReadWriteMany"],
        "capacity": {"storage": "1Ti"},
        "claimRef": {"namespace": "llm", "name": "weights", "uid": "weights"},
        "nfs": {"server": "nfs", "path": "/"},
    },
    "status": {"phase": "Bound"},
}


def bound() -> Object:
    """A claim that its volume controller has done with."""
    made = claim()
    return {**made, "metadata": {**made["metadata"], "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}}


def asked(view: View, typed: str) -> Reply:
    for kind in kinds.collect():
        view.sources[kind] = Source(kind, Reading.LIVE, NOW)
    words = parse(typed)
    options = {key: value or "" for key, value in words.options.items()}
    cluster = Cluster("test", view, Inventory(view, POLICY))
    return COMMAND.run(Request(words.words, options, typed, cluster, NOW))


def fleet(*more: Object) -> View:
    """Two whole nodes of eight H200, one that is half taken, and a claim with weights."""
    return a_cluster(
        gpu_node("h200-1"),
        gpu_node("h200-2"),
        gpu_node("h200-3"),
        holder("train-1", "h200-3", 4),
        gpu_node("a100-1", "A100"),
        bound(),
        VOLUME,
        *more,
    )


def fits() -> Reply:
    return asked(fleet(), "glm namespace=llm name=glm replicas=2 context=128k because a launch")


def dry() -> Reply:
    return asked(fleet(), "flash dry namespace=llm source=pvc:weights/flash")


def full() -> Reply:
    taken = [holder(f"train-h200-{node}", f"h200-{node}", 6) for node in (1, 2)]
    return asked(fleet(*taken), "glm namespace=llm")


def nothing() -> Reply:
    return asked(a_cluster(gpu_node("a100-1", "A100", gpus=2)), "glm namespace=llm")


def several_nos() -> Reply:
    return asked(fleet(), "glm namespace=llm source=pvc:nowhere queue=team-a priority=highest")


def yaml() -> Reply:
    return asked(fleet(), "flash as yaml namespace=llm")


def as_kustomize() -> Reply:
    return asked(fleet(), "flash as kustomize namespace=llm source=pvc:weights/flash")


LOOKS: dict[str, Callable[[], Reply]] = {
    "deploy_fits": fits,
    "deploy_dry": dry,
    "deploy_full": full,
    "deploy_nothing": nothing,
    "deploy_several_nos": several_nos,
}


@pytest.mark.parametrize("name", LOOKS)
def test_it_looks_so(name: str) -> None:
    reply = LOOKS[name]()
    message: Any = render(reply.document)
    check_message_blocks(message.blocks)
    matches(name, as_text(reply.document))
    matches(f"{name}_blocks", asdict(message))


@pytest.mark.parametrize(
    ("look", "asks"),
    [
        pytest.param(fits, True, id="what fits is asked for"),
        pytest.param(dry, False, id="dry asks nobody"),
        pytest.param(full, False, id="what would wait is not made unless somebody says so"),
        pytest.param(nothing, False, id="what nothing can serve"),
        pytest.param(several_nos, False, id="what the preflight refuses"),
        pytest.param(yaml, False, id="manifests are only shown"),
        pytest.param(as_kustomize, False, id="as for kustomize"),
    ],
)
def test_only_what_can_be_done_and_is_not_dry_is_asked_for(look: Callable[[], Reply], asks: bool) -> None:
    assert [isinstance(one, Propose) for one in look().intents] == [True] * asks


@pytest.mark.parametrize(("look", "kustomize"), [(yaml, False), (as_kustomize, True)])
def test_manifests_are_shown_as_they_would_be_created(look: Callable[[], Reply], kustomize: bool) -> None:
    """They have golden files of their own; here it is about what can be copied and what is cut."""
    reply = look()
    message: Any = render(reply.document)
    check_message_blocks(message.blocks)
    whole = reply.answer.numbers["yaml"]
    assert isinstance(whole, str)
    assert ("kind: Kustomization" in whole) is kustomize
    plan = asked(fleet(), f"flash namespace=llm{' source=pvc:weights/flash' if kustomize else ''}").intents[0].plan  # type: ignore[union-attr]
    if not kustomize:
        assert list(load_all(whole)) == [step.body for step in plan.steps]
    shown = as_text(reply.document)
    assert "nothing is created" in shown.splitlines()[0]
    assert 'gpubot ask "deploy flash as ' in shown or whole in shown


@pytest.mark.parametrize("look", [fits, dry])
def test_the_bar_has_the_shares_that_the_figures_say(look: Callable[[], Reply]) -> None:
    """24 signs for the whole GPU; parts are rounded, so each is off by less than one."""
    told = next(one for one in look().answer.evidence if one.startswith("Memory of each GPU"))
    bar = told.split("`")[1]
    figures = [float(one.rpartition(" ")[2]) for one in told.split("` ")[1].split(", ")]
    total = sum(figures)
    assert len(bar) == 24
    for sign, figure in zip("█▓▒", figures, strict=False):
        assert abs(bar.count(sign) - figure / total * 24) < 1


def test_the_verdict_comes_first_and_names_what_would_help() -> None:
    verdict, *_ = as_text(full().document).splitlines()
    assert verdict.startswith("Cannot be done")
    assert "`wait=yes`" in verdict


def test_until_is_said_as_an_option_or_as_words() -> None:
    as_option, as_words = (
        asked(fleet(), f"flash namespace=llm {end}").intents[0].plan.ends_at  # type: ignore[union-attr]
        for end in ("until=18:00", "until 18:00")
    )
    assert as_option == as_words is not None


WRONG = [
    pytest.param("", "Which model? The catalogue has `glm`", id="no model"),
    pytest.param("nope", "No model of the catalogue", id="a model that nobody knows"),
    pytest.param("glm llama", "One model at a time", id="two models"),
    pytest.param("glm as", "`as yaml` or `as kustomize`", id="as what"),
    pytest.param("glm as pdf", "not “pdf”", id="another form"),
    pytest.param("glm until=18:00 until 19:00", "said twice", id="two ends"),
    pytest.param("glm until=never", "is no time", id="no time"),
    pytest.param("glm until=2020-01-01T10:00", "is past", id="a time that is past"),
    pytest.param("glm variant=fp9", "has no variant “fp9”", id="no such weights"),
    pytest.param("glm replicas=-1", "`replicas` is a number", id="fewer than one"),
    pytest.param("glm replicas=1e9", "`replicas` is a number", id="no whole number"),
    pytest.param("glm context=1", "`context` is the longest request", id="too short"),
    pytest.param("glm context=99999999999999999999k", "`context` is the longest request", id="too long"),
    pytest.param("glm namespace=../kube-system", "cannot be a namespace", id="a path"),
    pytest.param("glm name=$(reboot)", "cannot be", id="a command"),
    pytest.param("glm image=`x`;y", "is no image", id="no image"),
    pytest.param("glm expose=telnet:host", "is no way in", id="no way in"),
    pytest.param("glm source=s3://bucket", "is no source of weights", id="no source"),
    pytest.param("glm engine=tgi", "`engine=", id="an engine that is not planned for"),
    pytest.param("glm tp=7.5", "`tp`", id="half a GPU"),
]


@pytest.mark.parametrize(("typed", "says"), WRONG)
def test_what_makes_no_sense_is_refused_with_what_to_type(typed: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        asked(fleet(), typed)
    assert says in str(refused.value)
    assert "`" in str(refused.value) or says == "is past", "something to type"

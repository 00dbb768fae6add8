"""What a person is told beside a plan: notes of the model, and known faults where the set-up brings them about."""

import pytest

from bot.serving.advice.bugs import ADVICE
from tests.deploying.building import a_cluster, chosen, gpu_node
from tests.serving.test_advice import setup

DBO = "dual batch overlap (DBO) makes answers wrong"


def told(model: str = "glm", product: str = "H200", **options: str) -> str:
    choice = chosen(a_cluster(gpu_node("one", product), gpu_node("two", product)), model, **options)
    return " / ".join(choice.candidates[0].draft.warnings)


@pytest.mark.parametrize(
    ("model", "options", "wanted", "there"),
    [
        pytest.param("glm", {"args": "--enable-dbo"}, DBO, True, id="dual batch overlap with guessing ahead"),
        pytest.param("glm", {}, DBO, False, id="guessing ahead alone"),
        pytest.param("glm-5.3", {}, "GLM-5.3: it always thinks", True, id="a note of the model"),
        pytest.param("glm", {}, "GLM-5.2: ", False, id="no note"),
        pytest.param("glm", {"source": "modelscope"}, "ZhipuAI/GLM-5.2-FP8: the id", True, id="a note of the weights"),
        pytest.param("glm", {"source": "hf"}, "ZhipuAI", False, id="weights of the other hub"),
    ],
)
def test_what_is_told_beside_a_plan(model: str, options: dict[str, str], wanted: str, there: bool) -> None:
    assert (wanted in told(model, **options)) is there


def test_an_engine_that_runs_so_is_advised_against_it() -> None:
    assert any(DBO in one.because for one in ADVICE.judge(setup("--enable-dbo")))
    assert not any(DBO in one.because for one in ADVICE.judge(setup()))
    assert not any(DBO in one.because for one in ADVICE.judge(setup("--enable-dbo", without="speculative-config")))

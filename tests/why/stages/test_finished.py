"""Work that is done."""

from typing import Any

import pytest

from bot.why.finding import Level
from bot.why.stages.finished import STAGE
from tests.why.builders_started import a_case, a_pod_object, an_object, ids, over, running, the_one, told


def test_a_completed_pod_says_when_how_long_and_that_it_holds_nothing() -> None:
    job = an_object("Job", "eval", "batch/v1", spec={}, status={"conditions": [{"type": "Complete", "status": "True"}]})
    pod = a_pod_object("eval-1", phase="Succeeded", statuses=[over(0, "Completed")], owner=("Job", "eval"))
    finding = the_one(STAGE, a_case(pod, job), "finished.completed")
    assert finding.level is Level.NOTE
    assert "llm/eval-1 has done its work at 11:59" in finding.sentence
    assert "after 29 min and holds no GPUs any more" in finding.sentence
    text = told(finding)
    assert "`vllm` exited with code 0" in text
    assert "job llm/eval is complete" in text


def test_a_completed_pod_without_times_is_told_too() -> None:
    pod = a_pod_object(phase="Succeeded", status={"startTime": None, "containerStatuses": None})
    assert (
        the_one(STAGE, a_case(pod), "finished.completed").sentence
        == "llm/glm-0 has done its work and holds no GPUs any more"
    )


@pytest.mark.parametrize(
    "pod",
    [
        pytest.param(a_pod_object(statuses=[running(ready=True)]), id="it runs"),
        pytest.param(a_pod_object(phase="Failed", statuses=[over(1)]), id="it failed"),
        pytest.param(a_pod_object(phase="Pending", node=""), id="it waits"),
    ],
)
def test_nothing_is_said_of_others(pod: dict[str, Any]) -> None:
    assert ids(STAGE, a_case(pod)) == []

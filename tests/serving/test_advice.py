"""Where a set-up differs from advice, it is said with how it is and how it should be; where it does not, nothing is."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.fields import Fields
from bot.domain.version import version
from bot.serving.advice.advice import Setup
from bot.serving.advice.collect import advice, remarks
from bot.serving.arguments import read_arguments
from bot.serving.catalogue import catalogue, find

SHM = {"volumes": [{"name": "shm", "emptyDir": {"medium": "Memory"}}]}
MOUNTED = {"volumeMounts": [{"name": "shm", "mountPath": "/dev/shm"}]}
START = {"startupProbe": {"periodSeconds": 10, "failureThreshold": 360}}
MTP = '--speculative-config={"method":"mtp","num_speculative_tokens":5}'
ADVISED = (
    "--kv-cache-dtype=fp8",
    "--enable-auto-tool-choice",
    "--tool-call-parser=glm47",
    "--reasoning-parser=glm45",
    MTP,
)


def setup(
    *arguments: str,
    without: str = "",
    model: str = "glm-5.2",
    release: str = "0.33.0",
    engine: str = "vllm",
    generation: str = "hopper",
    container: dict[str, Any] | None = None,
    pod: dict[str, Any] | None = None,
    deadline: int = 7200,
    environment: dict[str, str] | None = None,
    **more: Any,
) -> Setup:
    """As advised, but for what is named: arguments come last, and those that hold `without` are left out."""
    found, variant = find(catalogue(), model)
    variant = variant or found.variants[0]
    usual = [one for one in ADVISED if not without or without not in one]
    told = read_arguments([engine, "serve", variant.huggingface, "--tensor-parallel-size=8", *usual, *arguments])
    return Setup(
        engine=engine,
        kind="Deployment",
        version=version(release),
        told=told,
        flags=told.flags,
        owner=Fields({"spec": {"progressDeadlineSeconds": deadline}}),
        pod=Fields(SHM if pod is None else pod),
        container=Fields({**START, **MOUNTED, **(container or {})}),
        generation=generation,
        start_seconds=3300,
        model=found,
        variant=variant,
        support=variant.support(engine),
        image=f"vllm/vllm-openai:v{release}",
        environment={"VLLM_ENGINE_READY_TIMEOUT_S": "3600"} if environment is None else environment,
        **more,
    )


def said(one: Setup) -> list[tuple[str, str, str]]:
    return [(each.what, each.now, each.advised) for each in remarks(one)]


def test_every_file_gives_advice() -> None:
    assert len({one.name for one in advice()}) == len(advice()) == 12
    assert all(one.page for one in advice())


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(setup(), id="all as advised"),
        pytest.param(setup("--kv-cache-dtype=fp8_e4m3"), id="another name of the same cache"),
        pytest.param(setup(without="kv-cache", generation="blackwell"), id="auto means FP8 on Blackwell"),
        pytest.param(setup(without="kv-cache", generation=""), id="GPUs that are not known"),
        pytest.param(setup(model="glm-5.2", release="0.28.0"), id="the oldest release that is advised"),
        pytest.param(replace(setup(without="-"), unread="ConfigMap llm/glm"), id="settings in a file that was not read"),
        pytest.param(setup(environment={"VLLM_ENGINE_READY_TIMEOUT_S": ""}), id="a time limit from elsewhere"),
        pytest.param(setup(pod={"hostIPC": True}), id="the node's own shared memory"),
        pytest.param(setup(pod={**SHM, "terminationGracePeriodSeconds": 360}, container={"lifecycle": {"preStop": {
            "sleep": {"seconds": 15}}}}), id="a grace period that is long enough"),
        pytest.param(setup('--speculative-config={"model":"x/draft","num_speculative_tokens":7}'), id="a draft of its own"),
    ],
)  # fmt: skip
def test_nothing_is_said(one: Setup) -> None:
    assert said(one) == []


@pytest.mark.parametrize(
    ("one", "what", "now", "advised"),
    [
        pytest.param(setup(release="0.22.1"), "version", "vllm 0.22", "0.23 at least", id="too old for the model"),
        pytest.param(setup(release="0.24.0"), "version", "vllm 0.24", "0.28 or later", id="older than advised"),
        pytest.param(setup(without="tool-call"), "tool-call-parser", "not set", "glm47", id="no parser of tool calls"),
        pytest.param(setup("--reasoning-parser=qwen3"), "reasoning-parser", "qwen3", "glm45", id="another's parser"),
        pytest.param(setup(without="auto-tool"), "enable-auto-tool-choice", "not set", "set", id="a parser nobody asks"),
        pytest.param(setup(without="kv-cache"), "kv-cache-dtype", "auto", "fp8", id="BF16 cache on Hopper"),
        pytest.param(setup(generation="h20"), "kv-cache-dtype", "fp8", "auto", id="FP8 cache on H20"),
        pytest.param(setup(without="speculative"), "multi-token prediction", "off", "5 tokens", id="no guessing ahead"),
        pytest.param(
            setup('--speculative-config={"method":"mtp","num_speculative_tokens":9}'),
            "multi-token prediction", "9 tokens", "5", id="too much guessing",
        ),
        pytest.param(setup("--max-model-len=2000000"), "context", "2,000,000 tokens", "1,048,576 at most", id="too long"),
        pytest.param(
            setup(container={"startupProbe": {"periodSeconds": 10, "failureThreshold": 60}}),
            "startup probe", "10 min", "55 min", id="a startup probe that ends the load",
        ),
        pytest.param(
            setup(container={"startupProbe": {}, "livenessProbe": {"timeoutSeconds": 10}}),
            "startup probe", "none", "55 min", id="a liveness probe that ends the load",
        ),
        pytest.param(
            setup(container={"startupProbe": {"periodSeconds": 10, "failureThreshold": 270}}, environment={}),
            "VLLM_ENGINE_READY_TIMEOUT_S", "not set (10 min)", "3300 s", id="the engine's own limit, not raised",
        ),
        pytest.param(setup(deadline=600), "progressDeadlineSeconds", "600 s", "more than 3600 s", id="the Deployment's"),
        pytest.param(
            setup(container={"livenessProbe": {"timeoutSeconds": 1}}),
            "liveness probe's timeout", "1.0 s", "5.0 s", id="a liveness probe in a hurry",
        ),
        pytest.param(setup(pod={}), "/dev/shm", "64 MiB (nothing is mounted)", "a volume in memory, 16 to 32 GiB",
                     id="no shared memory"),
        pytest.param(setup(pod={"volumes": [{"name": "shm", "emptyDir": {}}]}), "/dev/shm", "a volume on disk",
                     "a volume in memory, 16 to 32 GiB", id="shared memory on disk"),
        pytest.param(setup("--shutdown-timeout=300"), "terminationGracePeriodSeconds", "30 s", "more than 5 min",
                     id="a grace period that cuts draining off"),
        pytest.param(replace(setup(), image="vllm/vllm-openai:latest"), "image", "latest", "a tag that names a release",
                     id="a tag that moves"),
        pytest.param(replace(setup(), image="vllm/vllm-openai"), "image", "no tag", "a tag that names a release",
                     id="no tag at all"),
        pytest.param(setup(model="glm-5.1"), "trust-remote-code", "not set", "set", id="a flag of the recipe"),
    ],
)  # fmt: skip
def test_it_is_said(one: Setup, what: str, now: str, advised: str) -> None:
    assert (what, now, advised) in said(one)


def test_a_known_fault_is_told_for_its_versions_and_gpus_alone() -> None:
    broken = setup(release="0.24.0", generation="blackwell")
    assert any("46367" in each.because for each in remarks(broken))
    assert not any("46367" in each.because for each in remarks(setup(release="0.28.0", generation="blackwell")))
    assert not any("46367" in each.because for each in remarks(setup(release="0.24.0")))
    off = setup(release="0.24.0", generation="blackwell", without="speculative")
    assert not any("46367" in each.because for each in remarks(off))


def test_what_keeps_it_from_working_comes_first() -> None:
    first, *rest = remarks(setup(without="-", release="0.20.0", pod={}))
    assert (first.what, first.grave) == ("version", True)
    assert rest
    assert not any(each.grave for each in rest)


def test_sglangs_parsers_of_one_family_are_one() -> None:
    assert not [each for each in said(setup("--tool-call-parser=glm", engine="sglang", release="0.5.23"))
                if each[0] == "tool-call-parser"]  # fmt: skip


def test_a_model_that_the_catalogue_does_not_know_gets_only_what_holds_for_all() -> None:
    unknown = replace(setup(pod={}, without="-"), model=None, variant=None, support=None, start_seconds=0)
    assert {each[0] for each in said(unknown)} == {"/dev/shm"}

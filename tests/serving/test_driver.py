"""CUDA and driver versions, as the compatibility tables have them."""

import pytest

from bot.serving import driver
from bot.serving.driver import Version


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        pytest.param(12040, Version(12, 4), id="12040 is 12.4"),
        pytest.param("12080", Version(12, 8), id="text will do"),
        pytest.param("13000", Version(13, 0), id="13.0"),
        pytest.param("11080", Version(11, 8), id="11.8"),
        pytest.param("twelve", None, id="no number"),
        pytest.param("12", None, id="too short"),
        pytest.param("99999999999", None, id="too long"),
    ],
)
def test_cudas_own_number_is_decoded(number: int | str, expected: Version | None) -> None:
    assert driver.decode(number) == expected


@pytest.mark.parametrize(
    ("cuda", "family", "toolkit"),
    [
        pytest.param(Version(13, 0), "580.00", "580.65.06", id="13.0"),
        pytest.param(Version(13, 2), "580.00", "595.45.04", id="13.2 starts on 580 and compiles on 595"),
        pytest.param(Version(12, 9), "525.60.13", "575.51.03", id="12.9"),
        pytest.param(Version(12, 4), "525.60.13", "550.54.14", id="12.4"),
        pytest.param(Version(11, 8), "450.80.02", "520.61.05", id="11.8"),
    ],
)
def test_a_cuda_version_needs_a_driver(cuda: Version, family: str, toolkit: str) -> None:
    assert str(driver.minimum_driver(cuda)) == family
    assert str(driver.toolkit_driver(cuda)) == toolkit


def test_unknown_versions_have_no_minimum() -> None:
    assert driver.minimum_driver(Version(99)) is None
    assert driver.toolkit_driver(Version(12, 7)) is None
    assert driver.starts_on(Version(99), Version(580)) is None
    assert driver.version("none") is None
    assert driver.newest_cuda(Version(300)) is None


@pytest.mark.parametrize(
    ("image", "cuda"),
    [
        pytest.param("vllm/vllm-openai:cu130", Version(13, 0), id="cu130"),
        pytest.param("vllm/vllm-openai:v0.23.0-cu129", Version(12, 9), id="cu129 beats vLLM's default"),
        pytest.param("vllm/vllm-openai:glm52-cu129", Version(12, 9), id="a launch image"),
        pytest.param("vllm/vllm-openai:v0.33.0", Version(13, 0), id="vLLM from 0.20 on"),
        pytest.param("docker.io/vllm/vllm-openai:v0.19.1@sha256:0123", Version(12, 9), id="vLLM before 0.20, with a digest"),
        pytest.param("vllm/vllm-openai:v0.8.5", Version(12, 4), id="an old vLLM"),
        pytest.param("vllm/vllm-openai:latest", None, id="latest says nothing"),
        pytest.param("lmsysorg/sglang:v0.5.10-cu130", Version(13, 0), id="SGLang"),
        pytest.param("nvidia/cuda:12.9.1-runtime-ubuntu24.04", Version(12, 9), id="NVIDIA's base image"),
        pytest.param("pytorch/pytorch:2.9.0-cuda12.8-cudnn9-runtime", Version(12, 8), id="PyTorch's image"),
        pytest.param("registry.lan:5000/team/engine-cuda13:1.4", Version(13, 0), id="in the name, beside a registry's port"),
        pytest.param("team/engine:v2-12.9", Version(12, 9), id="a bare version after a dash"),
        pytest.param("team/engine:12.9", None, id="a bare version may be the engine's own"),
        pytest.param("team/engine:1.12.4", None, id="part of another version"),
        pytest.param("focus130/engine:1", None, id="cu130 inside a word"),
        pytest.param("", None, id="no image"),
    ],
)  # fmt: skip
def test_an_image_tells_its_cuda(image: str, cuda: Version | None) -> None:
    assert driver.cuda_of_image(image) == cuda


@pytest.mark.parametrize(
    ("image", "node_driver", "starts"),
    [
        pytest.param("vllm/vllm-openai:cu130", "550.144.03", False, id="CUDA 13 on 550 does not start"),
        pytest.param("vllm/vllm-openai:v0.23.0-cu129", "550.144.03", True, id="CUDA 12.9 on 550 does"),
        pytest.param("vllm/vllm-openai:v0.33.0", "580.95.05", True, id="CUDA 13 on 580 does"),
        pytest.param("vllm/vllm-openai:v0.33.0", "570.86.15", False, id="CUDA 13 on 570 does not"),
    ],
)
def test_image_and_driver_fit_or_not(image: str, node_driver: str, *, starts: bool) -> None:
    cuda, installed = driver.cuda_of_image(image), driver.version(node_driver)
    assert cuda
    assert installed
    assert driver.starts_on(cuda, installed) is starts


def test_a_driver_was_made_for_a_cuda() -> None:
    found = driver.version("550.144.03")
    assert found
    assert driver.newest_cuda(found) == Version(12, 4)
    assert str(found) == "550.144.03"

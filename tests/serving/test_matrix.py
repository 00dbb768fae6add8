"""The matrix of drivers, CUDA and images: what config/drivers.yaml says is whole, and a wrong edit is told."""

from datetime import date
from itertools import pairwise

import pytest

from bot.domain import data_file
from bot.domain.errors import ConfigError
from bot.serving import driver
from bot.serving.driver import How, Version
from bot.serving.matrix import matrix, read

TEXT = (data_file.FOLDER / "drivers.yaml").read_text()


def told(text: str = TEXT) -> object:
    return read(data_file.read(text, "f"), "f")


def test_every_entry_names_a_source_that_is_listed_or_a_place() -> None:
    whole = data_file.load("drivers.yaml")
    sources = whole["sources"]
    for part in ("branches", "families", "toolkits", "images", "bad"):
        for key, facts in whole[part].items():  # type: ignore[union-attr]
            source = facts["source"]  # type: ignore[index]
            assert source in sources or "#" in str(source), (part, key)


def test_newer_toolkits_need_newer_drivers() -> None:
    toolkits = matrix().toolkits
    assert list(toolkits) == sorted(toolkits, reverse=True)
    assert all(newer > older for newer, older in pairwise(toolkits.values()))
    assert all(own >= matrix().families[cuda.major] for cuda, own in toolkits.items())


def test_branches_begin_with_a_version_of_their_own_and_end() -> None:
    for number, branch in matrix().branches.items():
        assert branch.first is None or branch.first.major == number
        assert branch.ends is not None
    assert matrix().branches[580].ends == date(2028, 6, 30)
    assert matrix().branches[620].kind == "long-term"
    assert not matrix().branches[550].exact


@pytest.mark.parametrize(
    ("cuda", "has", "product", "how"),
    [
        pytest.param((13, 0), "580.95.05", "NVIDIA H200", How.NATIVE, id="the toolkit's own driver"),
        pytest.param((13, 2), "580.95.05", "NVIDIA H200", How.MINOR, id="an older one of the same family"),
        pytest.param((12, 9), "535.230.02", "Tesla-T4", How.MINOR, id="12.9 on 535"),
        pytest.param((13, 0), "535.230.02", "Tesla-T4", How.FORWARD, id="a data-centre GPU takes a package"),
        pytest.param((13, 0), "535.230.02", "NVIDIA-A100-SXM4-80GB", How.FORWARD, id="as a label spells it"),
        pytest.param((13, 0), "535.230.02", "NVIDIA-GeForce-RTX-4090", How.NO, id="a consumer GPU does not"),
        pytest.param((13, 0), "535.230.02", "NVIDIA RTX A6000", How.PERHAPS, id="some boards do"),
        pytest.param((13, 0), "535.230.02", "", How.PERHAPS, id="a product that nobody told"),
        pytest.param((99, 0), "580.95.05", "NVIDIA H200", None, id="a CUDA that nobody knows"),
    ],
)
def test_how_an_image_runs_on_a_driver(cuda: tuple[int, int], has: str, product: str, how: How | None) -> None:
    version = driver.version(has)
    assert version
    assert driver.how(Version(*cuda), version, product) is how


@pytest.mark.parametrize(
    ("image", "cuda"),
    [
        pytest.param("nvcr.io/nvidia/vllm:26.03-py3", Version(13, 2), id="NVIDIA's own vLLM"),
        pytest.param("nvcr.io/nvidia/vllm:25.11-py3", Version(13, 0), id="the release before the change"),
        pytest.param("nvcr.io/nvidia/vllm:25.01-py3", None, id="before the first that is known"),
        pytest.param("vllm/vllm-openai:v0.20.0", Version(13, 0), id="vLLM at the change"),
        pytest.param("vllm/vllm-openai:v0.7.3", None, id="a vLLM that nobody listed"),
    ],
)
def test_an_images_release_tells_its_cuda(image: str, cuda: Version | None) -> None:
    assert driver.cuda_of_image(image) == cuda


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        pytest.param("    kind: long-term", "    kind: eternal", "f: branch 470: `kind` is one of", id="a kind"),
        pytest.param("driver: 580\n", "driver: new\n", "f: `driver` has to be a version, not `new`", id="a version"),
        pytest.param("ends: 2024-09-30", "ends: soon", "f: Invalid isoformat", id="a date"),
        pytest.param("builds: cu130, cu129", "builds: cuda13", "f: a build is written as cu129", id="a build"),
    ],
)
def test_a_wrong_edit_is_told(old: str, new: str, says: str) -> None:
    with pytest.raises(ConfigError) as refused:
        told(TEXT.replace(old, new, 1))
    assert str(refused.value).startswith(says)


def test_what_a_person_edits_is_what_holds() -> None:
    edited = read(data_file.read(TEXT.replace("ends: 2028-06-30", "ends: 2030-01-31"), "f"), "f")
    assert edited.branches[580].ends == date(2030, 1, 31)

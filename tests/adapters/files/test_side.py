"""Side files are found by listing the folder; nothing outside it is ever reached."""

from pathlib import Path

from bot.adapters.files import LogKey, SideFiles


def put(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_finds_what_lies_beside_the_objects(tmp_path: Path) -> None:
    put(
        tmp_path,
        "logs/llm/glm-0/vllm.txt",
        "logs/llm/glm-0/vllm.previous.txt",
        "nodes/gpu-a/kernel.txt",
        "nodes/gpu-a/agent.json",
        "metrics/llm/glm-0.txt",
    )
    side = SideFiles(tmp_path)
    assert side.logs == {
        LogKey("llm", "glm-0", "vllm"): tmp_path / "logs/llm/glm-0/vllm.txt",
        LogKey("llm", "glm-0", "vllm", previous=True): tmp_path / "logs/llm/glm-0/vllm.previous.txt",
    }
    assert side.kernel == {"gpu-a": tmp_path / "nodes/gpu-a/kernel.txt"}
    assert side.agents == {"gpu-a": tmp_path / "nodes/gpu-a/agent.json"}
    assert side.metrics == {"llm/glm-0": tmp_path / "metrics/llm/glm-0.txt"}


def test_a_dump_has_one_log_for_all_containers_of_a_pod(tmp_path: Path) -> None:
    put(tmp_path, "llm/glm-0/logs.txt")
    assert SideFiles(tmp_path, is_dump=True).logs == {LogKey("llm", "glm-0", ""): tmp_path / "llm/glm-0/logs.txt"}


def test_a_link_that_leads_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "private/passwords.txt", "folder/nodes/gpu-a/kernel.txt")
    (tmp_path / "folder/nodes/gpu-b").mkdir()
    (tmp_path / "folder/nodes/gpu-b/kernel.txt").symlink_to(tmp_path / "private/passwords.txt")
    assert set(SideFiles(tmp_path / "folder").kernel) == {"gpu-a"}


def test_a_stream_has_none() -> None:
    side = SideFiles()
    assert (dict(side.logs), dict(side.kernel), dict(side.agents), dict(side.metrics)) == ({}, {}, {}, {})

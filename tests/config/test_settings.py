"""Settings: every key has a default, and a wrong one is named by file, line and key."""

from pathlib import Path

import pytest

from bot.adapters.nodes.access import NodeAccess, Via
from bot.domain.errors import ConfigError
from bot.gpu.policy import USUAL
from config.settings import Settings, load

SHIPPED = Path(__file__).parent.parent.parent / "config" / "gpubot.yaml"


def test_the_shipped_file_says_the_defaults_and_all_of_them() -> None:
    assert load(str(SHIPPED)) == Settings()
    text = SHIPPED.read_text()
    for part in (Settings, *(type(getattr(Settings(), name)) for name in ("slack", "gpu", "nodes", "log"))):
        for key in part.model_fields:
            assert f"{key}:" in text, key


def test_no_file_means_the_defaults() -> None:
    assert load(None) == Settings()


WRONG = [
    ("slack:\n  base_ulr: x\n", "line 2: slack.base_ulr: is no setting; see config/gpubot.yaml"),
    ("slack:\n  ping_interval_seconds: fast\n", "line 2: slack.ping_interval_seconds: "),
    ("slack:\n  ping_interval_seconds: 0\n", "line 2: slack.ping_interval_seconds: "),
    ("slack:\n  command: gpu\n", "line 2: slack.command: "),
    ("clusters:\n  - name: Prod A\n", "line 2: clusters.0.name: "),
    ("clusters:\n  - {name: a}\n  - {name: a}\n", "line 1: clusters: Value error, two clusters are called a"),
    ("clusters:\n  - kubeconfig: x\n", "line 2: clusters.0.name: Field required"),
    ("log:\n  level: loud\n  json_lines: perhaps\n", "(and 1 more)"),
    ("slack:\n  default_cluster: prod\n", "slack.default_cluster: no cluster is called 'prod'; there are: default"),
    (
        "clusters: [{name: a}]\nslack:\n  channel_clusters: {C1: b}\n",
        "slack.channel_clusters.C1: no cluster is called 'b'; there are: a",
    ),
    ("nodes:\n  via: pigeon\n", "line 2: nodes.via: "),
    ("nodes:\n  port: 0\n", "line 2: nodes.port: "),
    (
        "nodes:\n  client_cert_file: a\n",
        "line 1: nodes: Value error, client_cert_file and client_key_file belong together",
    ),
    (
        "nodes: {client_cert_file: a, client_key_file: b}\n",
        "line 1: nodes: Value error, client_cert_file needs ca_file",
    ),
    ("- a\n- b\n", "line 1: the file: "),
    ("a: [1\n", "this is not valid YAML"),
]


@pytest.mark.parametrize(("text", "says"), WRONG, ids=[text.replace("\n", " ") for text, _ in WRONG])
def test_a_wrong_setting_is_named_by_its_place(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "gpubot.yaml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        load(str(file))
    assert str(raised.value).startswith(str(file))
    assert says in str(raised.value)
    assert "\n" not in str(raised.value)


def test_how_nodes_are_asked_is_plain_data_with_whole_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Settings().nodes.access() == NodeAccess()
    file = tmp_path / "gpubot.yaml"
    file.write_text("nodes: {namespace: gpus, via: auto, token_file: ~/token, ca_file: /ca, timeout_seconds: 1.5}\n")
    assert load(str(file)).nodes.access() == NodeAccess(
        namespace="gpus", via=Via.AUTO, token_file=f"{tmp_path}/token", ca_file="/ca", timeout_seconds=1.5
    )


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"], ids=["missing", "no text"])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "gpubot.yaml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"gpubot\.yaml"):
        load(str(file))


def test_without_settings_a_terminal_and_the_bot_go_by_the_same_names() -> None:
    assert Settings().gpu.policy() == USUAL

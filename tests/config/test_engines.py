"""The settings `engines` as plain data, and what they refuse."""

from pathlib import Path

import pytest

from bot.adapters.engines.access import USUAL
from bot.adapters.nodes.access import Via
from bot.domain.errors import ConfigError
from bot.serving.engine_pods import Hint
from config.engines import EngineSettings
from config.settings import load


def settings(tmp_path: Path, text: str) -> EngineSettings:
    file = tmp_path / "gpubot.yaml"
    file.write_text(text)
    return load(str(file)).engines


def test_the_defaults_are_what_is_usual() -> None:
    assert EngineSettings().access() == USUAL


def test_all_of_it(tmp_path: Path) -> None:
    access = settings(
        tmp_path,
        """
engines:
  via: proxy
  page_max_mib: 0.5
  hints:
    - labels: {app: ours}
      port: 9000
      engine: sglang
  prometheus:
    url: http://prometheus.monitoring:9090/
    token_file: ~/token
    pod_label: kubernetes_pod_name
""",
    ).access()
    assert (access.via, access.page_max_bytes) == (Via.PROXY, 2**19)
    assert access.hints == (Hint({"app": "ours"}, port=9000, engine="sglang"),)
    assert access.prometheus is not None
    assert access.prometheus.url == "http://prometheus.monitoring:9090"
    assert access.prometheus.token_file == str(Path("~/token").expanduser())
    assert (access.prometheus.namespace_label, access.prometheus.pod_label) == ("namespace", "kubernetes_pod_name")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(
            "engines:\n  every_seconds: 60\n", "line 2: engines.every_seconds", id="too seldom to see a minute"
        ),
        pytest.param("engines:\n  prometheus:\n    url: prom:9090\n", "line 3: engines.prometheus.url", id="no URL"),
        pytest.param(
            "engines:\n  hints:\n    - labels: {}\n", "engines.hints.0.labels", id="a hint that fits every pod"
        ),
        pytest.param("engines:\n  vai: direct\n", "line 2: engines.vai: is no setting", id="a slip of the fingers"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        settings(tmp_path, text)

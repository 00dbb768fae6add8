"""A terminal asks node agents as well: as its settings say, else by whichever way works."""

import argparse
import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.adapters.nodes.access import NodeAccess, Via
from bot.cli.source import node_access, open_source
from bot.domain.errors import ConfigError
from bot.domain.evidence import NodeRef, Wanted
from tests.cli.test_live import kubeconfig, server

__all__ = ["kubeconfig", "server"]  # fixtures
AGENT = NodeRef("agent", "gpu-1")


def test_without_settings_whichever_way_works() -> None:
    assert node_access() == NodeAccess(via=Via.AUTO)


def test_with_settings_as_they_say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "gpubot.yaml"
    file.write_text("nodes: {namespace: gpus, port: 1234}\n")
    monkeypatch.setenv("GPUBOT_CONFIG", str(file))
    assert node_access() == NodeAccess(namespace="gpus", port=1234)
    monkeypatch.setenv("GPUBOT_CONFIG", str(tmp_path / "none"))
    with pytest.raises(ConfigError, match="none"):
        node_access()


def test_a_live_cluster_without_agents_says_so(kubeconfig: Callable[[str], str]) -> None:
    chosen = argparse.Namespace(folder=None, kubeconfig=kubeconfig("admin"), context=None, at=None)
    opened = open_source(chosen, ("pods",))
    assert opened.looker is not None
    found = asyncio.run(opened.looker.look(Wanted((AGENT,)), 3))
    assert found.missing[AGENT].startswith("no node agent to ask: no pod of gpubot there is labelled")

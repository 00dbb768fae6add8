"""Agents asked by TLS: by a name that is not their address, with a certificate of ours, and who is not believed."""

import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bot.adapters.cluster.connection import plain
from bot.adapters.nodes.access import NodeAccess
from bot.adapters.nodes.reader import NodeReader
from bot.adapters.nodes.told import Told
from bot.domain.evidence import NodeRef
from tests.adapters.cluster.pki import Pki, make
from tests.adapters.nodes.fakes import NOW, FakeAgent, FakeCluster, reading

AGENT = NodeRef("agent", "gpu-1")


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return make(tmp_path_factory.mktemp("pki"))


@pytest.fixture
async def secure(cluster: FakeCluster, agent: FakeAgent, pki: Pki) -> AsyncIterator[FakeCluster]:
    """The agent by TLS, with a certificate for apiserver.test and no address."""
    context = pki.server_context("named")
    context.verify_mode = ssl.CERT_REQUIRED
    runner = web.ServerRunner(web.Server(agent.handle, access_log=None), shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
    cluster.add("gpubot", "gpubot-agent-1", "gpu-1", {"agent": int(runner.addresses[0][1])})
    yield cluster
    await runner.cleanup()


async def ask(cluster: FakeCluster, **settings: Any) -> Told:
    async with plain(cluster.url) as connection:
        return await NodeReader(connection, cluster.view, NodeAccess(**settings), now=lambda: NOW).read(AGENT, 5)


def ours(pki: Pki) -> dict[str, str]:
    return {
        "ca_file": pki.path("ca.crt"),
        "client_cert_file": pki.path("client.crt"),
        "client_key_file": pki.path("client.key"),
        "server_name": "apiserver.test",
    }


async def test_a_certificate_of_ours_is_enough(secure: FakeCluster, pki: Pki) -> None:
    assert await ask(secure, **ours(pki)) == Told(reading())


async def test_without_one_an_agent_that_wants_one_tells_nothing(secure: FakeCluster, pki: Pki) -> None:
    told = await ask(secure, ca_file=pki.path("ca.crt"), server_name="apiserver.test")
    assert told.data is None
    assert told.trouble


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"server_name": "gpubot-agent"}, id="another name"),
        pytest.param({"ca_file": "other-ca.crt"}, id="another authority"),
    ],
)
async def test_who_cannot_prove_itself_is_shown_no_token(
    secure: FakeCluster, agent: FakeAgent, pki: Pki, change: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("a-token-of-sixteen-or-more")
    change = {key: pki.path(value) if key == "ca_file" else value for key, value in change.items()}
    told = await ask(secure, **{**ours(pki), **change}, token_file=str(tmp_path / "token"))
    assert "is not accepted: " in told.trouble
    assert agent.requests == []


async def test_an_agent_without_tls_is_told_apart(cluster: FakeCluster, pki: Pki) -> None:
    assert "does not speak TLS" in (await ask(cluster, ca_file=pki.path("ca.crt"))).trouble


async def test_certificates_that_are_none_are_told(cluster: FakeCluster, tmp_path: Path) -> None:
    (tmp_path / "ca").write_text("no PEM")
    assert "certificate authority cannot be used" in (await ask(cluster, ca_file=str(tmp_path / "ca"))).trouble

"""Who may read: the token, a certificate, this machine."""

import shutil
import ssl
import subprocess
from pathlib import Path

import aiohttp
import pytest

from bot.agent.access import Access, checked, shown
from bot.agent.agent import Agent
from bot.domain.errors import ConfigError
from tests.agent.agents import chosen, get, nobody, serving

TOKEN = "correct-horse-battery"


@pytest.fixture
def token(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    return file


@pytest.mark.parametrize(
    ("shown", "allowed"),
    [
        pytest.param(f"Bearer {TOKEN}", True, id="the token"),
        pytest.param(f"bearer {TOKEN}", True, id="the scheme in small letters"),
        pytest.param("Bearer something-else-entirely", False, id="another token"),
        pytest.param(f"Bearer {TOKEN}x", False, id="more than the token"),
        pytest.param("Bearer ", False, id="no token"),
        pytest.param("Bearer pässword-of-umlauts", False, id="letters that are not ASCII"),
        pytest.param(f"Basic {TOKEN}", False, id="another scheme"),
        pytest.param("", False, id="nothing"),
    ],
)
def test_the_token(token: Path, shown: str, allowed: bool) -> None:
    assert Access(token).allows(shown, certificate=False) is allowed


@pytest.mark.parametrize(
    ("headers", "told"),
    [
        pytest.param({"Authorization": "Bearer a"}, "Bearer a", id="directly"),
        pytest.param({"X-Gpubot-Token": "a"}, "Bearer a", id="through a proxy that keeps Authorization to itself"),
        pytest.param({"Authorization": "Bearer a", "X-Gpubot-Token": "b"}, "Bearer a", id="both: the usual one counts"),
        pytest.param({}, "", id="nothing"),
    ],
)
def test_where_the_token_may_stand(headers: dict[str, str], told: str) -> None:
    assert shown(headers) == told


def test_a_token_that_is_rotated_holds_at_once_and_one_that_is_gone_letsnobody_in(token: Path) -> None:
    access = Access(token)
    token.write_text("another-token-from-now-on")
    assert not access.allows(f"Bearer {TOKEN}", certificate=False)
    assert access.allows("Bearer another-token-from-now-on", certificate=False)
    token.unlink()
    assert not access.allows(f"Bearer {TOKEN}", certificate=False)


def test_without_a_guard_only_this_machine_is_served() -> None:
    for host in ("127.0.0.1", "::1", "localhost"):
        assert checked(host, None, None).allows("", certificate=False)
    for host in ("0.0.0.0", "::", "10.0.0.7", "gpu-a"):
        with pytest.raises(ConfigError, match="others could read"):
            checked(host, None, None)


def test_a_token_must_be_worth_it(tmp_path: Path) -> None:
    (tmp_path / "short").write_text("hello\n")
    with pytest.raises(ConfigError, match="fewer than 16"):
        checked("0.0.0.0", tmp_path / "short", None)


async def test_pages_need_the_token_and_probes_do_not(token: Path, tmp_path: Path) -> None:
    agent = Agent(chosen("--token-file", str(token), "--kernel-log", str(tmp_path / "none")), spawn=nobody)
    async with serving(agent) as url:
        for page in ("reading", "metrics", "kernel"):
            assert (await get(f"http://{url}/{page}"))[0] == 401
            assert (await get(f"http://{url}/{page}", headers={"Authorization": f"Bearer {TOKEN}"}))[0] == 200
        assert (await get(f"http://{url}/healthz"))[0] == 200


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    if not shutil.which("openssl"):
        pytest.skip("certificates need openssl")
    for name in ("server", "reader", "stranger"):
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", f"/CN={name}"]
        names = ["-addext", "subjectAltName=IP:127.0.0.1"]
        files = ["-keyout", f"{tmp_path}/{name}.key", "-out", f"{tmp_path}/{name}.crt"]
        subprocess.run([*command, *names, *files], check=True, capture_output=True)
    return tmp_path


async def test_a_certificate_opens_the_pages_as_well(certificates: Path) -> None:
    flags = {"tls-cert": "server.crt", "tls-key": "server.key", "client-ca": "reader.crt"}
    told = [part for name, file in flags.items() for part in (f"--{name}", f"{certificates}/{file}")]
    agent = Agent(chosen(*told, "--kernel-log", f"{certificates}/none"), spawn=nobody)

    def showing(name: str | None) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=certificates / "server.crt")
        if name:
            context.load_cert_chain(certificates / f"{name}.crt", certificates / f"{name}.key")
        return context

    async with serving(agent) as url:
        assert (await get(f"https://{url}/reading", ssl=showing("reader")))[0] == 200
        assert (await get(f"https://{url}/reading", ssl=showing(None)))[0] == 401
        assert (await get(f"https://{url}/healthz", ssl=showing(None)))[0] == 200
        with pytest.raises(aiohttp.ClientError):
            await get(f"https://{url}/reading", ssl=showing("stranger"))

"""Getting in: every way that a kubeconfig can name, and one clear sentence for each way that fails."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml
from aiohttp import web

from bot.adapters.cluster import connection as module
from bot.adapters.cluster import credentials
from bot.adapters.cluster.connection import Connection, default, from_kubeconfig, plain
from bot.adapters.cluster.once import read_once
from bot.domain.errors import BotError, ClusterError, ConfigError
from tests.adapters.cluster import pki as certificates
from tests.adapters.cluster.fake_api import FakeApi, RefuseError
from tests.adapters.cluster.pki import Pki

SECRET = "s3cr3t-token"


@pytest.fixture(scope="session")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    return certificates.make(tmp_path_factory.mktemp("pki"))


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("KUBECONFIG", "KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"):
        monkeypatch.delenv(name, raising=False)


class Guarded(FakeApi):
    """Lets in whoever has a certificate of ours, or a bearer token in `tokens`; notes who came."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = {SECRET}
        self.came: list[str] = []
        self.rules.append(self._guard)

    def _guard(self, _plural: str, _verb: str, request: web.Request) -> None:
        certificate = request.get_extra_info("peercert")
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        if certificate:
            self.came.append(dict(pair[0] for pair in certificate["subject"])["commonName"])
        elif token in self.tokens or scheme == "Basic":
            self.came.append(f"{scheme} {token}")
        else:
            raise RefuseError(401, "Unauthorized", "Unauthorized")


@asynccontextmanager
async def guarded(pki: Pki, certificate: str = "server") -> AsyncIterator[Guarded]:
    api = Guarded()
    await api.start(pki.server_context(certificate))
    try:
        yield api
    finally:
        await api.stop()


def kubeconfig(
    path: Path,
    port: int,
    user: dict[str, Any],
    cluster: dict[str, Any] | None = None,
    *,
    name: str = "prod",
    **context: Any,
) -> str:
    content = {
        "current-context": name,
        "contexts": [{"name": name, "context": {"cluster": "c", "user": "u", **context}}],
        "clusters": [{"name": "c", "cluster": {"server": f"https://127.0.0.1:{port}", **(cluster or {})}}],
        "users": [{"name": "u", "user": user}],
    }
    path.write_text(yaml.safe_dump(content))
    return str(path)


def plugin(path: Path, *statuses: dict[str, Any], last: str = "") -> dict[str, Any]:
    """An exec plugin that prints the first status when run first, and so on; the last one over and over."""
    script = ["#!/bin/sh", f"cd {path.parent}", "n=$(($(cat runs 2>/dev/null || echo 0) + 1))", "echo $n > runs"]
    for number, status in enumerate(statuses, start=1):
        (path.parent / f"out{number}").write_text(json.dumps({"kind": "ExecCredential", "status": status}))
    script += ['echo "$KUBERNETES_EXEC_INFO" > info', f"[ -f out$n ] || n={len(statuses)}", "cat out$n", last]
    path.write_text("\n".join(script))
    path.chmod(0o755)
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(path), "interactiveMode": "Never"}}


def runs(path: Path) -> int:
    return int((path / "runs").read_text())


async def look(connection: Connection) -> None:
    await read_once("test", connection, now=lambda: datetime.now(UTC), kinds=["pods"])


# ---- getting in ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "came"),
    [
        pytest.param(lambda pki: {"token": SECRET}, f"Bearer {SECRET}", id="a token"),
        pytest.param(lambda pki: {"username": "me", "password": "pw"}, "Basic bWU6cHc=", id="a name and a password"),
        pytest.param(
            lambda pki: {
                "client-certificate-data": pki.inline("client.crt"),
                "client-key-data": pki.inline("client.key"),
            },
            "client",
            id="a certificate inline",
        ),
        pytest.param(
            lambda pki: {"client-certificate": pki.path("client.crt"), "client-key": pki.path("client.key")},
            "client",
            id="a certificate in files",
        ),
    ],
)
async def test_a_user_has(pki: Pki, tmp_path: Path, user: Any, came: str) -> None:
    async with guarded(pki) as api:
        path = kubeconfig(tmp_path / "kc", api.port, user(pki), {"certificate-authority-data": pki.inline("ca.crt")})
        async with await from_kubeconfig(path) as connection:
            await look(connection)
            assert connection.namespace == "default"
    assert api.came == [came]


@pytest.mark.parametrize(
    ("cluster", "certificate"),
    [
        pytest.param(lambda pki: {"certificate-authority": pki.path("ca.crt")}, "server", id="an authority in a file"),
        pytest.param(lambda pki: {"insecure-skip-tls-verify": True}, "expired", id="no look at the certificate"),
        pytest.param(
            lambda pki: {"certificate-authority": pki.path("ca.crt"), "tls-server-name": "apiserver.test"},
            "named",
            id="another name than the address",
        ),
    ],
)
async def test_a_cluster_has(pki: Pki, tmp_path: Path, cluster: Any, certificate: str) -> None:
    async with guarded(pki, certificate) as api:
        path = kubeconfig(tmp_path / "kc", api.port, {"token": SECRET}, cluster(pki))
        async with await from_kubeconfig(path) as connection:
            await look(connection)
    assert api.came == [f"Bearer {SECRET}"]


async def test_relative_paths_start_at_the_kubeconfig(pki: Pki, tmp_path: Path) -> None:
    os.symlink(pki.directory, tmp_path / "pki")
    async with guarded(pki) as api:
        user = {"client-certificate": "pki/client.crt", "client-key": "pki/client.key"}
        path = kubeconfig(tmp_path / "kc", api.port, user, {"certificate-authority": "pki/ca.crt"})
        async with await from_kubeconfig(path) as connection:
            await look(connection)
    assert api.came == ["client"]


async def test_a_token_file_is_read_again_when_its_minute_is_over(
    pki: Pki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with guarded(pki) as api:
        (tmp_path / "token").write_text(f"{SECRET}\n")
        path = kubeconfig(tmp_path / "kc", api.port, {"tokenFile": "token"}, {"insecure-skip-tls-verify": True})
        async with await from_kubeconfig(path) as connection:
            await look(connection)
            (tmp_path / "token").write_text("rotated")
            api.tokens = {SECRET, "rotated"}
            await look(connection)
            monkeypatch.setattr(credentials, "TOKEN_FILE_SECONDS", 0.0)
            await look(connection)
    assert api.came == [f"Bearer {SECRET}"] * 2 + ["Bearer rotated"]


async def test_after_a_401_the_kubeconfig_is_read_again(pki: Pki, tmp_path: Path) -> None:
    async with guarded(pki) as api:
        path = kubeconfig(tmp_path / "kc", api.port, {"token": "old"}, {"insecure-skip-tls-verify": True})
        async with await from_kubeconfig(path) as connection:
            kubeconfig(tmp_path / "kc", api.port, {"token": SECRET}, {"insecure-skip-tls-verify": True})
            await look(connection)
    assert api.came == [f"Bearer {SECRET}"]


async def test_nothing_secret_is_left_in_files_or_shown(
    pki: Pki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    user = {
        "client-certificate-data": pki.inline("client.crt"),
        "client-key-data": pki.inline("client.key"),
        "token": SECRET,
    }
    async with await from_kubeconfig(kubeconfig(tmp_path / "kc", 1, user)) as connection:
        assert list(scratch.iterdir()) == []
        assert SECRET not in repr(connection.access)


# ---- exec plugins ----------------------------------------------------------------------------------------------------


async def test_an_exec_plugin_gives_a_token_and_is_run_once(pki: Pki, tmp_path: Path) -> None:
    async with guarded(pki) as api:
        user = plugin(tmp_path / "plugin", {"token": SECRET, "expirationTimestamp": "2099-01-01T00:00:00Z"})
        path = kubeconfig(tmp_path / "kc", api.port, user, {"insecure-skip-tls-verify": True})
        async with await from_kubeconfig(path) as connection:
            await look(connection)
            await look(connection)
    assert (api.came, runs(tmp_path)) == ([f"Bearer {SECRET}"] * 2, 1)
    assert json.loads((tmp_path / "info").read_text())["spec"] == {"interactive": False}


async def test_an_exec_plugin_gives_a_client_certificate(pki: Pki, tmp_path: Path) -> None:
    async with guarded(pki) as api:
        given = {"clientCertificateData": pki.text("client.crt"), "clientKeyData": pki.text("client.key")}
        user = plugin(tmp_path / "plugin", given)
        path = kubeconfig(tmp_path / "kc", api.port, user, {"certificate-authority": pki.path("ca.crt")})
        async with await from_kubeconfig(path) as connection:
            await look(connection)
    assert api.came == ["client"]


async def test_an_exec_plugin_is_run_again_before_its_credentials_end(pki: Pki, tmp_path: Path) -> None:
    async with guarded(pki) as api:
        soon = datetime.fromtimestamp(datetime.now(UTC).timestamp() + 200, UTC).isoformat()
        api.tokens.add("ending")
        statuses = {"token": "ending", "expirationTimestamp": soon}, {"token": SECRET}
        path = kubeconfig(
            tmp_path / "kc", api.port, plugin(tmp_path / "plugin", *statuses), {"insecure-skip-tls-verify": True}
        )
        async with await from_kubeconfig(path) as connection:
            await asyncio.gather(look(connection), look(connection))
    assert (api.came, runs(tmp_path)) == ([f"Bearer {SECRET}"] * 2, 2)


async def test_an_exec_plugin_is_run_again_after_a_401_but_not_over_and_over(pki: Pki, tmp_path: Path) -> None:
    async with guarded(pki) as api:
        user = plugin(tmp_path / "plugin", {"token": "revoked"}, {"token": SECRET}, {"token": "third"})
        path = kubeconfig(tmp_path / "kc", api.port, user, {"insecure-skip-tls-verify": True})
        async with await from_kubeconfig(path) as connection:
            await look(connection)
            api.tokens.clear()
            for _ in range(3):
                with pytest.raises(ClusterError, match="does not accept the credentials"):
                    await look(connection)
    assert (api.came, runs(tmp_path)) == ([f"Bearer {SECRET}"], 2)


async def test_an_exec_plugin_may_be_told_the_cluster(tmp_path: Path) -> None:
    user = plugin(tmp_path / "plugin", {"token": SECRET})
    user["exec"] |= {"provideClusterInfo": True, "env": [{"name": "X", "value": "1"}], "args": ["a"]}
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "me"}}
    path = kubeconfig(tmp_path / "kc", 1, user, {"extensions": [extension]})
    async with await from_kubeconfig(path):
        cluster = json.loads((tmp_path / "info").read_text())["spec"]["cluster"]
    assert cluster == {"server": "https://127.0.0.1:1", "config": {"audience": "me"}}


@pytest.mark.parametrize(
    ("changed", "last", "sentence"),
    [
        pytest.param(
            {}, "echo 'please log in' >&2; echo more >&2; exit 3", "failed with status 3: please log in$", id="fails"
        ),
        pytest.param({}, "exit 4", "failed with status 4: it says nothing$", id="fails in silence"),
        pytest.param(
            {"command": "no-such-plugin", "installHint": "Get it from us."},
            "",
            "cannot be run: .* Get it from us.",
            id="is not there",
        ),
        pytest.param({"interactiveMode": "Always"}, "", "wants to ask questions", id="wants a terminal"),
        pytest.param({}, "echo rubbish", "did not print an ExecCredential", id="prints something else"),
        pytest.param({"command": 7}, "", "is not well-formed", id="is not well-formed"),
    ],
)
async def test_an_exec_plugin_that(tmp_path: Path, changed: dict[str, Any], last: str, sentence: str) -> None:
    user = plugin(tmp_path / "plugin", {"token": SECRET}, last=last)
    user["exec"] |= changed
    with pytest.raises(ConfigError, match=sentence) as caught:
        await from_kubeconfig(kubeconfig(tmp_path / "kc", 1, user))
    assert SECRET not in str(caught.value)


async def test_an_exec_plugin_without_credentials_is_an_error_and_no_anonymous_request(
    pki: Pki, tmp_path: Path
) -> None:
    user = plugin(tmp_path / "plugin", {"clientCertificateData": pki.text("client.crt")})
    with pytest.raises(ConfigError, match="neither a token nor a client certificate with key"):
        await from_kubeconfig(kubeconfig(tmp_path / "kc", 1, user))


async def test_an_exec_plugin_that_never_ends_is_ended(tmp_path: Path) -> None:
    from bot.adapters.cluster import exec_plugin

    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nexec sleep 60\n")
    slow.chmod(0o755)
    with pytest.raises(ConfigError, match=r"did not end within 0\.1 s"):
        await exec_plugin.run(exec_plugin.Plugin(command=str(slow)), timeout_seconds=0.1)


# ---- which kubeconfig, which context ---------------------------------------------------------------------------------


async def test_as_kubectl_the_environment_names_files_and_the_first_current_context_wins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = kubeconfig(tmp_path / "first", 1, {"token": SECRET}, namespace="ml")
    second = tmp_path / "second"
    kubeconfig(second, 2, {"token": SECRET}, name="lab")
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/absent:{first}:{second}")
    async with await default() as one, await default("lab") as other:
        assert (one.described, one.namespace) == ("context `prod` of ~/first, ~/second", "ml")
        assert other.described == "context `lab` of ~/first, ~/second"


async def test_without_a_word_it_is_the_home_s_kubeconfig(tmp_path: Path) -> None:
    (tmp_path / ".kube").mkdir()
    kubeconfig(tmp_path / ".kube" / "config", 7, {"token": SECRET})
    async with await default() as connection:
        assert connection.base_url == "https://127.0.0.1:7"


PARTS = """current-context: a
contexts: [{name: a, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
"""


def broken(content: str) -> Any:
    return lambda path: path.write_text(content)


@pytest.mark.parametrize(
    ("write", "context", "sentence"),
    [
        pytest.param(lambda path: None, None, r"There is no kubeconfig at ~/kc: name one with", id="no file"),
        pytest.param(
            broken(f"users: [token: {SECRET}\n- x"), None, r"~/kc is not valid YAML \(line 2\)\.", id="broken YAML"
        ),
        pytest.param(broken(""), None, "~/kc is not a kubeconfig", id="an empty file"),
        pytest.param(broken(f"- {SECRET}"), None, "~/kc is not a kubeconfig", id="a list"),
        pytest.param(
            broken(f"{PARTS}users: [{{token: {SECRET}}}]"),
            None,
            "an entry of its users has no name",
            id="a user without a name",
        ),
        pytest.param(
            lambda path: kubeconfig(path, 1, {}),
            "lab",
            "no context `lab` in ~/kc: there are `prod`",
            id="no such context",
        ),
        pytest.param(
            broken("contexts: [{name: a, context: {}}]\nclusters: []\nusers: []"),
            None,
            "~/kc names no current context: choose one of `a`",
            id="no current context",
        ),
        pytest.param(broken(f"{PARTS}users: []"), None, "names the user `u`, which is not there", id="no such user"),
        pytest.param(
            lambda path: kubeconfig(path, 1, {"client-certificate": "c.crt", "client-key": "c.key"}),
            None,
            "names the file .*c.crt, which is not there",
            id="no such file",
        ),
        pytest.param(
            lambda path: kubeconfig(path, 1, {"client-certificate-data": f"!{SECRET}", "client-key-data": "x"}),
            None,
            "cannot be used",
            id="data that are not base64",
        ),
        pytest.param(
            lambda path: kubeconfig(path, 1, {}, {"certificate-authority-data": "YWJj"}),
            None,
            "The certificate authority cannot be used",
            id="data that are no certificate",
        ),
        pytest.param(
            lambda path: kubeconfig(path, 1, {}, {"server": "ftp://x"}),
            None,
            "no server address that starts with",
            id="no address",
        ),
        pytest.param(
            lambda path: kubeconfig(path, 1, {"tokenFile": "absent"}),
            None,
            "Cannot read the token file .*absent",
            id="no token file",
        ),
        pytest.param(
            lambda path: kubeconfig(path, 1, {"auth-provider": {"name": "gcp", "config": {"x": SECRET}}}),
            None,
            "use exec",
            id="a way that is gone",
        ),
        pytest.param(lambda path: path.mkdir(), None, "Cannot read ~/kc: Is a directory", id="a directory"),
    ],
)
async def test_a_kubeconfig_with(tmp_path: Path, write: Any, context: str | None, sentence: str) -> None:
    write(tmp_path / "kc")
    with pytest.raises(ConfigError, match=sentence) as caught:
        await from_kubeconfig(str(tmp_path / "kc"), context)
    assert SECRET not in str(caught.value)


# ---- in a pod --------------------------------------------------------------------------------------------------------


async def test_in_a_pod_the_service_account_is_used(pki: Pki, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (("token", SECRET), ("namespace", "bots"), ("ca.crt", pki.text("ca.crt"))):
        (tmp_path / name).write_text(content)
    monkeypatch.setattr("bot.adapters.cluster.auth.SERVICE_ACCOUNT", str(tmp_path))
    async with guarded(pki) as api:
        monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
        monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(api.port))
        async with await default() as connection:
            await look(connection)
            assert (connection.described, connection.namespace) == ("the pod's service account", "bots")
    assert api.came == [f"Bearer {SECRET}"]


async def test_outside_of_a_pod_there_is_no_service_account() -> None:
    with pytest.raises(ConfigError, match="Not in a pod with a service account"):
        await module.in_cluster()


# ---- not getting in --------------------------------------------------------------------------------------------------


async def failing(path: str) -> BotError:
    async with await from_kubeconfig(path) as connection:
        with pytest.raises(ClusterError) as caught:
            await look(connection)
        return caught.value


@pytest.mark.parametrize(
    ("cluster", "certificate", "sentence"),
    [
        pytest.param(
            lambda pki: {"certificate-authority": pki.path("other-ca.crt")},
            "server",
            "does not name: set certificate-authority",
            id="an unknown authority",
        ),
        pytest.param(
            lambda pki: {"certificate-authority": pki.path("ca.crt")},
            "expired",
            "has expired: renew it",
            id="an expired certificate",
        ),
        pytest.param(
            lambda pki: {"certificate-authority": pki.path("ca.crt")},
            "named",
            "is for another name: set tls-server-name in context `prod`",
            id="another name",
        ),
    ],
)
async def test_a_server_with(pki: Pki, tmp_path: Path, cluster: Any, certificate: str, sentence: str) -> None:
    async with guarded(pki, certificate) as api:
        error = await failing(kubeconfig(tmp_path / "kc", api.port, {"token": SECRET}, cluster(pki)))
    assert sentence in str(error)
    assert SECRET not in str(error)


async def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    error = await failing(kubeconfig(tmp_path / "kc", 1, {"token": SECRET}))
    assert str(error) == (
        "Cannot reach https://127.0.0.1:1 (connection refused): is the address right and the API server up? "
        "Context `prod` of ~/kc names it."
    )


async def test_a_server_that_speaks_no_tls(api: FakeApi, tmp_path: Path) -> None:
    error = await failing(kubeconfig(tmp_path / "kc", api.port, {"token": SECRET}))
    assert "(TLS handshake failed): does it speak TLS" in str(error)


async def test_a_name_that_is_not_known(tmp_path: Path) -> None:
    error = await failing(kubeconfig(tmp_path / "kc", 1, {}, {"server": "https://nowhere.invalid"}))
    assert "Cannot reach https://nowhere.invalid (the name is not known)" in str(error)


async def test_a_token_that_is_not_accepted(pki: Pki, tmp_path: Path) -> None:
    async with guarded(pki) as api:
        error = await failing(
            kubeconfig(tmp_path / "kc", api.port, {"token": "no"}, {"insecure-skip-tls-verify": True})
        )
    assert "does not accept the credentials (401): the token or certificate has expired" in str(error)
    assert "context `prod` of ~/kc" in str(error)


async def test_a_proxy_that_is_not_there(tmp_path: Path) -> None:
    error = await failing(kubeconfig(tmp_path / "kc", 1, {}, {"proxy-url": "http://me:pw@127.0.0.1:1"}))
    assert "check proxy-url, HTTPS_PROXY and NO_PROXY" in str(error)
    assert "pw" not in str(error)


def test_a_plain_address_is_for_servers_without_authentication() -> None:
    with pytest.raises(ConfigError, match="name a kubeconfig instead"):
        plain("https://api.example")

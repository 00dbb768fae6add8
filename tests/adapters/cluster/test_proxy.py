"""Which proxy a request goes through."""

import pytest

from bot.adapters.cluster.proxy import is_loopback, proxy_for
from bot.domain.errors import ConfigError

PROXY = "http://proxy:3128"


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.mark.parametrize(
    ("server", "environment", "proxy"),
    [
        pytest.param("https://api.example", {}, None, id="no proxy at all"),
        pytest.param("https://api.example", {"HTTPS_PROXY": PROXY}, PROXY, id="one for https"),
        pytest.param("https://api.example", {"https_proxy": PROXY}, PROXY, id="in small letters"),
        pytest.param("http://api.example", {"HTTPS_PROXY": PROXY}, None, id="one for https only"),
        pytest.param("https://api.example", {"ALL_PROXY": PROXY}, PROXY, id="one for everything"),
        pytest.param("https://api.example", {"HTTPS_PROXY": "proxy:3128"}, PROXY, id="without a scheme"),
        pytest.param("https://127.0.0.1:6443", {"HTTPS_PROXY": PROXY}, None, id="this machine"),
        pytest.param("https://localhost:6443", {"HTTPS_PROXY": PROXY}, None, id="this machine by name"),
        pytest.param("https://[::1]:6443", {"HTTPS_PROXY": PROXY}, None, id="this machine in IPv6"),
        pytest.param(
            "https://api.example", {"HTTPS_PROXY": PROXY, "NO_PROXY": "api.example"}, None, id="the host excluded"
        ),
        pytest.param(
            "https://api.example", {"HTTPS_PROXY": PROXY, "NO_PROXY": ".example"}, None, id="its domain excluded"
        ),
        pytest.param(
            "https://badexample", {"HTTPS_PROXY": PROXY, "NO_PROXY": "example"}, PROXY, id="another name's end"
        ),
        pytest.param(
            "https://10.1.2.3", {"HTTPS_PROXY": PROXY, "NO_PROXY": "x, 10.0.0.0/8"}, None, id="its network excluded"
        ),
        pytest.param("https://11.1.2.3", {"HTTPS_PROXY": PROXY, "NO_PROXY": "10.0.0.0/8"}, PROXY, id="another network"),
        pytest.param(
            "https://11.1.2.3", {"HTTPS_PROXY": PROXY, "NO_PROXY": "10/x"}, PROXY, id="a network that is none"
        ),
        pytest.param("https://api.example", {"HTTPS_PROXY": PROXY, "NO_PROXY": "*"}, None, id="everything excluded"),
    ],
)
def test_of_the_environment(
    server: str, environment: dict[str, str], proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(server, None) == proxy


def test_the_kubeconfig_s_own_proxy_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://other:1")
    monkeypatch.setenv("NO_PROXY", "*")
    assert proxy_for("https://127.0.0.1", PROXY) == PROXY


def test_a_kind_of_proxy_that_cannot_be_used_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"A socks5 proxy is not supported \(proxy-url\)"):
        proxy_for("https://api.example", "socks5://me:secret@proxy")


@pytest.mark.parametrize(("host", "yes"), [("127.8.9.1", True), ("a.localhost", True), ("localhost.example", False)])
def test_this_machine(host: str, yes: bool) -> None:
    assert is_loopback(host) is yes

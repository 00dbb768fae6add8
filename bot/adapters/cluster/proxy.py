"""Which proxy a request goes through: the kubeconfig's, else the environment's, never one for a loopback address."""

import ipaddress
import urllib.request
from urllib.parse import urlsplit

from bot.domain.errors import ConfigError


def proxy_for(base_url: str, configured: str | None) -> str | None:
    """`configured` is the kubeconfig's proxy-url, which holds whatever NO_PROXY says. Raises ConfigError.

    Of the environment: HTTPS_PROXY or HTTP_PROXY by the address' scheme, then ALL_PROXY, unless NO_PROXY names the
    host, its domain, or a network that its address is in, as golang.org/x/net/http/httpproxy reads them.
    """
    if configured:
        return _usable(configured, "proxy-url")
    url = urlsplit(base_url)
    host = url.hostname or ""
    environment = urllib.request.getproxies_environment()
    proxy = environment.get(url.scheme) or environment.get("all")
    if not proxy or is_loopback(host) or _excluded(host, environment.get("no", "")):
        return None
    return _usable(proxy, "the environment's proxy")


def is_loopback(host: str) -> bool:
    """Whether that host name or address is this machine."""
    address = _address(host)
    return host == "localhost" or host.endswith(".localhost") or bool(address and address.is_loopback)


def _usable(proxy: str, where: str) -> str:
    scheme = urlsplit(proxy if "://" in proxy else f"http://{proxy}").scheme
    if scheme not in ("http", "https"):
        raise ConfigError(f"A {scheme} proxy is not supported ({where}): use one that speaks http or https.")
    return proxy if "://" in proxy else f"http://{proxy}"


def _excluded(host: str, no_proxy: str) -> bool:
    address = _address(host)
    return any(_names(entry.strip().lower(), host.lower(), address) for entry in no_proxy.split(","))


def _names(entry: str, host: str, address: ipaddress.IPv4Address | ipaddress.IPv6Address | None) -> bool:
    if not entry:
        return False
    if entry == "*":
        return True
    if address is not None and "/" in entry:
        try:
            return address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    domain = entry.removeprefix("*").removeprefix(".")
    return host == domain or host.endswith(f".{domain}")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None

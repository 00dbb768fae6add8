"""Who may read: whoever shows the token of a file, or a certificate that the given authority has signed."""

import hmac
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from bot.domain.errors import ConfigError

TOKEN_SHORTEST = 16
TOKEN_HEADER = "X-Gpubot-Token"


@dataclass(frozen=True, slots=True)
class Access:
    """The token file is read at each request, so that a rotated Secret holds at once."""

    token_file: Path | None = None
    by_certificate: bool = False

    def allows(self, authorization: str, *, certificate: bool) -> bool:
        if self.by_certificate and certificate:
            return True
        if self.token_file is None:
            return not self.by_certificate  # only on a loopback address, see `checked`
        try:
            token = read_token(self.token_file)
        except ConfigError:
            return False
        scheme, _, shown = authorization.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(shown.strip().encode(), token.encode())


def shown(headers: Mapping[str, str]) -> str:
    """What a reader shows. An API server's proxy takes `Authorization` for itself, so the token may stand apart."""
    apart = headers.get(TOKEN_HEADER, "")
    return headers.get("Authorization", "") or (f"Bearer {apart}" if apart else "")


def read_token(file: Path) -> str:
    """Raises ConfigError."""
    try:
        token = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The token in {file} cannot be read: {error}.") from error
    if len(token) < TOKEN_SHORTEST:
        raise ConfigError(f"The token in {file} has fewer than {TOKEN_SHORTEST} characters.")
    return token


def checked(host: str, token_file: Path | None, client_ca: Path | None) -> Access:
    """Raises ConfigError where the network could read what nobody guards."""
    if token_file:
        read_token(token_file)
    if not token_file and not client_ca and not _loopback(host):
        raise ConfigError(f"On {host} others could read: give --token-file, or --client-ca with --tls-cert, --tls-key.")
    return Access(token_file, by_certificate=client_ca is not None)


def tls(certificate: Path | None, key: Path | None, client_ca: Path | None) -> ssl.SSLContext | None:
    """None without a certificate. A client's certificate is asked for and not required: probes have none."""
    if (certificate is None) != (key is None):
        raise ConfigError("--tls-cert and --tls-key belong together.")
    if certificate is None:
        if client_ca:
            raise ConfigError("--client-ca needs --tls-cert and --tls-key.")
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
        if client_ca:
            context.load_verify_locations(client_ca)
            context.verify_mode = ssl.CERT_OPTIONAL
    except (OSError, ssl.SSLError) as error:
        raise ConfigError(f"The certificates cannot be used: {error}.") from error
    return context


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

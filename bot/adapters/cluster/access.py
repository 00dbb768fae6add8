"""What a request to an API server needs: where it is, how TLS is done, who asks."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.errors import ConfigError


@dataclass(frozen=True)
class Access:
    """The outcome of reading a kubeconfig or a pod's service account. Never logged: `headers` holds the token.

    `described` says in people's words where this came from, as in "context `prod` of ~/.kube/config".
    """

    base_url: str
    described: str
    namespace: str = "default"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    token_file: str | None = None  # read again every minute, since its token rotates
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    server_name: str | None = None  # for SNI and the certificate's name, where it is not the address
    proxy: str | None = field(default=None, repr=False)  # may hold a password
    expires_at: datetime | None = None  # when the credentials end, as an exec plugin says


def read_token(path: str) -> str:
    """The token in that file. Raises ConfigError."""
    try:
        with open(path, encoding="ascii") as file:
            token = file.read().strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not plain text"
        raise ConfigError(f"Cannot read the token file {path}: {reason}.") from error
    if not token:
        raise ConfigError(f"The token file {path} is empty: has the token been mounted?")
    return token

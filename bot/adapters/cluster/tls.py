"""The TLS settings of a cluster as an SSL context."""

import os
import ssl
import tempfile

from bot.domain.errors import ConfigError


def context(
    *, authority: str | None = None, certificate: str | None = None, key: str | None = None, verify: bool = True
) -> ssl.SSLContext:
    """All three are paths of PEM files; without an authority the system's are trusted. Raises ConfigError.

    The strict checks that `ssl.create_default_context` turned on in Python 3.13 are left off: cluster CAs made by
    widespread tools lack the extensions that those ask for.
    """
    settings = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if not verify:
        settings.check_hostname = False
        settings.verify_mode = ssl.CERT_NONE
    elif authority:
        _load(settings.load_verify_locations, authority, what="certificate authority")
    else:
        settings.load_default_certs()
    if certificate:
        _load(settings.load_cert_chain, certificate, key, what="client certificate or its key")
    return settings


def with_client_certificate(settings: ssl.SSLContext, certificate_pem: str, key_pem: str) -> None:
    """Add a certificate that is not in a file. OpenSSL's binding reads files only, so two are there for a moment."""
    with tempfile.TemporaryDirectory(prefix="gpubot-") as directory:
        certificate, key = (_written(directory, name, text) for name, text in (("c", certificate_pem), ("k", key_pem)))
        _load(settings.load_cert_chain, certificate, key, what="client certificate of the exec plugin")


def _written(directory: str, name: str, text: str) -> str:
    path = os.path.join(directory, name)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    return path


def _load(loader: object, *paths: str | None, what: str) -> None:
    try:
        loader(*paths)  # type: ignore[operator]  # one of the context's two loaders
    except (OSError, ValueError) as error:  # ssl.SSLError is an OSError; its text speaks of formats, not of contents
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "not PEM"
        raise ConfigError(f"The {what} cannot be used ({reason}): is it a PEM file, and does the key fit?") from error

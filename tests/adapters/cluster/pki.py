"""Certificates for tests, made with the openssl command."""

import base64
import ssl
import subprocess
from dataclasses import dataclass
from pathlib import Path

KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclass(frozen=True)
class Pki:
    """A directory with `NAME.crt` and `NAME.key`: ca, other-ca, server, expired, client."""

    directory: Path

    def path(self, name: str) -> str:
        return str(self.directory / name)

    def text(self, name: str) -> str:
        return (self.directory / name).read_text()

    def inline(self, name: str) -> str:
        return base64.b64encode((self.directory / name).read_bytes()).decode()

    def server_context(self, name: str = "server") -> ssl.SSLContext:
        """Serves with that certificate; takes a client certificate of our CA, and does without."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.path(f"{name}.crt"), self.path(f"{name}.key"))
        context.load_verify_locations(self.path("ca.crt"))
        context.verify_mode = ssl.CERT_OPTIONAL
        return context


def make(directory: Path) -> Pki:
    """Everything above; takes a fifth of a second."""
    for name in ("ca", "other-ca"):
        _openssl(
            directory,
            "req",
            "-x509",
            *KEY,
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.crt",
            "-days",
            "9",
            "-subj",
            f"/CN={name}",
        )
    _sign(directory, "server", "subjectAltName=DNS:apiserver.test,IP:127.0.0.1")
    _sign(directory, "named", "subjectAltName=DNS:apiserver.test")
    _sign(directory, "expired", "subjectAltName=IP:127.0.0.1", days="-1")
    _sign(directory, "client", "extendedKeyUsage=clientAuth")
    return Pki(directory)


def _sign(directory: Path, name: str, extension: str, days: str = "9") -> None:
    (directory / f"{name}.ext").write_text(extension + "\n")
    _openssl(directory, "req", *KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/O=testers/CN={name}")
    issuer = ("-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial")
    _openssl(
        directory,
        "x509",
        "-req",
        "-in",
        f"{name}.csr",
        *issuer,
        "-out",
        f"{name}.crt",
        "-days",
        days,
        "-extfile",
        f"{name}.ext",
    )


def _openssl(directory: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=directory, check=True, capture_output=True)

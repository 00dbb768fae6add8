"""Who may talk to the control plane: certificates made with openssl, tokens, and kubeconfigs of every usual kind."""

from __future__ import annotations

import base64
import json
import shlex
import subprocess
from pathlib import Path
from typing import Any, Literal

import yaml

Trust = Literal["skip", "file", "data"]
"""How a kubeconfig trusts the server: not at all, by a CA file, or by CA bytes within."""

TOKENS = {
    "admin": ("admin", "system:masters"),
    "scheduler": ("system:kube-scheduler", ""),
    "nobody": ("nobody", ""),
}
"""Token -> (user, group). `nobody` is known to the server and may do nothing."""


class Credentials:
    """The files of one control plane in `folder`; `make()` writes the keys, certificates and the token file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ca_certificate = folder / "ca.crt"
        self.ca_key = folder / "ca.key"
        self.server_certificate = folder / "server.crt"
        self.server_key = folder / "server.key"
        self.service_account_key = folder / "service-accounts.key"
        self.service_account_public_key = folder / "service-accounts.pub"
        self.tokens = folder / "tokens.csv"

    def make(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        openssl("req", "-x509", *_new_key(self.ca_key), "-subj", "/CN=test CA", "-out", str(self.ca_certificate))
        self._sign(self.server_key, self.server_certificate, "/CN=kube-apiserver", names="IP:127.0.0.1,DNS:localhost")
        private, public = str(self.service_account_key), str(self.service_account_public_key)
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-out", private)
        openssl("pkey", "-in", private, "-pubout", "-out", public)
        lines = [f'{token},{user},{user},"{group}"' for token, (user, group) in TOKENS.items()]
        self.tokens.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def client_certificate(self, user: str, *, groups: tuple[str, ...] = ()) -> tuple[Path, Path]:
        """(certificate, key) that the server takes as `user` of `groups`; no group means no rights but RBAC's."""
        certificate, key = self.folder / f"client-{user}.crt", self.folder / f"client-{user}.key"
        subject = "".join(f"/O={group}" for group in groups) + f"/CN={user}"
        self._sign(key, certificate, subject)
        return certificate, key

    def _sign(self, key: Path, certificate: Path, subject: str, *, names: str = "") -> None:
        alternative = ["-addext", f"subjectAltName={names}"] if names else []
        openssl("req", "-x509", "-CA", str(self.ca_certificate), "-CAkey", str(self.ca_key), *_new_key(key),
                "-subj", subject, "-addext", "basicConstraints=critical,CA:FALSE", *alternative,
                "-out", str(certificate))  # fmt: skip


def _new_key(file: Path) -> list[str]:
    return ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc", "-days", "2", "-keyout", str(file)]


def openssl(*arguments: str) -> None:
    """Raises RuntimeError with openssl's last words."""
    done = subprocess.run(
        ["openssl", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise RuntimeError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")


def token_user(token: str) -> dict[str, Any]:
    return {"token": token}


def token_file_user(file: Path) -> dict[str, Any]:
    return {"tokenFile": str(file)}


def certificate_user(certificate: Path, key: Path, *, inline: bool = False) -> dict[str, Any]:
    if inline:
        return {"client-certificate-data": _base64(certificate), "client-key-data": _base64(key)}
    return {"client-certificate": str(certificate), "client-key": str(key)}


def exec_user(token: str) -> dict[str, Any]:
    """A credential plugin, as managed clusters use them: a command that prints a token.

    Source: kubernetes/kubernetes:staging/src/k8s.io/client-go/pkg/apis/clientauthentication/v1/types.go
    """
    version = "client.authentication.k8s.io/v1"
    answer = json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": {"token": token}})
    script = f"printf %s {shlex.quote(answer)}"
    return {"exec": {"apiVersion": version, "command": "sh", "args": ["-c", script], "interactiveMode": "Never"}}


def kubeconfig(server: str, user: dict[str, Any], *, trust: Trust, ca_certificate: Path) -> str:
    """The text of a kubeconfig with one context, `test`."""
    ways: dict[Trust, dict[str, Any]] = {
        "skip": {"insecure-skip-tls-verify": True},
        "file": {"certificate-authority": str(ca_certificate)},
        "data": {"certificate-authority-data": _base64(ca_certificate)},
    }
    return yaml.safe_dump(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "test", "cluster": {"server": server, **ways[trust]}}],
            "users": [{"name": "test", "user": user}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
            "current-context": "test",
        },
        sort_keys=False,
    )


def _base64(file: Path) -> str:
    return base64.b64encode(file.read_bytes()).decode("ascii")

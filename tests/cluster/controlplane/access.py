"""Who may talk to a running control plane: the administrator in every usual way, and users with few rights."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.cluster.controlplane import credentials as creds
from tests.cluster.controlplane.calls import CallError

USERS_NAMESPACE = "users"
RBAC = "rbac.authorization.k8s.io"
TOKEN_SECONDS = 7200

Request = Callable[[str, str, Any], Any]
"""(method, path, body) -> the decoded answer, as administrator."""


class Access:
    """Makes kubeconfig files in `folder`, and users through `request`."""

    def __init__(self, server: str, credentials: creds.Credentials, folder: Path, request: Request) -> None:
        self.server = server
        self.credentials = credentials
        self.folder = folder
        self._request = request
        self._files = 0

    def kubeconfig(self, user: dict[str, Any], *, trust: creds.Trust = "file") -> Path:
        """A new kubeconfig file for a user stanza that one of the `*_user` functions of `credentials` made."""
        self._files += 1
        file = self.folder / f"{self._files}.kubeconfig"
        text = creds.kubeconfig(self.server, user, trust=trust, ca_certificate=self.credentials.ca_certificate)
        file.write_text(text, encoding="utf-8")
        return file

    def with_token(self, token: str, *, trust: creds.Trust = "file") -> Path:
        return self.kubeconfig(creds.token_user(token), trust=trust)

    def administrators(self) -> dict[str, Path]:
        """One kubeconfig for each way to authenticate; all must work wherever kubectl works."""
        pair = self.credentials.client_certificate("admin", groups=("system:masters",))
        token_file = self.folder / "admin.token"
        token_file.write_text("admin\n", encoding="utf-8")
        return {
            "a token, the certificate not looked at": self.with_token("admin", trust="skip"),
            "a token and a CA file": self.with_token("admin"),
            "a token and CA data": self.with_token("admin", trust="data"),
            "a token in a file": self.kubeconfig(creds.token_file_user(token_file)),
            "a client certificate": self.kubeconfig(creds.certificate_user(*pair)),
            "a client certificate as data": self.kubeconfig(creds.certificate_user(*pair, inline=True), trust="data"),
            "a credential plugin": self.kubeconfig(creds.exec_user("admin")),
        }

    def add_user(self, name: str, rules: list[dict[str, Any]]) -> str:
        """The token of a service account that may do in all namespaces what `rules` (those of a ClusterRole) say.

        The server knows it as `system:serviceaccount:users:NAME`.
        """
        accounts = f"/api/v1/namespaces/{USERS_NAMESPACE}/serviceaccounts"
        subject = {"kind": "ServiceAccount", "name": name, "namespace": USERS_NAMESPACE}
        role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": name}
        metadata = {"name": name}
        self._ensure("/api/v1/namespaces", {"metadata": {"name": USERS_NAMESPACE}})
        self._ensure(accounts, {"metadata": metadata})
        self._ensure(f"/apis/{RBAC}/v1/clusterroles", {"metadata": metadata, "rules": rules})
        binding = {"metadata": metadata, "subjects": [subject], "roleRef": role}
        self._ensure(f"/apis/{RBAC}/v1/clusterrolebindings", binding)
        answer = self._request("POST", f"{accounts}/{name}/token", {"spec": {"expirationSeconds": TOKEN_SECONDS}})
        return str(answer["status"]["token"])

    def _ensure(self, path: str, body: dict[str, Any]) -> None:
        try:
            self._request("POST", path, body)
        except CallError as error:
            if error.status != 409:  # there already
                raise

"""The command line of each part of the control plane, with the reason for each flag that is not plain."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.cluster.controlplane.build import STAGES
from tests.cluster.controlplane.credentials import Credentials

PULL_STAGES = Path(__file__).with_name("image-pull-fails.yaml")


@dataclass(frozen=True)
class Layout:
    """Where everything of one control plane is: programs, files, and ports on loopback."""

    binaries: Path
    folder: Path
    credentials: Credentials
    etcd_port: int
    etcd_peer_port: int
    apiserver_port: int
    scheduler_port: int
    controllers_port: int

    @property
    def admin(self) -> Path:
        return self.folder / "admin.kubeconfig"

    @property
    def scheduler(self) -> Path:
        return self.folder / "scheduler.kubeconfig"

    @property
    def etcd_url(self) -> str:
        return f"http://127.0.0.1:{self.etcd_port}"

    @property
    def server(self) -> str:
        return f"https://127.0.0.1:{self.apiserver_port}"

    def health_urls(self) -> dict[str, str]:
        """Where a part says that it is ready; kwok says so nowhere."""
        controllers = f"https://127.0.0.1:{self.controllers_port}/healthz"
        return {
            "etcd": f"{self.etcd_url}/readyz",
            "apiserver": f"{self.server}/readyz",
            "scheduler": f"https://127.0.0.1:{self.scheduler_port}/healthz",
            "controllers": controllers,
            "controllers-with-node-lifecycle": controllers,
        }

    def program(self, name: str) -> str:
        return str(self.binaries / name)


def etcd(at: Layout) -> list[str]:
    peer = f"http://127.0.0.1:{at.etcd_peer_port}"
    return [
        at.program("etcd"),
        f"--data-dir={at.folder / 'etcd'}",
        "--unsafe-no-fsync",  # the data is thrown away
        "--log-level=warn",
        f"--listen-client-urls={at.etcd_url}",
        f"--advertise-client-urls={at.etcd_url}",
        f"--listen-peer-urls={peer}",
        f"--initial-advertise-peer-urls={peer}",
        f"--initial-cluster=default={peer}",
        "--max-txn-ops=1024",  # a load test writes many objects at once
        f"--max-request-bytes={32 * 1024 * 1024}",
    ]


def apiserver(at: Layout) -> list[str]:
    keys = at.credentials
    return [
        at.program("kube-apiserver"),
        f"--etcd-servers={at.etcd_url}",
        "--bind-address=127.0.0.1",
        f"--secure-port={at.apiserver_port}",
        f"--tls-cert-file={keys.server_certificate}",
        f"--tls-private-key-file={keys.server_key}",
        f"--client-ca-file={keys.ca_certificate}",
        f"--token-auth-file={keys.tokens}",
        "--authorization-mode=RBAC",
        # TaintNodesByCondition taints each new node not-ready, and only a kubelet and its controller take that away.
        # ServiceAccount refuses pods until their namespace's account exists.
        "--disable-admission-plugins=TaintNodesByCondition,ServiceAccount",
        "--service-account-issuer=https://issuer.example.com",
        f"--service-account-key-file={keys.service_account_public_key}",
        f"--service-account-signing-key-file={keys.service_account_key}",
        "--service-cluster-ip-range=10.0.0.0/24",
        "--allow-privileged=true",
        "--enable-priority-and-fairness=false",  # tests come in bursts that are nobody's fault
        "--shutdown-watch-termination-grace-period=1s",  # else a stop waits a minute for those who watch
        f"--cert-dir={at.folder / 'apiserver-certificates'}",
    ]


def scheduler(at: Layout) -> list[str]:
    return [
        at.program("kube-scheduler"),
        f"--kubeconfig={at.scheduler}",
        *_served(at, "scheduler", at.scheduler_port),
    ]


def controllers(at: Layout) -> list[str]:
    return [
        at.program("kube-controller-manager"),
        f"--kubeconfig={at.admin}",
        "--controllers=*,-node-lifecycle-controller",  # without a kubelet's lease it fails every node
        f"--service-account-private-key-file={at.credentials.service_account_key}",
        f"--root-ca-file={at.credentials.ca_certificate}",
        *_served(at, "controllers", at.controllers_port),
    ]


def controllers_with_node_lifecycle(at: Layout) -> list[str]:
    """For nodes whose leases kwok renews: a node that kwok does not play becomes NotReady, and is tainted."""
    return [flag.replace(",-node-lifecycle-controller", "") for flag in controllers(at)]


def kwok(at: Layout) -> list[str]:
    return [
        at.program("kwok"),
        f"--kubeconfig={at.admin}",
        "--manage-all-nodes=true",
        "--node-ip=127.0.0.1",
        f"--config={at.binaries / STAGES}",
        f"--config={PULL_STAGES}",
    ]


def _served(at: Layout, name: str, port: int) -> list[str]:
    """A part that is alone needs no leader election; who may read its metrics is asked of the API server."""
    return [
        f"--authentication-kubeconfig={at.admin}",
        f"--authorization-kubeconfig={at.admin}",
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        f"--secure-port={port}",
        f"--cert-dir={at.folder / f'{name}-certificates'}",
    ]

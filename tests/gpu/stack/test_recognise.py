"""Which pods and DaemonSets are which link, whoever installed them."""

from typing import Any

import pytest

from bot.domain.pod import Container
from bot.domain.record import Owner
from bot.gpu.stack.link import Link
from bot.gpu.stack.recognise import of_daemonset, of_pod
from tests.factories import a_pod
from tests.why.builders_stack import PLUGIN_IMAGE, a_daemonset


@pytest.mark.parametrize(
    ("name", "image", "link"),
    [
        pytest.param("nvidia-device-plugin-daemonset", PLUGIN_IMAGE, Link.DEVICE_PLUGIN, id="NVIDIA's plugin"),
        pytest.param(
            "nvidia-gpu-device-plugin", "gke.gcr.io/nvidia-gpu-device-plugin:1.0", Link.DEVICE_PLUGIN, id="GKE's"
        ),
        pytest.param(
            "gpus", "mirror.local/nvidia/k8s-device-plugin:v0.20.0", Link.DEVICE_PLUGIN, id="by its image only"
        ),
        pytest.param("amdgpu-device-plugin-daemonset", "rocm/k8s-device-plugin", Link.DEVICE_PLUGIN, id="AMD's"),
        pytest.param("default-device-plugin", "rocm/k8s-device-plugin:1.31", Link.DEVICE_PLUGIN, id="AMD's operator"),
        pytest.param("intel-gpu-plugin-igpu", "intel/intel-gpu-plugin:0.32.0", Link.DEVICE_PLUGIN, id="Intel's"),
        pytest.param("default-node-labeller", "rocm/k8s-device-plugin:labeller", Link.GPU_FEATURES, id="AMD's labels"),
        pytest.param("hami-device-plugin", "projecthami/hami:v2", Link.DEVICE_PLUGIN, id="a sharing plugin"),
        pytest.param(
            "gpu-feature-discovery", PLUGIN_IMAGE, Link.GPU_FEATURES, id="feature discovery ships in the plugin's image"
        ),
        pytest.param("nfd-worker", "nfd/node-feature-discovery:v0.17.3", Link.NODE_FEATURES, id="NFD's worker"),
        pytest.param(
            "nodes", "registry.k8s.io/nfd/node-feature-discovery:v0.17.3", Link.NODE_FEATURES, id="NFD by its image"
        ),
        pytest.param("nvidia-driver-daemonset", "nvcr.io/nvidia/driver:580", Link.DRIVER, id="the operator's driver"),
        pytest.param("nvidia-driver-installer", "cos-nvidia-installer:fixed", Link.DRIVER, id="GKE's installer"),
        pytest.param("nvidia-container-toolkit-daemonset", "k8s/container-toolkit:v1", Link.TOOLKIT, id="toolkit"),
        pytest.param("nvidia-mig-manager", "k8s-mig-manager:v0.12", Link.MIG_MANAGER, id="MIG manager"),
        pytest.param(
            "nvidia-operator-validator", "gpu-operator:v26", Link.VALIDATOR, id="validator in the operator's image"
        ),
        pytest.param(
            "own-dcgm-exporter", "nvidia/k8s/dcgm-exporter:4.4.1", Link.EXPORTER, id="an exporter of one's own"
        ),
        pytest.param("nvidia-dcgm", "nvidia/cloud-native/dcgm:4.3", Link.DCGM, id="DCGM itself"),
        pytest.param(
            "nvidia-dra-driver-gpu-kubelet-plugin", "k8s-dra-driver-gpu:v25", Link.DRA_DRIVER, id="DRA driver"
        ),
    ],
)
def test_a_daemonset_of_the_stack(name: str, image: str, link: Link) -> None:
    assert of_daemonset(a_daemonset(name, image)) is link


@pytest.mark.parametrize(
    ("name", "image"),
    [
        pytest.param(
            "nvidia-sandbox-device-plugin-daemonset",
            "nvidia/kubevirt-gpu-device-plugin:v1.4",
            id="for virtual machines",
        ),
        pytest.param("kube-proxy", "registry.k8s.io/kube-proxy:v1.33.5", id="kube-proxy"),
        pytest.param("rdma-shared-dp-ds", "mellanox/k8s-rdma-shared-dev-plugin:1.5", id="a device plugin for RDMA"),
        pytest.param("nfd-master", "nfd/node-feature-discovery:v0.17.3", id="NFD's master looks at no node"),
        pytest.param("nfd-gc", "nfd/node-feature-discovery:v0.17.3", id="NFD's garbage collector"),
        pytest.param("chat", "vllm/vllm-openai:v0.24.0", id="a model server"),
    ],
)
def test_others_are_not_of_the_stack(name: str, image: str) -> None:
    assert of_daemonset(a_daemonset(name, image)) is None


def _pod(name: str, **changed: Any) -> Link | None:
    return of_pod(a_pod(name, gpus=0, **changed))


def test_a_pod_is_known_by_its_owner_or_its_labels() -> None:
    assert _pod("abc-x", owner=Owner("DaemonSet", "nvidia-mig-manager")) is Link.MIG_MANAGER
    assert _pod("abc-x", labels={"k8s-app": "nvidia-gpu-device-plugin"}) is Link.DEVICE_PLUGIN


def test_an_init_containers_image_says_nothing() -> None:
    validation = Container("toolkit-validation", "nvcr.io/nvidia/gpu-operator:v26.7.0", init=True)
    assert _pod("chat-0", containers=(validation, Container("vllm", "vllm/vllm-openai"))) is None

"""The kubelet's end of its pod-resources API: a real gRPC server, and answers in protobuf's own encoding."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from bot.agent.pods.kubelet import DRA_DRIVER, METHOD

TEXT, NUMBER, MESSAGE = 9, 3, 11


LAYOUT: dict[str, list[tuple[str, int, int, bool, str]]] = {
    "NUMANode": [("ID", 1, NUMBER, False, "")],
    "TopologyInfo": [("nodes", 1, MESSAGE, True, "NUMANode")],
    "ContainerDevices": [
        ("resource_name", 1, TEXT, False, ""),
        ("device_ids", 2, TEXT, True, ""),
        ("topology", 3, MESSAGE, False, "TopologyInfo"),
    ],
    "CDIDevice": [("name", 1, TEXT, False, "")],
    "ClaimResource": [
        ("cdi_devices", 1, MESSAGE, True, "CDIDevice"),
        ("driver_name", 2, TEXT, False, ""),
        ("pool_name", 3, TEXT, False, ""),
        ("device_name", 4, TEXT, False, ""),
    ],
    "DynamicResource": [
        ("claim_name", 2, TEXT, False, ""),
        ("claim_namespace", 3, TEXT, False, ""),
        ("claim_resources", 4, MESSAGE, True, "ClaimResource"),
    ],
    "ContainerResources": [
        ("name", 1, TEXT, False, ""),
        ("devices", 2, MESSAGE, True, "ContainerDevices"),
        ("cpu_ids", 3, NUMBER, True, ""),
        ("dynamic_resources", 5, MESSAGE, True, "DynamicResource"),
    ],
    "PodResources": [
        ("name", 1, TEXT, False, ""),
        ("namespace", 2, TEXT, False, ""),
        ("containers", 3, MESSAGE, True, "ContainerResources"),
        ("cpu_ids", 4, NUMBER, True, ""),
    ],
    "ListPodResourcesResponse": [("pod_resources", 1, MESSAGE, True, "PodResources")],
}
"""kubernetes/kubelet:pkg/apis/podresources/v1/api.proto, as far as a List answer goes."""


def _response_type() -> Any:
    file = descriptor_pb2.FileDescriptorProto(name="podresources.proto", package="v1", syntax="proto3")
    for name, members in LAYOUT.items():
        message = file.message_type.add(name=name)
        for member, number, kind, repeated, of in members:
            label = (
                descriptor_pb2.FieldDescriptorProto.LABEL_REPEATED
                if repeated
                else descriptor_pb2.FieldDescriptorProto.LABEL_OPTIONAL
            )
            message.field.add(name=member, number=number, type=kind, label=label, type_name=f".v1.{of}" if of else None)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("v1.ListPodResourcesResponse"))


RESPONSE = _response_type()


def pod(name: str, *devices: tuple[str, list[str]], claims: Sequence[str] = ()) -> dict[str, Any]:
    """One container, that many device lists, and devices of one claim."""
    container: dict[str, Any] = {
        "name": "engine",
        "cpu_ids": [1, 2, 70_000],
        "devices": [
            {"resource_name": resource, "device_ids": ids, "topology": {"nodes": [{"ID": 1}]}}
            for resource, ids in devices
        ],
    }
    if claims:
        resources = [
            {
                "driver_name": DRA_DRIVER,
                "pool_name": "gpu-a",
                "device_name": name,
                "cdi_devices": [{"name": f"k8s.{DRA_DRIVER}/gpu=x"}],
            }
            for name in claims
        ]
        container["dynamic_resources"] = [{"claim_name": "c", "claim_namespace": "llm", "claim_resources": resources}]
    return {"namespace": "llm", "name": name, "containers": [container], "cpu_ids": [3]}


@contextmanager
def kubelet(folder: Path, *pods: dict[str, Any], refuse: bool = False) -> Iterator[str]:
    """A gRPC server on a unix socket; returns its path."""
    answer = RESPONSE(pod_resources=pods).SerializeToString()

    def listed(request: bytes, context: grpc.ServicerContext) -> bytes:
        assert request == b""
        if refuse:
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "not you")
        return answer

    method = grpc.unary_unary_rpc_method_handler(listed)  # bytes in, bytes out
    _, service, name = METHOD.split("/")
    with ThreadPoolExecutor(1) as pool:
        server = grpc.server(pool)
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {name: method}),))
        server.add_insecure_port(f"unix:{folder}/kubelet.sock")
        server.start()
        try:
            yield f"{folder}/kubelet.sock"
        finally:
            server.stop(None).wait()

"""The links between a GPU and a pod, bottom up. Each needs those before it."""

import enum


class Link(enum.StrEnum):
    """The value is what people call it."""

    NODE_FEATURES = "node feature discovery worker"
    OPERATOR = "GPU operator"
    DRIVER = "driver"
    FABRIC_MANAGER = "fabric manager"
    TOOLKIT = "container toolkit"
    VALIDATOR = "validator"
    MIG_MANAGER = "MIG manager"
    DEVICE_PLUGIN = "device plugin"
    DRA_DRIVER = "DRA driver"
    GPU_FEATURES = "GPU feature discovery"
    DCGM = "DCGM"
    EXPORTER = "DCGM exporter"


# Without these a node offers no GPUs; the others only tell about them.
NEEDED = (Link.DRIVER, Link.TOOLKIT, Link.VALIDATOR, Link.DEVICE_PLUGIN)

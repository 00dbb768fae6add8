"""What the stack's pods write, and what it means."""

import pytest

from bot.gpu.plugin_log import LONGEST_QUOTE, Sign, read

KLOG = "I1130 09:41:17.206113       1 health.go:159] "


@pytest.mark.parametrize(
    ("line", "sign"),
    [
        pytest.param("failed to initialize NVML: Driver/library version mismatch", Sign.MISMATCH, id="mismatch"),
        pytest.param("XidCriticalError: Xid=94 on Device=GPU-3; marking device as unhealthy.", Sign.XID, id="xid"),
        pytest.param("Caught XID error, XID=79", Sign.XID, id="xid of another plugin"),
        pytest.param("'nvidia.com/gpu' device marked unhealthy: GPU-3", Sign.UNHEALTHY, id="unhealthy"),
        pytest.param(
            "Error waiting for event: x; Marking all devices as unhealthy", Sign.ALL_UNHEALTHY, id="all unhealthy"
        ),
        pytest.param("error: GPU is lost", Sign.LOST, id="lost"),
        pytest.param("nvml error: driver not loaded", Sign.NOT_LOADED, id="driver not loaded"),
        pytest.param(
            "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", Sign.NOT_LOADED, id="smi"
        ),
        pytest.param("could not load NVML library: libnvidia-ml.so.1", Sign.NO_LIBRARY, id="no library"),
        pytest.param("Failed to initialize NVML: Unknown Error", Sign.UNKNOWN_ERROR, id="unknown error"),
        pytest.param("No devices found. Waiting indefinitely.", Sign.NO_DEVICES, id="no devices"),
        pytest.param("GPU driver auto installation is disabled.", Sign.INSTALLATION_OFF, id="installation off"),
        pytest.param("Could not unload NVIDIA driver kernel modules, driver is in use", Sign.IN_USE, id="in use"),
        pytest.param(
            "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
            Sign.SECURE_BOOT,
            id="secure boot",
        ),
        pytest.param("E: Unable to locate package linux-headers-6.8.0-88-generic", Sign.NO_HEADERS, id="no headers"),
        pytest.param("RuntimeError: Error 802: system not yet initialized", Sign.NO_FABRIC, id="fabric"),
        pytest.param("Waiting for change to 'nvidia.com/mig.config' label", Sign.MIG_WAITS, id="MIG manager waits"),
        pytest.param("Timed out waiting for GPU clients to shutdown", Sign.MIG_TIMEOUT, id="MIG clients did not stop"),
        pytest.param("Unable to apply MIG config: invalid profile", Sign.MIG_FAILED, id="MIG failed"),
    ],
)
def test_one_line(line: str, sign: Sign) -> None:
    reading = read(KLOG + line)
    assert [one.sign for one in reading.said] == [sign]
    assert reading.said[0].quote == line
    assert reading.said[0].clock == "09:41"


@pytest.mark.parametrize(
    "line",
    [
        "Starting Plugins.",
        "Registered device plugin for 'nvidia.com/gpu' with Kubelet",
        "Health check completed",
        "Applying MIG device configuration",
        "successfully unloaded the driver",
        "Detected NVML platform: found NVML library",
    ],
)
def test_lines_of_a_plugin_that_is_well_say_nothing(line: str) -> None:
    assert read(KLOG + line).said == ()


def test_numbers_and_devices_are_collected() -> None:
    text = "\n".join(f"{KLOG}XidCriticalError: Xid={code} on Device=GPU-{code}, x" for code in (94, 48, 94))
    said = read(text).find(Sign.XID)
    assert said is not None
    assert (said.xids, said.devices, said.count) == ((94, 48), ("GPU-94", "GPU-48"), 3)


def test_what_the_last_line_means() -> None:
    text = "Timed out waiting for GPU clients to shutdown\nWaiting for change to 'nvidia.com/mig.config' label\n"
    assert read(text).ends_with is Sign.MIG_WAITS
    assert read(text + "Applying MIG device configuration").ends_with is None


def test_a_quote_has_a_bound_and_an_empty_log_says_nothing() -> None:
    said = read("GPU is lost " + "x" * 5000).said[0]
    assert len(said.quote) == LONGEST_QUOTE
    assert read("").said == ()
    assert read("").last == ""

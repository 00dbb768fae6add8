"""Kernel messages in the forms in which nodes have them."""

import json

import pytest

from bot.gpu import reading
from bot.gpu.kernel_log import KernelLog, XidLine

ISO = "2026-11-30T11:21:47,660020+00:00 "


@pytest.mark.parametrize(
    ("line", "bus", "code"),
    [
        pytest.param(
            "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            "0000:3b:00",
            79,
            id="the usual form",
        ),
        pytest.param(
            "NVRM: Xid (0000:3B:00): 13, pid=7, name=x, Graphics", "0000:3b:00", 13, id="without PCI:, in capitals"
        ),
        pytest.param("NVRM: Xid (PCI:00000000:3b:00): 48, x", "0000:3b:00", 48, id="with a domain of eight digits"),
        pytest.param(
            "NVRM: Xid (PCI:0000:01:00 GPU-I:05): 94, Contained", "0000:01:00", 94, id="of an instance of a cut GPU"
        ),
        pytest.param("NVRM: Xid (PCI:0000:3b:00): 45", "0000:3b:00", 45, id="with nothing after the number"),
        pytest.param(
            "NVRM: GPU 0000:18:00.0: GPU has fallen off the bus.", "0000:18:00", 79, id="off the bus without a number"
        ),
        pytest.param(
            "NVRM: The NVIDIA GPU 0000:18:00.0 has fallen off the bus", "0000:18:00", 79, id="the two-line form"
        ),
    ],
)
def test_one_xid(line: str, bus: str, code: int) -> None:
    found = KernelLog(ISO + line).xids
    assert [(one.bus, one.code) for one in found] == [(bus, code)]
    assert found[0].time is not None


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("usb 1-1: Xid (PCI:0000:3b:00): 79, nobody", id="not the driver's line"),
        pytest.param("NVRM: Xid (PCI:zz): 79, bad address", id="no address"),
        pytest.param(
            "NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build", id="the driver loads"
        ),
        pytest.param("audit: type=1400 NVRM", id="something else"),
    ],
)
def test_no_xid(line: str) -> None:
    assert KernelLog(ISO + line).xids == ()


def test_off_the_bus_is_told_once_where_the_number_is_there_too() -> None:
    text = f"{ISO}NVRM: Xid (PCI:0000:18:00): 79, gone\n{ISO}NVRM: GPU 0000:18:00.0: GPU has fallen off the bus."
    assert [one.code for one in KernelLog(text).xids] == [79]


def test_what_was_before_the_last_boot_is_over() -> None:
    text = f"{ISO}NVRM: Xid (PCI:0000:18:00): 79, gone\n{ISO}Linux version 6.8.0\n{ISO}eth0: up"
    log = KernelLog(text)
    assert log.xids == ()
    assert log.booted is not None


def test_the_link_units_say_when_they_are_not_fatal() -> None:
    line = KernelLog(ISO + "NVRM: Xid (PCI:0009:01:00): 149, NETIR_LINK_EVT Nonfatal XC0 i0 Link 08 (0x0)").xids[0]
    assert line.nonfatal


def test_fatal_switch_errors_only() -> None:
    text = "\n".join(
        f"{ISO}nvidia-nvswitch0: SXid (PCI:0000:05:00.0): {code}, {how}"
        for code, how in ((20034, "Fatal, Link 30 LTSSM Fault Up"), (12028, "Non-fatal, Link 32"))
    )
    assert [one.code for one in KernelLog(text).switch_errors] == [20034]


def test_library_and_module_of_two_versions() -> None:
    log = KernelLog(
        f"{ISO}NVRM: API mismatch: the client has the version 580.105.08, but\n"
        f"{ISO}NVRM: this kernel module has the version 580.95.05.  Please"
    )
    assert log.mismatch is not None
    assert (log.mismatch.library, log.mismatch.module) == ("580.105.08", "580.95.05")


def test_a_mismatch_is_over_when_a_driver_was_loaded_after_it() -> None:
    log = KernelLog(
        f"{ISO}NVRM: API mismatch: the client has the version 580.105.08, but\n"
        f"{ISO}NVRM: loading NVIDIA UNIX Open Kernel Module for x86_64  580.105.08  Release Build"
    )
    assert log.mismatch is None
    assert log.loaded == "580.105.08"


def test_who_hangs_and_who_was_killed_as_far_as_it_is_the_stacks() -> None:
    log = KernelLog(
        f"{ISO}Memory cgroup out of memory: Killed process 88 (dcgm-exporter) total-vm:1kB\n"
        f"{ISO}Memory cgroup out of memory: Killed process 89 (python3) total-vm:1kB\n"
        f"{ISO}INFO: task nvidia-smi:312 blocked for more than 241 seconds.\n"
        f"{ISO}INFO: task rsync:313 blocked for more than 120 seconds."
    )
    assert [task.name for task in log.killed] == ["dcgm-exporter"]
    assert [(task.name, task.seconds) for task in log.hung] == [("nvidia-smi", 241)]


def test_fabric_manager_failed_until_it_started() -> None:
    failed = f"{ISO}systemd[1]: Failed to start nvidia-fabricmanager.service - NVIDIA fabric manager service."
    started = f"{ISO}systemd[1]: Started nvidia-fabricmanager.service - NVIDIA fabric manager service."
    assert KernelLog(failed).fabric_failure is not None
    assert KernelLog(f"{failed}\n{started}").fabric_failure is None


def test_upgrades_of_the_drivers_packages_only() -> None:
    log = KernelLog(
        f"{ISO}unattended-upgrade[29]: Packages that will be upgraded: libnvidia-compute-580-server\n"
        f"{ISO}unattended-upgrade[29]: Packages that will be upgraded: openssl curl"
    )
    assert len(log.upgrades) == 1


def test_reloads_of_systemd_and_gpus_that_did_not_start() -> None:
    log = KernelLog(f"{ISO}systemd[1]: Reloading.\n{ISO}NVRM: GPU 0000:2a:00.0: RmInitAdapter failed! (0x24:0x65:1548)")
    assert len(log.reloads) == 1
    assert log.not_started == ("0000:2a:00",)


@pytest.mark.parametrize(
    "stamp",
    [
        pytest.param("[Mon Nov 30 11:21:47 2026] ", id="dmesg -T"),
        pytest.param("2026-11-30T11:21:47+00:00 node-7 kernel: ", id="a journal"),
        pytest.param("2026-11-30T11:21:47.123456Z ", id="with a dot and Z"),
    ],
)
def test_forms_of_time(stamp: str) -> None:
    one: XidLine = KernelLog(f"{stamp}NVRM: Xid (PCI:0000:18:00): 48, x").xids[0]
    assert one.time is not None
    assert one.time.isoformat().startswith("2026-11-30T11:21:47")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n",
        "\0\0",
        "[Mon Foo 99 99:99:99 2026] NVRM: x",
        "2026-99-99T99:99:99 x",
        "NVRM: " * 9999,
        "[  12.3] NVRM: Xid (",
    ],
)
def test_hostile_text_is_only_text(text: str) -> None:
    log = KernelLog(text)
    assert log.xids == ()
    assert log.mismatch is None
    assert log.hung == ()


@pytest.mark.parametrize(
    ("code", "bus", "cleared_at", "left"),
    [
        pytest.param(94, "0000:3b:00", "2026-11-30T11:30:00Z", [], id="a reset after it"),
        pytest.param(94, "0000:3b:00", "2026-11-30T11:20:00Z", [94], id="it came again after the reset"),
        pytest.param(94, "0000:3c:00", "2026-11-30T11:30:00Z", [94], id="a reset of another GPU"),
        pytest.param(79, "0000:3b:00", "2026-11-30T11:30:00Z", [94], id="another number"),
    ],
)
def test_what_an_agent_says_was_cleared_is_over(code: int, bus: str, cleared_at: str, left: list[int]) -> None:
    over = reading.cleared(json.dumps({"clearedXids": [{"code": code, "busId": bus, "clearedAt": cleared_at}]}))
    log = KernelLog(f"{ISO}NVRM: Xid (PCI:0000:3b:00): 94, Contained", over)
    assert [one.code for one in log.xids] == left


@pytest.mark.parametrize("text", ["", "no JSON clearedXids", '{"clearedXids": 7}', '{"clearedXids": [7, {}]}', "[1]"])
def test_rubbish_clears_nothing(text: str) -> None:
    log = KernelLog(f"{ISO}NVRM: Xid (PCI:0000:3b:00): 94, Contained", reading.cleared(text))
    assert [one.code for one in log.xids] == [94]

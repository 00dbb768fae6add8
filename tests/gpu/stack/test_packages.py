"""What to type for a package depends on the node's operating system."""

import pytest

from bot.gpu.stack import packages
from tests.why.builders_stack import a_silent_node

OS = "feature.node.kubernetes.io/system-os_release.ID"


@pytest.mark.parametrize(
    ("name", "command", "action"),
    [
        pytest.param("ubuntu", "apt-mark hold", "", id="Ubuntu"),
        pytest.param("rocky", "dnf versionlock add", "versionlock", id="Rocky"),
        pytest.param("flatcar", "", "", id="an image without packages"),
        pytest.param("", "apt-mark hold", "this is for Debian and Ubuntu", id="not told, so it says what it assumes"),
    ],
)
def test_packages_are_kept_back(name: str, command: str, action: str) -> None:
    remedy = packages.hold(a_silent_node(labels={OS: name} if name else {}))
    assert command in remedy.command
    assert bool(command) is bool(remedy.command)
    assert action in remedy.action
    assert ("Debian" in remedy.action) is (name == "")


@pytest.mark.parametrize(
    ("name", "command"),
    [
        pytest.param("debian", "apt-get install nvidia-fabricmanager-570=570.172.08-1", id="Debian"),
        pytest.param("rhel", "dnf install 'nvidia-fabric*manager-570.172.08'", id="Red Hat"),
        pytest.param("talos", "", id="an image without packages"),
    ],
)
def test_fabric_manager_in_the_drivers_version(name: str, command: str) -> None:
    assert command in packages.fabric_manager(a_silent_node(labels={OS: name}), "570.172.08").command


def test_a_version_from_a_hostile_file_stays_inside_its_quotes() -> None:
    evil = packages.fabric_manager(a_silent_node(), "1; rm -rf /").command
    assert "'nvidia-fabricmanager-1; rm -rf /=1; rm -rf /-1'" in evil

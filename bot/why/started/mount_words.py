"""Why a volume cannot be attached or mounted, from the words of kubelets, mount programs and storage drivers.

kubernetes/kubernetes:pkg/volume, pkg/kubelet/volumemanager; nfs-utils; kubernetes-sigs and cloud CSI drivers.
"""

import re
from dataclasses import dataclass

from bot.domain.pattern import Pattern
from bot.why.started.plain import plain


@dataclass(frozen=True, slots=True)
class Trouble:
    """`words` continue "its volume …" as a sentence of its own; all texts may hold {node} and the pattern's {name}."""

    id: str
    pattern: Pattern
    words: str
    remedy: str
    useless: str = ""


@dataclass(frozen=True, slots=True)
class Told:
    """What was found, filled in."""

    id: str
    words: str
    remedy: str
    useless: str = ""
    name: str = ""


def _says(pattern: str) -> Pattern:
    return Pattern(pattern, re.IGNORECASE)


TROUBLES = (
    Trouble(
        "driver-not-registered",
        _says(r"driver name (?P<name>[\w.-]{1,120}) not found in the list of registered CSI drivers"),
        "the storage driver `{name}` is not registered on {node}: its node pod does not run there (yet)",
        "Get the driver's node pod (a DaemonSet's) to run on {node}",
        "The claim and its volume are in order: nothing has to be made anew",
    ),
    Trouble(
        "host-path",
        _says(r"hostPath type check failed: (?P<name>\S{1,200}) is not (?:a|an) (?:directory|file|socket|char|block)"),
        "the host path `{name}` is not there on {node}, or is of another type than its volume says",
        "Mount the disk, or put the data, at `{name}` on {node} as on the nodes where it runs; else keep the pod on "
        "those",
        "Type `DirectoryOrCreate` only hides it: the pod would start with an empty folder",
    ),
    Trouble(
        "export-refused",
        _says(r"access denied by server while mounting (?P<name>\S{1,200})"),
        "the file server refuses {node} the export `{name}`",
        "Allow {node}'s address in the server's export list, and check the path",
    ),
    Trouble(
        "export-missing",
        _says(r"mounting (?P<name>\S{1,200}) failed, reason given by server: No such file or directory"),
        "the file server has no such export: `{name}`",
        "Correct the path in the volume, or make that folder on the server",
    ),
    Trouble(
        "helper-missing",
        _says(r"you might need a /s?bin/mount\.(?P<name>\w{1,20}) helper"),
        "{node} lacks the program that mounts such a file system (`mount.{name}`)",
        "Install it on the node, or use nodes whose image has it",
    ),
    Trouble(
        "server-unreachable",
        _says(
            r"mount\.\w{1,12}: .{0,80}(?:connection (?:timed out|refused)|no route to host)"
            r"|failed to resolve server (?P<name>[\w.-]{1,120})|mount\(2\): host is down"
        ),
        "{node} does not reach the file server",
        "Check the server, and the way from {node} to it (firewall, security group, DNS)",
    ),
    Trouble(
        "attach-limit",
        _says(
            r"attachment ?limit|max(?:imum)? (?:number of )?(?:volume|disk|attachment)s?\b.{0,60}(?:exceed|reached)"
            r"|exceed(?:s|ed)?.{0,40}(?:max|limit).{0,40}(?:volume|disk|attach)|VolumeAttachmentLimitExceeded"
        ),
        "{node} has as many volumes attached as it can take",
        "Use another node, or end pods there that hold volumes; where the scheduler's count is wrong, restart the "
        "driver's node pod",
    ),
    Trouble(
        "in-use-elsewhere",
        _says(r"already being used by|RESOURCE_IN_USE|is currently attached to|already attached to (?:another|an) "),
        "the disk is still attached to another machine",
        "Find the machine that has it, and detach it there once nothing uses it any more",
    ),
    Trouble(
        "disk-gone",
        _says(r"InvalidVolume\.NotFound|volume .{0,120}(?:not found|does not exist)|disk .{0,120} was not found"),
        "the disk behind its volume does not exist any more",
        "Restore the disk from a snapshot, or make a new claim and fill it again",
    ),
    Trouble(
        "no-permission",
        _says(
            r"UnauthorizedOperation|AccessDenied|AuthorizationFailed|AuthorizationPermissionMismatch|PERMISSION_DENIED"
        ),
        "the storage driver may not do that: its cloud account lacks the right",
        "Give the driver's role the right that the message names",
    ),
    Trouble(
        "bad-filesystem",
        _says(r"wrong fs type, bad option, bad superblock|fsck.{0,40}(?:errors|could not be)|Structure needs cleaning"),
        "the file system on it cannot be mounted: it is damaged, or of another type than its volume says",
        "Take a snapshot first, then check it with `fsck` on a machine where it is not mounted",
    ),
    Trouble(
        "busy",
        _says(r"an operation with the given volume(?: ID)? .{0,160}already exists|operation is (?:still )?pending"),
        "the storage driver is still at an earlier try for this volume and turns new ones away",
        "Read the storage driver's log for what that first try hangs on",
    ),
)


def trouble(message: str, node: str) -> Told | None:
    """What is known; None where nothing is."""
    for one in TROUBLES:
        if found := one.pattern.search(message):
            name = plain(next((text for text in found.groupdict().values() if text), ""))
            words, remedy, useless = (
                text.format(node=node, name=name) for text in (one.words, one.remedy, one.useless)
            )
            return Told(one.id, words, remedy, useless, name)
    return None

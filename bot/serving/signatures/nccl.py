"""Ranks that cannot talk to each other, or wait for one that does not answer."""

from bot.domain.pattern import Pattern
from bot.serving.actions import DELETE_POD, NCCL_DEBUG, SHM
from bot.serving.signature import Blame, Family, Rank, Remedy, Sense, Signature

_FIRST = Remedy(
    "Find the rank that failed first (all pods of the group): its line is the cause, this one only follows."
)
_GROUP = Remedy("Restart the whole group: one lost rank cannot come back alone.")
_XID = Remedy("Look for an Xid or a lost link on the nodes of the group.", "dmesg -T | grep -iE 'xid|nvlink'")
_NCCL = "NVIDIA/nccl"

FAMILY = Family(
    "NCCL",
    (
        Signature(
            id="nccl-interface-missing",
            says=("no socket interface found", "No interface found in the same subnet"),
            cause="NCCL finds no network interface by the name or subnet it was told.",
            remedies=(
                Remedy(
                    "Set `NCCL_SOCKET_IFNAME` and `GLOO_SOCKET_IFNAME` to the pod's interface (mostly `eth0`), or "
                    "leave both out."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_NCCL + ":src/misc/socket.cc",
        ),
        Signature(
            id="nccl-duplicate-gpu",
            says=("Duplicate GPU detected",),
            cause="Two ranks use the same GPU.",
            remedies=(
                Remedy(
                    "Do not set `CUDA_VISIBLE_DEVICES` by hand, and do not spread tensor parallel over shared GPUs or "
                    "MIG slices."
                ),
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.ROOT,
            source=_NCCL + ":src/init.cc",
        ),
        Signature(
            id="nccl-memlock",
            says=("ibv_reg_mr", "ibv_create_cq", "ibv_create_qp"),
            pattern=Pattern(r"(?P<call>ibv_\w{3,30})[^|]{0,120}?(?:Cannot allocate memory|failed|errno)"),
            cause="RDMA could not lock memory ({call}): the container's limit for locked memory is too low.",
            remedies=(Remedy("Add the capability `IPC_LOCK`, and set the runtime's `LimitMEMLOCK=infinity`."),),
            blames=(Blame.NODE, Blame.ARGUMENTS),
            rank=Rank.ROOT,
            source=_NCCL + ":src/misc/ibvwrap.cc",
        ),
        Signature(
            id="nccl-no-rdma-device",
            says=("NET/IB : No device found",),
            cause="NCCL finds no RDMA device in this container and falls back to TCP.",
            remedies=(
                Remedy(
                    "Request the RDMA resource (`rdma/…`) on every pod of the group; inside one node it does not "
                    "matter."
                ),
            ),
            blames=(Blame.ARGUMENTS, Blame.NODE),
            sense=Sense.NOTICE,
            rank=Rank.SPECIFIC,
            source=_NCCL + ":src/transport/net_ib.cc",
        ),
        Signature(
            id="nccl-over-tcp",
            says=("via NET/Socket",),
            cause="Traffic between the nodes' GPUs goes over TCP, not RDMA: many times slower.",
            remedies=(
                Remedy(
                    "Request the RDMA resource on every pod of the group and check `NCCL_IB_HCA`; never set "
                    "`NCCL_IB_DISABLE=1`."
                ),
            ),
            blames=(Blame.NETWORK, Blame.ARGUMENTS),
            sense=Sense.NOTICE,
            source=_NCCL + ":src/transport/net_socket.cc",
        ),
        Signature(
            id="nccl-port-taken",
            says=("Call to bind failed: Address already in use", "Call to bind failed : Address already in use"),
            cause="NCCL could not bind its port: another process with the same network has it (hostNetwork).",
            remedies=(Remedy("Give up `hostNetwork`, or give each group its own `--master-port`."), DELETE_POD),
            blames=(Blame.OTHER_PROCESS,),
            rank=Rank.ROOT,
            restart_helps=None,
            source=_NCCL + ":src/misc/socket.cc",
        ),
        Signature(
            id="nccl-system-error",
            says=(
                "ncclSystemError",
                "NCCL error: unhandled system error",
                "unhandled system error, NCCL version",
                "unhandled system error (run with NCCL_DEBUG=INFO",
            ),
            cause="NCCL failed in a system call: mostly /dev/shm too small, a socket, or locked memory.",
            remedies=(NCCL_DEBUG, SHM),
            blames=(Blame.STORAGE, Blame.NETWORK),
            rank=Rank.GENERAL,
            restart_helps=None,
            source=_NCCL + ":src/include/nccl.h",
        ),
        Signature(
            id="nccl-cuda-error",
            says=("ncclUnhandledCudaError", "unhandled cuda error"),
            cause="NCCL met a CUDA error; the line below or above it names which.",
            remedies=(_FIRST, _XID),
            blames=(Blame.DRIVER, Blame.HARDWARE, Blame.GPU_MEMORY),
            rank=Rank.GENERAL,
            restart_helps=None,
            source=_NCCL + ":src/include/nccl.h",
        ),
        Signature(
            id="nccl-invalid-usage",
            says=("ncclInvalidUsage", "ncclInvalidArgument"),
            cause="The ranks of the group were started in a way that NCCL refuses: mostly two ranks on one GPU or "
            "ranks that disagree.",
            remedies=(
                Remedy("Use the same image and the same arguments in all pods of the group, and one GPU per rank."),
                NCCL_DEBUG,
            ),
            blames=(Blame.ARGUMENTS,),
            rank=Rank.GENERAL,
            source=_NCCL + ":src/include/nccl.h",
        ),
        Signature(
            id="nccl-peer-lost",
            says=(
                "ncclRemoteError",
                "remote process exited or there was a network error",
                "socketProgress: Connection closed by remote peer",
                "NCCL WARN Call to recv from",
                "Connection reset by peer",
            ),
            pattern=Pattern(r"NCCL|nccl|Gloo|gloo|remote process|socketProgress"),
            cause="Another rank of the group went away.",
            remedies=(_FIRST, _GROUP),
            blames=(),
            rank=Rank.CONSEQUENCE,
            restart_helps=None,
            source=_NCCL + ":src/include/nccl.h",
        ),
    ),
)

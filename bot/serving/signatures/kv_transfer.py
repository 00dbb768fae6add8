"""Between engines: the KV cache that a prefill pod hands to a decode pod, and the store where they find each other."""

from bot.domain.pattern import Pattern
from bot.serving.signature import Blame, Family, Rank, Remedy, Signature

FAMILY = Family(
    "KV transfer",
    (
        Signature(
            id="kv-transfer-backend",
            says=("NIXL_ERR_BACKEND", "nixlBackendError"),
            cause="The engines cannot hand over KV cache (NIXL over UCX): the network between their pods does not "
            "carry what UCX chose.",
            remedies=(
                Remedy("Read the UCX lines before it: they name the device or address that failed."),
                Remedy(
                    "Without RDMA set `UCX_TLS=tcp,cuda_copy,cuda_ipc` on all of them; with it, give the pods the RDMA "
                    "resource and IPC_LOCK, and name the devices (`UCX_NET_DEVICES`)."
                ),
            ),
            blames=(Blame.NETWORK, Blame.ARGUMENTS),
            rank=Rank.GENERAL,
            restart_helps=None,
            source="ai-dynamo/nixl, ai-dynamo/dynamo#3724",
        ),
        Signature(
            id="kv-transfer-etcd",
            says=("Failed to connect to etcd server", "Unable to connect to etcd"),
            pattern=Pattern(r"etcd(?:.{0,120}?etcd_url: \[\"(?P<url>[^\"]{1,200})\")?"),
            cause="It does not reach etcd[ at {url}], in which the engines register.",
            remedies=(
                Remedy("See that etcd's pod runs, and that `ETCD_ENDPOINTS` names its Service."),
                Remedy("A NetworkPolicy may stand between: port 2379."),
            ),
            blames=(Blame.NETWORK,),
            restart_helps=None,
            source="ai-dynamo/dynamo#1188",
        ),
    ),
)

"""Which way into a cluster the settings or a command line mean."""

from bot.adapters.cluster.connection import Connection, default, from_kubeconfig, in_cluster


async def open_connection(
    kubeconfig: str | None = None, context: str | None = None, *, service_account: bool = False
) -> Connection:
    """As told; else as kubectl finds its cluster. Raises ConfigError and ClusterError with one sentence."""
    if service_account:
        return await in_cluster()
    if kubeconfig is not None:
        return await from_kubeconfig(kubeconfig, context)
    return await default(context)

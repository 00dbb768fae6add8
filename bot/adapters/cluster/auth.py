"""From a kubeconfig or a pod's service account to an `Access`. Imports the official package only when called.

That package merges files, decodes what stands inline, finds relative paths, and renews OpenID tokens. Exec plugins and
token files are ours (see exec_plugin, access): it would read a token file once and hide a plugin's failure.
"""

import asyncio
import os
import tempfile
from typing import Any

import msgspec

from bot.adapters.cluster import exec_plugin, kubeconfig, proxy, tls
from bot.adapters.cluster.access import Access, read_token
from bot.adapters.cluster.kubeconfig import Selection
from bot.domain.errors import ConfigError

SERVICE_ACCOUNT_WORDS = "the pod's service account"
SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"


async def from_kubeconfig(paths: list[str], context: str | None) -> Access:
    """What the context says now; run again to renew it. Raises ConfigError."""
    selection = await asyncio.to_thread(kubeconfig.select, paths, context)
    plugin = _plugin(selection)
    credential = await exec_plugin.run(plugin) if plugin else None
    return await asyncio.to_thread(_access, selection, credential)


async def in_cluster() -> Access:
    """The service account of the pod that this process runs in. Raises ConfigError."""
    return await asyncio.to_thread(_service_account, SERVICE_ACCOUNT)


def is_in_cluster() -> bool:
    return bool(os.environ.get("KUBERNETES_SERVICE_HOST")) and os.path.exists(f"{SERVICE_ACCOUNT}/token")


def _plugin(selection: Selection) -> exec_plugin.Plugin | None:
    spec = selection.user.get("exec")
    if not spec or _has_token(selection.user) or "auth-provider" in selection.user:
        return None
    try:
        plugin = msgspec.convert(spec, exec_plugin.Plugin)
    except msgspec.ValidationError as error:
        raise ConfigError(f"The exec plugin of user `{selection.user_name}` is not well-formed: {error}.") from error
    return msgspec.structs.replace(plugin, directory=selection.user_directory, cluster=_told(selection.cluster))


def _has_token(user: dict[str, Any]) -> bool:
    return bool(user.get("token") or user.get("tokenFile"))


def _told(cluster: dict[str, Any]) -> dict[str, object]:
    """The cluster as ExecCredential's spec.cluster has it, with the plugin's own configuration from its extensions."""
    extensions = {one.get("name"): one.get("extension") for one in cluster.get("extensions") or ()}
    told = {name: value for name, value in cluster.items() if name != "extensions"}
    own = extensions.get("client.authentication.k8s.io/exec")
    return told if own is None else {**told, "config": own}


def _access(selection: Selection, credential: exec_plugin.Credential | None) -> Access:
    with tempfile.TemporaryDirectory(prefix="gpubot-") as directory:  # what stands inline is in files for a moment
        settings = _official(selection, directory)
        if not settings.host.startswith(("http://", "https://")):
            raise ConfigError(f"The cluster of {selection.described} has no server address that starts with https://.")
        secure = settings.host.startswith("https://")
        context = _tls(settings) if secure else None
    if credential and credential.client_certificate_data and credential.client_key_data and context:
        tls.with_client_certificate(context, credential.client_certificate_data, credential.client_key_data)
    token_file = selection.user.get("tokenFile")
    path = os.path.join(selection.user_directory, token_file) if token_file else None
    return Access(
        base_url=settings.host,
        described=selection.described,
        namespace=selection.namespace,
        headers=_headers(selection, settings, credential, path),
        token_file=path,
        tls=context,
        server_name=settings.tls_server_name or None,
        proxy=proxy.proxy_for(settings.host, selection.cluster.get("proxy-url")),
        expires_at=credential.expiration_timestamp if credential else None,
    )


def _official(selection: Selection, directory: str) -> Any:
    """The official package's reading of the context: a kubernetes.client.Configuration."""
    from kubernetes.client import Configuration
    from kubernetes.config import kube_config
    from kubernetes.config.config_exception import ConfigException

    official: Any = kube_config  # not typed
    for path in _files(selection):
        if not os.path.isfile(path):
            raise ConfigError(f"{selection.described} names the file {path}, which is not there.")
    settings = Configuration()
    config = selection.merger.config
    if "auth-provider" not in selection.user:
        config = official.ConfigNode("kube-config", _without_exec(selection, official.ConfigNode))
    try:
        loader = official.KubeConfigLoader(
            config,
            active_context=selection.context,
            config_base_path=None,
            config_persister=selection.merger.save_changes,
            temp_file_path=directory,
        )
        loader.load_and_set(settings)
    except (ConfigException, ValueError, TypeError, KeyError, AttributeError, OSError) as error:
        raise ConfigError(  # the error's own text may quote the user's entry, token and all
            f"The user or cluster of {selection.described} cannot be used: is every inline field base64, every file "
            "there, and the way to log in one that is still supported (auth-provider is not; use exec)?"
        ) from error
    return settings


def _without_exec(selection: Selection, node: Any) -> dict[str, Any]:
    user = {name: value for name, value in selection.user.items() if name not in ("exec", "tokenFile")}

    def entry(section: str, name: str, key: str, value: dict[str, Any], directory: str) -> Any:
        return node(f"{section}/{name}", {"name": name, key: value}, os.path.join(directory, "config"))

    context = {"cluster": selection.cluster_name, "user": selection.user_name}
    return {
        "current-context": selection.context,
        "contexts": [entry("contexts", selection.context, "context", context, "")],
        "clusters": [
            entry("clusters", selection.cluster_name, "cluster", selection.cluster, selection.cluster_directory)
        ],
        "users": [entry("users", selection.user_name, "user", user, selection.user_directory)],
    }


def _files(selection: Selection) -> list[str]:
    """The files that the context refers to and does not carry inline."""
    named = [
        (selection.cluster, selection.cluster_directory, "certificate-authority"),
        (selection.user, selection.user_directory, "client-certificate"),
        (selection.user, selection.user_directory, "client-key"),
    ]
    return [
        os.path.normpath(os.path.join(directory, part[key]))
        for part, directory, key in named
        if part.get(key) and not part.get(f"{key}-data")
    ]


def _tls(settings: Any) -> Any:
    return tls.context(
        authority=settings.ssl_ca_cert,
        certificate=settings.cert_file,
        key=settings.key_file,
        verify=settings.verify_ssl,
    )


def _headers(
    selection: Selection, settings: Any, credential: exec_plugin.Credential | None, token_file: str | None
) -> dict[str, str]:
    headers: dict[str, str] = {}
    if token_file:
        headers["Authorization"] = f"Bearer {read_token(token_file)}"
    elif credential and credential.token:
        headers["Authorization"] = f"Bearer {credential.token}"
    elif official := settings.api_key.get("BearerToken"):
        headers["Authorization"] = official  # the scheme is part of it: Bearer or Basic
    if selection.user.get("as"):
        headers["Impersonate-User"] = str(selection.user["as"])
    return headers


def _service_account(directory: str) -> Access:
    from kubernetes.client import Configuration
    from kubernetes.config import incluster_config
    from kubernetes.config.config_exception import ConfigException

    loader_of: Any = incluster_config.InClusterConfigLoader  # not typed
    settings = Configuration()
    token, authority = f"{directory}/token", f"{directory}/ca.crt"
    try:
        loader_of(token_filename=token, cert_filename=authority).load_and_set(settings)
    except (ConfigException, OSError) as error:
        raise ConfigError(
            f"Not in a pod with a service account ({error}): name a kubeconfig with --kubeconfig or KUBECONFIG, or set "
            "automountServiceAccountToken."
        ) from error
    return Access(
        base_url=settings.host,
        described=SERVICE_ACCOUNT_WORDS,
        namespace=_own_namespace(directory),
        headers={"Authorization": f"Bearer {read_token(token)}"},
        token_file=token,
        tls=tls.context(authority=authority),
        proxy=proxy.proxy_for(settings.host, None),
    )


def _own_namespace(directory: str) -> str:
    try:
        with open(f"{directory}/namespace", encoding="utf-8") as file:
            return file.read().strip() or "default"
    except OSError:
        return "default"

"""Settings: one YAML file, read once at start; secrets come from the environment only.

    gpubot run --config FILE      or the path in GPUBOT_CONFIG; without either, the defaults below hold.

`config/gpubot.yaml` shows every key with its default. Unknown keys and wrong values end the start with one line that
names the file, the line and the key.
"""

import contextlib
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from bot.adapters.nodes.access import NodeAccess, Via
from bot.domain.errors import ConfigError
from bot.gpu.policy import USUAL, USUAL_TAINTS, Policy
from config.access import AccessSettings
from config.alerts import AlertSettings
from config.engines import EngineSettings
from config.watch import SideSettings, WatchSettings
from config.yaml_lines import load_with_lines

Name = Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$")]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ClusterSettings(_Part):
    """One cluster that gpubot reads. Without `kubeconfig` and `context` it is found as kubectl finds it."""

    name: Name
    kubeconfig: str | None = None  # path; `~` is expanded
    context: str | None = None
    in_cluster: bool = False  # use the pod's own service account
    namespaces: tuple[str, ...] = ()  # list these where listing all namespaces is forbidden
    watch_list: bool = False  # ask the API server to stream the first list (WatchList, on by default from 1.34)


class SlackSettings(_Part):
    """Slack. Tokens come from SLACK_BOT_TOKEN and SLACK_APP_TOKEN."""

    base_url: str = "https://slack.com/api/"
    command: Annotated[str, Field(pattern=r"^/[a-z0-9_-]{1,31}$")] = "/gpu"
    own_commands: dict[str, Annotated[str, Field(pattern=r"^/[a-z0-9_-]{1,31}$")]] = {  # word → its own
        "why": "/why",
        "scale": "/scale",
        "deploy": "/deploy",
        "model": "/model",
    }
    ping_interval_seconds: Annotated[float, Field(ge=1, le=60)] = 3  # a dropped connection is noticed within two pings
    default_cluster: str | None = None
    channel_clusters: dict[str, str] = {}  # channel id → the cluster that is meant there when none is named
    fallback_channel: Annotated[str, Field(pattern=r"^[CGD][A-Z0-9]+$")] | None = None  # for what others do not take

    def slashes(self) -> dict[str, str]:
        """Every slash command that Slack sends us, and the words it stands for: `/why` is `gpu why`."""
        return {self.command: "gpu"} | {slash: f"gpu {word}" for word, slash in self.own_commands.items()}


class Preemptible(_Part):
    """Which pods may be ended for others: shown apart from what is in use."""

    priority_below: int = 0
    priority_classes: tuple[str, ...] = ()
    labels: tuple[str, ...] = USUAL.preemptible_labels


class GpuSettings(_Part):
    """How GPUs, pools and owners are recognised."""

    team_labels: tuple[str, ...] = USUAL.team_labels
    pool_labels: tuple[str, ...] = USUAL.pool_labels
    usual_taints: tuple[str, ...] = USUAL_TAINTS  # GPU pods tolerate these
    burn_in_labels: tuple[str, ...] = USUAL.burn_in_labels
    preemptible: Preemptible = Preemptible()

    def policy(self) -> Policy:
        """The same as plain data, which is what the core reads."""
        return Policy(
            team_labels=self.team_labels,
            pool_labels=self.pool_labels,
            usual_taints=frozenset(self.usual_taints),
            burn_in_labels=self.burn_in_labels,
            preemptible_labels=self.preemptible.labels,
            preemptible_classes=frozenset(self.preemptible.priority_classes),
            preemptible_priority_below=self.preemptible.priority_below,
        )


class StoreSettings(_Part):
    """Where gpubot remembers why pods waited. A database that cannot be opened costs the memory, never an answer."""

    url: str = "sqlite+aiosqlite:///~/.local/state/gpubot/history.db"
    kept_days: Annotated[int, Field(ge=1, le=3650)] = 90

    def opened_url(self) -> str:
        """With `~` expanded, and the folder of an SQLite file made."""
        scheme, separator, path = self.url.partition(":///")
        if not scheme.startswith("sqlite") or not separator:
            return self.url
        file = Path(path).expanduser()
        with contextlib.suppress(OSError):  # the store says what is wrong with the place when it opens the file
            file.parent.mkdir(parents=True, exist_ok=True)
        return f"{scheme}:///{file}"


class NodeSettings(_Part):
    """How the agents on nodes are asked (config/gpubot.yaml says what each key means)."""

    namespace: Annotated[str, Field(pattern=r"^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$")] = "gpubot"
    port: Annotated[int, Field(ge=1, le=65_535)] = 9410
    token_file: str | None = None
    ca_file: str | None = None
    client_cert_file: str | None = None
    client_key_file: str | None = None
    server_name: Annotated[str, Field(min_length=1)] = "gpubot-agent"
    via: Via = Via.DIRECT
    timeout_seconds: Annotated[float, Field(ge=0.1, le=60)] = 2

    @model_validator(mode="after")
    def _certificates_fit(self) -> "NodeSettings":
        if (self.client_cert_file is None) != (self.client_key_file is None):
            raise ValueError("client_cert_file and client_key_file belong together")
        if self.client_cert_file and not self.ca_file:
            raise ValueError("client_cert_file needs ca_file: without TLS nobody is shown a certificate")
        return self

    def access(self) -> NodeAccess:
        """The same as plain data, paths with `~` expanded."""
        token, authority, certificate, key = (
            None if path is None else str(Path(path).expanduser())
            for path in (self.token_file, self.ca_file, self.client_cert_file, self.client_key_file)
        )
        return NodeAccess(
            namespace=self.namespace,
            port=self.port,
            token_file=token,
            ca_file=authority,
            client_cert_file=certificate,
            client_key_file=key,
            server_name=self.server_name,
            via=self.via,
            timeout_seconds=self.timeout_seconds,
        )


class LogSettings(_Part):
    """What is logged, and how."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    json_lines: bool = True


class Settings(_Part):
    """Everything. `clusters` empty means: the one that kubectl would use, called `default`."""

    clusters: tuple[ClusterSettings, ...] = ()
    slack: SlackSettings = SlackSettings()
    gpu: GpuSettings = GpuSettings()
    store: StoreSettings = StoreSettings()
    nodes: NodeSettings = NodeSettings()
    access: AccessSettings = AccessSettings()
    engines: EngineSettings = EngineSettings()
    alerts: AlertSettings = AlertSettings()
    watch: WatchSettings = WatchSettings()
    side: SideSettings = SideSettings()
    log: LogSettings = LogSettings()

    @field_validator("clusters")
    @classmethod
    def _names_differ(cls, clusters: tuple[ClusterSettings, ...]) -> tuple[ClusterSettings, ...]:
        names = [cluster.name for cluster in clusters]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"two clusters are called {twice[0]}")
        return clusters


def load(path: str | None) -> Settings:
    """The settings of that file, or the defaults. Raises ConfigError that names file, line and key."""
    if path is None:
        return Settings()
    file = Path(path).expanduser()
    data, lines = load_with_lines(file)
    try:
        settings = Settings.model_validate(data)
    except ValidationError as error:
        raise ConfigError(_first(file, lines, error)) from error
    _check_names(file, settings)
    return settings


def _first(file: Path, lines: dict[tuple[str | int, ...], int], error: ValidationError) -> str:
    """One sentence for the first thing that is wrong, with the number of others."""
    problems = error.errors()
    place = tuple(problems[0]["loc"])
    line = next((lines[place[:end]] for end in range(len(place), -1, -1) if place[:end] in lines), 1)
    key = ".".join(str(part) for part in place) or "the file"
    what = "is no setting; see config/gpubot.yaml" if problems[0]["type"] == "extra_forbidden" else problems[0]["msg"]
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{file}, line {line}: {key}: {what}{more}"


def _check_names(file: Path, settings: Settings) -> None:
    known = {cluster.name for cluster in settings.clusters} or {"default"}
    slack = settings.slack
    asked = [("slack.default_cluster", slack.default_cluster)] if slack.default_cluster else []
    asked += [(f"slack.channel_clusters.{channel}", name) for channel, name in slack.channel_clusters.items()]
    for key, name in asked:
        if name not in known:
            raise ConfigError(f"{file}: {key}: no cluster is called {name!r}; there are: {', '.join(sorted(known))}")

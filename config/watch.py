"""The settings `side` and `watch`: who may speak to gpubot besides Slack, and who hears when gpubot is blind
(config/gpubot.yaml says what each key means).
"""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from bot.acting.blindness import Limits

Seconds = Annotated[float, Field(ge=10, le=86_400)]
Url = Annotated[str, Field(pattern=r"^https?://\S+$", max_length=2_000)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class SideSettings(_Part):
    """A small HTTP server for what is not Slack: Alertmanager's webhooks, health, metrics. Off without a port."""

    port: Annotated[int, Field(ge=0, le=65_535)] | None = None
    host: Annotated[str, Field(min_length=1, max_length=253)] = "127.0.0.1"
    webhook_token_file: str | None = None


class SecondSettings(_Part):
    """Where it is said that Slack itself is out of reach."""

    kind: Literal["webhook", "alertmanager"] = "webhook"
    url: Url
    token_file: str | None = None


class HeartbeatSettings(_Part):
    """Somebody else watches that this comes."""

    url: Url
    every_seconds: Seconds = 60
    method: Literal["GET", "POST"] = "POST"


class WatchSettings(_Part):
    """After how long a silence counts, and where it is told."""

    channel: Annotated[str, Field(pattern=r"^[CGD][A-Z0-9]+$")] | None = None
    second: SecondSettings | None = None
    heartbeat: HeartbeatSettings | None = None
    cluster_seconds: Seconds = 180
    slack_seconds: Seconds = 60
    store_seconds: Seconds = 120
    agents_seconds: Seconds = 600

    @field_validator("cluster_seconds")
    @classmethod
    def _longer_than_a_bookmark(cls, seconds: float) -> float:
        if seconds < 90:
            raise ValueError("an API server says something about once a minute: give it 90 seconds at least")
        return seconds

    def limits(self) -> Limits:
        """The same as plain data, which is what the core reads."""
        return Limits(self.cluster_seconds, self.slack_seconds, self.store_seconds, self.agents_seconds)

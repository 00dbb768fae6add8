"""What is wrong with an installation before it is missed: settings, clusters, rights, database, Slack.

Each part is asked by itself, within its own time, so that one that does not answer hides no other.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.cluster import kinds
from bot.adapters.cluster.opening import open_connection
from bot.adapters.cluster.writer import ClusterWriter
from bot.adapters.store.errors import StoreUnavailableError
from bot.adapters.store.store import Store
from bot.alerts.lint import lint
from bot.dialogue import all_commands
from bot.domain.errors import BotError
from bot.domain.words import count, names
from bot.gpu.xid_table import catalogue as xids
from bot.serving.catalogue import catalogue as models
from bot.serving.matrix import matrix
from bot.slack.connection import check, web_client
from config.settings import ClusterSettings, Settings
from config.slack.manifest import SCOPES

ASK_SECONDS = 20.0
SHOWN = 8
# What the settings' changes need; each missing one only refuses that change.
_CHANGES = (("nodes", "", "patch"), ("deployments", "apps", "patch"), ("pods/eviction", "", "create"))


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that was looked at. ok: None where it could not be told. fix: what to do, where it is not well."""

    part: str
    ok: bool | None
    says: str
    fix: str = ""


async def examine(settings: Settings, tokens: Mapping[str, str]) -> AsyncIterator[Found]:
    """tokens: what the environment holds of `xoxb-` and `xapp-`; a missing one is told."""
    for one in _facts():
        yield one
    for chosen in settings.clusters or (ClusterSettings(name="default"),):
        async for one in _timed(f"cluster {chosen.name}", _cluster(chosen)):
            yield one
    async for one in _timed("database", _store(settings)):
        yield one
    async for one in _timed("Slack", _slack(settings, tokens)):
        yield one


async def _timed(part: str, asking: Awaitable[list[Found]]) -> AsyncIterator[Found]:
    try:
        async with asyncio.timeout(ASK_SECONDS):
            found = await asking
    except TimeoutError:
        found = [Found(part, None, f"it did not answer within {ASK_SECONDS:.0f} s")]
    for one in found:
        yield one


def _facts() -> Iterator[Found]:
    """Data that people edit."""
    for name, read in (("config/xid.yaml", xids), ("config/drivers.yaml", matrix), ("config/models.yaml", models)):
        try:
            read()
        except BotError as error:
            yield Found("data", False, str(error))
        else:
            yield Found("data", True, f"{name} is sound")


# ---- clusters --------------------------------------------------------------------------------------------------------


async def _cluster(chosen: ClusterSettings) -> list[Found]:
    part = f"cluster {chosen.name}"
    try:
        connection = await open_connection(chosen.kubeconfig, chosen.context, service_account=chosen.in_cluster)
    except BotError as error:
        return [Found(part, False, str(error))]
    async with connection:
        writer = ClusterWriter(connection)
        read = sorted(frozenset().union(*(command.needs for command in all_commands())))
        may = await asyncio.gather(*(_may(writer, kind) for kind in read))
        unsure = [reason for allowed, reason in may if allowed is None]
        if unsure:
            return [Found(part, None, f"its rights could not be asked: {unsure[0]}")]
        missing = [kind for kind, (allowed, _) in zip(read, may, strict=True) if not allowed]
        changes = [await writer.may(None, verb, api_group=group, resource=kind) for kind, group, verb in _CHANGES]
    told = Found(part, True, f"{connection.base_url} lets gpubot list all {len(read)} kinds that it reads")
    if missing:
        short = f"gpubot may not list {names(missing, SHOWN)}: answers say that they could not see them"
        told = Found(part, False, short, "kubectl apply -k config/kubernetes")
    able = all(one.allowed for one in changes)
    note = Found(
        part, True, "it may change things" if able else "it only reads (config/kubernetes/changes lets it change)"
    )
    return [told, note]


async def _may(writer: ClusterWriter, kind: str) -> tuple[bool | None, str]:
    group = kinds.collect()[kind].versions[0].rpartition("/")[0]
    review = await writer.may(None, "list", api_group=group, resource=kind)
    return review.allowed, review.reason


# ---- the database ----------------------------------------------------------------------------------------------------


async def _store(settings: Settings) -> list[Found]:
    url = settings.store.opened_url()
    try:
        store = await Store.open(url)
    except (BotError, StoreUnavailableError) as error:
        return [Found("database", False, str(error), "Without it nothing can be changed, and alerts are not told")]
    await store.close()
    return [Found("database", True, "it can be opened, and its tables are those of this version")]


# ---- Slack -----------------------------------------------------------------------------------------------------------


async def _slack(settings: Settings, tokens: Mapping[str, str]) -> list[Found]:
    missing = [name for name in ("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN") if not tokens.get(name)]
    if missing:
        told = f"{names(missing, 2)} {'is' if len(missing) == 1 else 'are'} not set: Slack was not asked"
        return [Found("Slack", None, told), *_routes(settings, None)]
    async with aiohttp.ClientSession() as session:
        client = web_client(tokens["SLACK_BOT_TOKEN"], settings.slack.base_url, session)
        try:
            await check(client)
            answer = await client.auth_test()
        except (BotError, SlackApiError) as error:
            return [Found("Slack", False, str(error))]
        joined = await _joined(client, _channels(settings))
    scopes = {one.strip() for one in answer.headers.get("x-oauth-scopes", "").split(",") if one.strip()}
    return [*_scopes(scopes), *_rooms(settings, joined), *_routes(settings, joined)]


def _scopes(given: Collection[str]) -> Iterator[Found]:
    if not given:
        yield Found("Slack", True, "it takes the tokens")
        return
    lacking = [one for one in SCOPES if one not in given]
    if lacking:
        fix = "Paste `gpubot manifest` into the app's manifest and install it anew"
        yield Found("Slack", False, f"the app lacks {count(len(lacking), 'scope')}: {names(lacking, SHOWN)}", fix)
    else:
        yield Found("Slack", True, "it takes the tokens, and the app has all scopes")


def _channels(settings: Settings) -> list[str]:
    """Every channel that the settings name."""
    told = [route.channel for route in settings.alerts.rules().routes]
    told += [settings.alerts.digests.channel or "", settings.watch.channel or "", settings.slack.fallback_channel or ""]
    return list(dict.fromkeys(one for one in told if one))


async def _joined(client: AsyncWebClient, channels: Iterable[str]) -> set[str] | None:
    """Those that the bot is in; what Slack does not know it is not in. None where it may not ask."""
    found = set()
    for channel in channels:
        try:
            told = (await client.conversations_info(channel=channel))["channel"]
        except SlackApiError as error:
            if error.response["error"] == "missing_scope":
                return None
            continue
        if told.get("is_member"):
            found.add(channel)
    return found


def _rooms(settings: Settings, joined: Collection[str] | None) -> Iterator[Found]:
    """Channels besides those of routes, which the lint looks at."""
    if joined is None:
        yield Found("Slack", None, "whether the bot is in the channels of the settings: it may not ask (channels:read)")
        return
    routed = {route.channel for route in settings.alerts.rules().routes}
    for channel in _channels(settings):
        if channel not in routed and channel not in joined:
            yield Found("Slack", False, f"the bot is not in channel {channel}, or there is none", "Invite it there")


def _routes(settings: Settings, joined: Collection[str] | None) -> Iterator[Found]:
    problems = lint(settings.alerts.rules(), joined)
    yield from (Found("alerts", False, problem) for problem in problems)
    if not problems:
        yield Found(
            "alerts", True, f"{count(len(settings.alerts.rules().routes), 'route')} and nothing wrong with them"
        )

"""Who somebody in Slack is and may be: looked up in Slack, judged by the rules, remembered for some minutes.

Where Slack does not tell, nobody gets more than reading: an identity that is not known cannot be checked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.access.roles import asker_of
from bot.access.rules import Rules
from bot.domain.person import Access, Asker

log = structlog.get_logger()
KEPT_SECONDS = 300.0  # somebody who lost a right in Slack loses it here after that at the latest
KEPT_AT_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Caller:
    """What a payload says of whoever typed or clicked: Slack's ids. `team` is empty where the payload has none."""

    person: str
    channel: str
    team: str = ""


@dataclass(frozen=True, slots=True)
class _Profile:
    workspace: str
    name: str
    email: str
    bot: bool


class People:
    """`clock` returns seconds that only grow. `rules` are those of now."""

    def __init__(self, client: AsyncWebClient, rules: Callable[[], Rules], clock: Callable[[], float]) -> None:
        self._client = client
        self._rules = rules
        self._clock = clock
        self._profiles: dict[str, tuple[float, _Profile]] = {}
        self._members: tuple[float, Mapping[str, frozenset[str]]] | None = None

    async def asker(self, caller: Caller) -> Asker:
        """Whom we speak with. Never raises: whoever is not known may read at most."""
        rules = self._rules()
        try:
            profile = await self._profile(caller.person)
            groups = await self._groups(caller.person) if _groups_matter(rules) else frozenset()
        except (SlackApiError, aiohttp.ClientError, OSError, TimeoutError) as error:
            log.warning("slack does not say who somebody is", person=caller.person, reason=_reason(error))
            known = asker_of(rules, person=caller.person, workspace=caller.team, channel=caller.channel)
            return replace(known, access=min(known.access, Access.READ), identity=None)
        return asker_of(
            rules,
            person=caller.person,
            workspace=profile.workspace,
            channel=caller.channel,
            groups=groups,
            email=profile.email,
            name=profile.name,
            bot=profile.bot,
        )

    async def somebody(self, person: str, workspace: str, channel: str) -> Asker | None:
        """The same for whoever asked or agreed before; None for nobody."""
        found = await self.asker(Caller(person, channel, workspace)) if person else None
        return found if found is not None and found.workspace == workspace else None

    async def _profile(self, person: str) -> _Profile:
        kept = self._profiles.get(person)
        if kept is not None and self._clock() - kept[0] < KEPT_SECONDS:
            return kept[1]
        told = (await self._client.users_info(user=person))["user"]
        of_user = told.get("profile") or {}
        profile = _Profile(
            str(told.get("team_id") or ""),
            str(told.get("name") or ""),
            str(of_user.get("email") or ""),
            bool(told.get("is_bot") or told.get("deleted")),
        )
        if len(self._profiles) >= KEPT_AT_MOST:
            self._profiles.clear()
        self._profiles[person] = self._clock(), profile
        return profile

    async def _groups(self, person: str) -> frozenset[str]:
        """The user groups that somebody is in."""
        if self._members is None or self._clock() - self._members[0] >= KEPT_SECONDS:
            told = (await self._client.usergroups_list(include_users=True))["usergroups"]
            self._members = self._clock(), {one["id"]: frozenset(one.get("users") or ()) for one in told}
        return frozenset(group for group, people in self._members[1].items() if person in people)


def _groups_matter(rules: Rules) -> bool:
    """Asked for only where some rule speaks of user groups: it takes a scope of its own."""
    grants = (*rules.admins, *rules.operators, *(rules.readers or ()))
    return bool(rules.identities.groups) or any(grant.groups for grant in grants)


def _reason(error: Exception) -> str:
    if isinstance(error, SlackApiError):
        return str(error.response.get("error", "unknown"))
    return str(error) or type(error).__name__

"""Messages with a key: posted, edited, and found again by the metadata that they carry.

docs.slack.dev/messaging/message-metadata: metadata is returned by histories that ask for it, and seen by other apps;
so a message counts as ours only if we wrote it.
"""

import json
from datetime import datetime, timedelta
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.adapters.chat.trouble import NETWORK, sorted_out
from bot.domain.posting import Post

EVENT_TYPE = "gpubot_post"
BLOCKS_MAX, JSON_MAX, TEXT_MAX = 50, 13_000, 40_000
SKEW = timedelta(minutes=2)  # by which Slack's clock and ours may differ
PAGES = 10
PAGE_SIZE = 100


class Speaker:
    """Raises ChatTroubleError. `client` must not repeat calls by itself: what was not answered may have been done."""

    def __init__(self, client: AsyncWebClient, own_user: str) -> None:
        self._client, self._own_user = client, own_user

    async def post(self, channel: str, thread_ts: str, post: Post) -> str:
        """The message's ts."""
        thread: dict[str, Any] = {"thread_ts": thread_ts, "reply_broadcast": post.broadcast} if thread_ts else {}
        how = {"mrkdwn": False, "unfurl_links": False, "unfurl_media": False}
        return await self._said("chat.postMessage", {"channel": channel, **_content(post), **thread, **how})

    async def edit(self, channel: str, ts: str, post: Post) -> str:
        return await self._said("chat.update", {"channel": channel, "ts": ts, **_content(post)})

    async def find(self, channel: str, thread_ts: str, key: str, since: datetime) -> str:
        """The ts of our own message with that key, posted since; empty where there is none."""
        method = "conversations.replies" if thread_ts else "conversations.history"
        asked: dict[str, Any] = {
            "channel": channel,
            "oldest": f"{(since - SKEW).timestamp():.6f}",
            "inclusive": True,
            "limit": PAGE_SIZE,
            "include_all_metadata": True,
        }
        if thread_ts:
            asked["ts"] = thread_ts
        for _ in range(PAGES):
            page = await self._call(method, asked)
            found = next((one["ts"] for one in page.get("messages") or () if self._is(one, key)), "")
            asked["cursor"] = (page.get("response_metadata") or {}).get("next_cursor") or ""
            if found or not asked["cursor"]:
                return str(found)
        return ""

    def _is(self, message: dict[str, Any], key: str) -> bool:
        metadata = message.get("metadata") or {}
        ours = message.get("user") == self._own_user and metadata.get("event_type") == EVENT_TYPE
        return ours and (metadata.get("event_payload") or {}).get("key") == key

    async def _said(self, method: str, content: dict[str, Any]) -> str:
        return str((await self._call(method, content)).get("ts", ""))

    async def _call(self, method: str, arguments: dict[str, Any]) -> dict[str, Any]:
        query = method.startswith("conversations.")
        try:
            if query:
                told = {name: _spelt(value) for name, value in arguments.items()}
                response = await self._client.api_call(method, http_verb="GET", params=told)
            else:
                response = await self._client.api_call(method, json=arguments)
        except NETWORK as error:
            raise sorted_out(error) from error
        return response.data if isinstance(response.data, dict) else {}


def plain(post: Post) -> Post:
    """The same in words alone, which Slack always takes."""
    return Post(key=post.key, channel=post.channel, text=post.text or "–", thread=post.thread, broadcast=post.broadcast)


def _content(post: Post) -> dict[str, Any]:
    """Without blocks where Slack would not take so many: the text says it all."""
    fits = len(post.blocks) <= BLOCKS_MAX and len(json.dumps(post.blocks)) <= JSON_MAX
    metadata = {"event_type": EVENT_TYPE, "event_payload": {"key": post.key}}
    return {"text": post.text[:TEXT_MAX], "blocks": post.blocks if fits else [], "metadata": metadata}


def _spelt(value: object) -> object:
    return ("true" if value else "false") if isinstance(value, bool) else value

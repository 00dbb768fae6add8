"""What Slack's payloads have in common, whatever they are about."""

from typing import Any

from bot.slack.people import Caller


def interaction(body: dict[str, Any]) -> str:
    """A command, a click or a form that came back: each has its own trigger, and a repeat has the same."""
    return f"trigger:{body.get('trigger_id', '')}"


def in_form(body: dict[str, Any], channel: str) -> Caller:
    """Whoever works with a form. Forms know no channel: it is where the form was opened from."""
    team = body["user"].get("team_id") or (body.get("team") or {}).get("id") or ""
    return Caller(body["user"]["id"], channel, team)

"""The Slack app's manifest, made from the commands that there are."""

"""How answers look: one document, drawn for Slack and for a terminal."""

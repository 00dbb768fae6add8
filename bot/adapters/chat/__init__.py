"""What is recorded for Slack, carried there: once, in order, no faster than Slack takes it."""

"""A small HTTP server for what is not Slack: Alertmanager's webhooks, health, metrics. Off without a port."""

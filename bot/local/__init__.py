"""A Slack and a Kubernetes on this machine, for the demo and the tests."""

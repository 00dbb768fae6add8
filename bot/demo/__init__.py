"""The demo: a Slack and a Kubernetes on this machine, and the real bot between them over the real wires."""

"""What several stages after the scheduler need: the kubelet's words, probes, logs, exits, sizes and commands."""

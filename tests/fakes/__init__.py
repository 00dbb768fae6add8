"""Stand-ins for what is at the edge. Each passes the same contract tests as what it stands for."""

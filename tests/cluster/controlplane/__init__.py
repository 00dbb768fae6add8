"""A real control plane on loopback: built from the Go module proxy, started in seconds, gone with the test run."""

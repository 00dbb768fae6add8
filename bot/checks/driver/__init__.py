"""The driver: loaded, of one version with its libraries, supported, answering."""

"""How each engine is started, one file each → ENGINE: its command, flags, probes, environment."""

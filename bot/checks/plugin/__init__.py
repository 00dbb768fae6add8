"""Device plugin, container toolkit, operator and exporter: the software between GPUs and pods."""

"""The NVSwitch fabric."""

"""Links: PCIe, NVLink, NVSwitch."""

"""How slow a GPU is, in figures, for sentences about what slows it."""

from bot.domain.gpu_reading import GpuReading


def state(gpu: GpuReading) -> str:
    """`: SM clock 795 of 1980 MHz, 241 W, 46 °C`; empty where none of it was told."""
    parts = []
    if gpu.sm_clock_mhz is not None:
        most = f" of {gpu.sm_clock_max_mhz}" if gpu.sm_clock_max_mhz else ""
        parts.append(f"SM clock {gpu.sm_clock_mhz}{most} MHz")
    if gpu.power_milliwatts is not None:
        parts.append(f"{gpu.power_milliwatts / 1000:.0f} W")
    if gpu.temperature_celsius is not None:
        parts.append(f"{gpu.temperature_celsius} °C")
    return f" ({', '.join(parts)})" if parts else ""

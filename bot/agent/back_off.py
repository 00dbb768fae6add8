"""How long to wait before another worker is started."""


def back_off_seconds(failures: int, *, first: float, longest: float) -> float:
    """After so many ends in a row without a reading between them. The first costs nothing: usually an accident."""
    if failures <= 1:
        return 0.0
    return min(longest, first * 2.0 ** min(failures - 2, 16))

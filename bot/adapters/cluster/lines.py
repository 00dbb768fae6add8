"""Lines out of a byte stream that is cut anywhere."""


class Lines:
    """Feed it chunks; it hands back the lines that are complete. Linear, however small the chunks are."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Complete lines without their ends; empty ones are left out."""
        if b"\n" not in chunk:
            self._parts.append(chunk)
            return []
        lines = chunk.split(b"\n")
        if self._parts:
            lines[0] = b"".join([*self._parts, lines[0]])
        rest = lines.pop()
        self._parts = [rest] if rest else []
        return [line for line in lines if line.strip()]

    @property
    def unfinished(self) -> bool:
        """Whether the stream stopped in the middle of a line."""
        return bool(self._parts)

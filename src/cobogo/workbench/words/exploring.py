"""The page exploring."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

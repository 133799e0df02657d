"""The page risk."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

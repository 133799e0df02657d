"""The page collecting."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

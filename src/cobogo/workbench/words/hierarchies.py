"""The page hierarchies."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

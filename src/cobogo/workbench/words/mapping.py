"""The page mapping."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

"""The page asking."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

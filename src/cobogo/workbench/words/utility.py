"""The page utility."""

ENGLISH: dict[str, str] = {}

PORTUGUESE: dict[str, str] = {}

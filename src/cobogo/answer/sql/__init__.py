"""SQL in and SQL out: an analyst's text becomes a typed question, and a checked plan becomes the engine's statements.

No word of the analyst's text reaches the engine.
"""

"""Engines: the databases that read, count and write. `engine.py` is their contract."""

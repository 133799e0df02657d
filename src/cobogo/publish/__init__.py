"""The door through which tables leave."""

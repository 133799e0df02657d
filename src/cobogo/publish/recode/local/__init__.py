"""Local recoding: every record gets its own levels."""

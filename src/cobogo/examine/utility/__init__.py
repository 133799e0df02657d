"""What a finished release can still be used for."""

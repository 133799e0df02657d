"""What a release lost, and what an attacker learns from it."""

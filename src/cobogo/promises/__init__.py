"""What is promised, and its plain check: models, guarantees, operators, accounting."""

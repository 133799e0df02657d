"""What every recoding algorithm takes and returns: a problem, and an assignment of records or another solution."""

"""Collecting without trusting the collector: each client randomizes its answer, and many tell the shares."""

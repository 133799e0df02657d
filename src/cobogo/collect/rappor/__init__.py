"""RAPPOR: randomized Bloom filters of any strings (Erlingsson, Pihur and Korolova 2014)."""

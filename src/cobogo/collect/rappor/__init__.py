"""RAPPOR: randomized Bloom filters of strings that nobody has listed (Erlingsson, Pihur and Korolova 2014)."""

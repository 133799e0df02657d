"""What every room stands on: arrays, files, randomness, stores, names."""

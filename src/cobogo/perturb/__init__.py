"""Perturbation: values replaced by others, by noise, by exchange or by chance."""

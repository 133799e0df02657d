"""Suppression of single cells."""

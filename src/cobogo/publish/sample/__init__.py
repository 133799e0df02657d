"""Differentially private tables whose rows are true: a random sample, made coarser, without rows that few share."""

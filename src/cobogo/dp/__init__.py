"""The curator: differentially private answers, and the books of what they cost."""

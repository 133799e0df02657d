"""Re-identification risk: attackers, uniqueness in the population, telling combinations, special uniques, columns."""

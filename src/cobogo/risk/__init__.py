"""Re-identification risk: attackers, uniqueness in the population, telling combinations, special uniques, columns."""

from cobogo.called import callable_package

callable_package(__name__, "cobogo.risk.assess")

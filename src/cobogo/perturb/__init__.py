"""Releases whose values were changed at random: with a guarantee (randomization) or without (perturbation)."""

from cobogo.called import callable_package

callable_package(__name__, "cobogo.perturb.job")

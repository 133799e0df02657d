"""A bound of a lattice that is too large to go through, from the attributes a group at a time.

Take a node, and raise all attributes but those of one group to the top. Classes merge, so fewer records fail, and the
group's attributes cost no more than at the node. So the cost of the node, a sum over its attributes, is at least the
sum of what each group costs at its own best node; and the lattice of a group can be searched whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from cobogo.promises.models import Monotone
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import slack
from cobogo.publish.recode.lattice.bounds import Yardstick

GROUP = 8
"""Attributes of a group, at first: with four or five levels each, a few thousand nodes, which take tenths of a second
to search. Larger groups give higher bounds, and take ten times as long for every two attributes more."""


def can_be_grouped(problem: Problem) -> bool:
    """Whether the bound holds: for a metric that is a sum over the attributes, where every hierarchy ends in one
    value."""
    return Yardstick(problem).separable and all(len(h.labels[-1]) == 1 for h in problem.hierarchies)


def deal_attributes(problem: Problem, groups: int) -> list[Sequence[int]]:
    """The attributes in so many groups, each with some that tell many people apart and some that tell few apart."""
    nats = [nats[low] for nats, low in zip(problem.value_nats, problem.lowest, strict=True)]
    order = np.argsort([-n for n in nats], kind="stable").tolist()
    return [order[first::groups] for first in range(groups)]


def only_group(problem: Problem, attributes: Sequence[int]) -> Problem:
    """The problem with all other attributes at the top, under those of its models that no part of a failing class
    satisfies."""
    tops = [h.height for h in problem.hierarchies]
    models = [model for model in problem.models if model.monotone is Monotone.EVEN_WITH_SUPPRESSION]
    if problem.withholds:  # a class that fails for its sensitive values is not suppressed
        models = [model for model in models if not model.attributes]
    alone = replace(
        problem,
        lowest=tuple(low if n in attributes else tops[n] for n, low in enumerate(problem.lowest)),
        highest=tuple(high if n in attributes else tops[n] for n, high in enumerate(problem.highest)),
        withholds=False,
    )
    return alone.replace_models((*models, *problem.blind))


def share_of_group(problem: Problem, attributes: Sequence[int], least: float) -> float:
    """What a group's own attributes cost, where a node of `only_group` costs ``least``: at the top, others cost the
    same whether records are suppressed or not."""
    terms = Yardstick(problem).terms()
    others = sum(terms[n, top] for n, top in enumerate(problem.highest) if n not in attributes)
    return float(least - others - 4 * slack(least))

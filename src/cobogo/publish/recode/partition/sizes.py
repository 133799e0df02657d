"""How many records a group needs at least, as far as that follows from the models alone."""

from __future__ import annotations

import numpy as np

from cobogo.data.classes import Classes
from cobogo.promises.models.base import Scope
from cobogo.promises.models.check import failing
from cobogo.publish.recode.problem import Problem

LARGEST_LOOKED_AT = 1 << 20


def least_size(problem: Problem) -> int:
    """The size from which on a group satisfies every model that looks at sizes alone; 1 where there is none."""
    alone = [m for m in problem.models if m.scope is Scope.CLASS and not m.attributes and not m.needs_people]
    if not alone or problem.table.people is not None:
        return 1
    sizes = np.arange(1, min(problem.scale.records, LARGEST_LOOKED_AT) + 1)
    bad = failing(alone, Classes(sizes, {}, problem.scale.records))
    return int(np.flatnonzero(bad)[-1]) + 2 if bad.any() else 1

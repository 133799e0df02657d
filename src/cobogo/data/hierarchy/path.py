"""A hierarchy of places written from the finest to the coarsest: a/b/c → b/c → c."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cobogo.data.hierarchy.base import Hierarchy, unfit
from cobogo.data.policy import PathHierarchy


def path_hierarchy(attribute: str, spec: PathHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Each level drops the first part. All values have as many parts as most of them have, none of them empty.

    >>> places = ["Messejana/Fortaleza/CE", "Centro/Sobral/CE"]
    >>> path_hierarchy("place", PathHierarchy(path="/"), places, where="policy").labels[1:]
    (('Fortaleza/CE', 'Sobral/CE'), ('CE',))
    """
    separator = spec.path
    # Of two numbers of parts that are as frequent, the larger: a part is forgotten more easily than invented.
    numbers = Counter(value.count(separator) + 1 for value in values)
    _, expected = max(((count, number) for number, count in numbers.items()), default=(0, 1))
    wrong = [value for value in values if len(parts := value.split(separator)) != expected or "" in parts]
    if wrong:
        counted = "1 part" if expected == 1 else f"{expected} parts"
        raise unfit(
            wrong,
            f'cannot be split at "{separator}" into {counted}, none of them empty',
            where=where,
            remedy="Complete them in the data (an unknown part needs a name too), or correct path in the policy.",
        )
    return Hierarchy.from_steps(attribute, values, [lambda label: label.partition(separator)[2]] * (expected - 1))

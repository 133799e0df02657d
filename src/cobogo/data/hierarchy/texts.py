"""Hierarchies made of the values' own text: paths that lose their first part (a/b/c → b/c → c), and masked characters
(60020270 → 6002027* → 600202** → …)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.policy import MaskHierarchy, PathHierarchy
from cobogo.errors import UnfitValues
from cobogo.floor.language import tr, trn


def path_hierarchy(attribute: str, spec: PathHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Each level drops the first part. All values have as many parts as most of them have, none of them empty.

    With ``lenient``, a value of another form stays as it is. One with fewer parts goes on with the others once these
    are as short: Fortaleza/CE and Messejana/Fortaleza/CE, which is Fortaleza/CE by then, both become CE.

    >>> places = ["Messejana/Fortaleza/CE", "Centro/Sobral/CE"]
    >>> path_hierarchy("place", PathHierarchy(path="/"), places, where="policy").labels[1:]
    (('Fortaleza/CE', 'Sobral/CE'), ('CE',))
    """
    separator = spec.path
    expected, wrong = odd_paths(values, separator)
    if wrong and not spec.lenient:
        raise UnfitValues(
            trn(
                '{n:,} value of the data does not have {parts} parts with "{separator}" between them',
                '{n:,} values of the data do not have {parts} parts with "{separator}" between them',
                n=len(wrong),
                separator=separator,
                parts=expected,
            ),
            wrong,
            where=where,
            remedy=tr(
                "Complete them in the data (an unknown part needs a name too), or correct path in the policy, or write "
                "lenient = true beside it: they then stay as they are."
            ),
        )
    steps = [partial(_drop_part, separator=separator, parts=parts) for parts in range(expected, 1, -1)]
    return Hierarchy.from_steps(attribute, values, steps)


def odd_paths(values: Sequence[str], separator: str) -> tuple[int, list[str]]:
    """How many parts most values have, and the values that do not have so many, or have an empty one.

    >>> odd_paths(["Messejana/Fortaleza/CE", "Centro/Sobral/CE", "Sobral/CE"], "/")
    (3, ['Sobral/CE'])
    """
    # Of two numbers of parts that are as frequent, the larger: a part is forgotten more easily than invented.
    numbers = Counter(value.count(separator) + 1 for value in values)
    _, expected = max(((count, number) for number, count in numbers.items()), default=(0, 1))
    return expected, [value for value in values if not _is_regular(value, separator, expected)]


def _is_regular(label: str, separator: str, parts: int) -> bool:
    found = label.split(separator)
    return len(found) == parts and "" not in found


def _drop_part(label: str, *, separator: str, parts: int) -> str:
    """A label of so many parts without the first; any other as it is."""
    return label.partition(separator)[2] if _is_regular(label, separator, parts) else label


def mask_hierarchy(attribute: str, spec: MaskHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Level n masks n characters from one side; the ``keep`` characters at the other side are never masked.

    A value with fewer characters to mask than the level asks for is masked as far as it goes.

    >>> mask_hierarchy("cep", MaskHierarchy(mask="right", keep=6), ["60020270", "60020271"], where="policy").labels
    (('60020270', '60020271'), ('6002027*',), ('600202**',))
    """
    already = [value for value in values if spec.character in value]
    if already:
        # A released 6002* must stand for all that begins with 6002, not for one value that was written so.
        raise UnfitValues(
            trn(
                '{n:,} value of the data already has the mask character "{character}"',
                '{n:,} values of the data already have the mask character "{character}"',
                n=len(already),
                character=spec.character,
            ),
            already,
            where=where,
            remedy=tr('Choose another one beside mask in the policy: character = "#".'),
        )
    height = max((len(value) - spec.keep for value in values), default=0)
    return Hierarchy.from_steps(attribute, values, [_masker(spec, level) for level in range(1, height + 1)])


def _masker(spec: MaskHierarchy, level: int) -> Callable[[str], str]:
    """What masks ``level`` characters. It may be given a value or one that is masked already on fewer places."""
    keep, character = spec.keep, spec.character

    def right(label: str) -> str:
        hidden = max(min(level, len(label) - keep), 0)
        return label[: len(label) - hidden] + character * hidden

    def left(label: str) -> str:
        hidden = max(min(level, len(label) - keep), 0)
        return character * hidden + label[hidden:]

    return right if spec.mask == "right" else left

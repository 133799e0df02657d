"""A hierarchy that masks characters one by one: 60020270 → 6002027* → 600202** → …"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cobogo.data.hierarchy.base import Hierarchy, unfit
from cobogo.data.policy import MaskHierarchy


def mask_hierarchy(attribute: str, spec: MaskHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Level n masks n characters from one side; the ``keep`` characters at the other side are never masked.

    A value with fewer characters to mask than the level asks for is masked as far as it goes.

    >>> mask_hierarchy("cep", MaskHierarchy(mask="right", keep=6), ["60020270", "60020271"], where="policy").labels
    (('60020270', '60020271'), ('6002027*',), ('600202**',))
    """
    already = [value for value in values if spec.character in value]
    if already:
        # A released 6002* must stand for all that begins with 6002, not for one value that was written so.
        raise unfit(
            already,
            f'cannot be masked, for the mask character "{spec.character}" is part of them',
            where=where,
            remedy="Choose another one with character beside mask in the policy.",
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

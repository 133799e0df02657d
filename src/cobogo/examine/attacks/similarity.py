"""Similarity: the values of a class differ, but mean nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Domain
from cobogo.data.policy import Policy
from cobogo.examine.attacks.attribute_linkage import AttributeLinkage
from cobogo.examine.attacks.base import Finding
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatibility import build_hierarchy
from cobogo.examine.attacks.suspects import Suspects
from cobogo.floor.arguments import number, whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr


@card("similarity")
@dataclass(frozen=True)
class Similarity(AttributeLinkage):
    r"""Learn roughly which value a person has: a branch of the hierarchy, or a narrow interval, that contains most of
    the records that may be the person's.

    Gastritis, gastric ulcer and stomach cancer are three diseases, all of the stomach. Values are similar if they share
    a label at ``level`` of the attribute's hierarchy; numbers without a hierarchy are similar if they are within
    ``width`` of the whole range.

    Formula: $\max_B \frac{\lvert\{u : x_u \in B\}\rvert}{s}$ over branches $B$ of the level, or intervals of width
        $w\,(\max x - \min x)$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> ward = table("age ill", "<40 gastritis", "<40 ulcer", "40+ flu", "40+ ulcer")
        >>> policy = roles("age", "ill", ill={"tree": {"stomach": ["gastritis", "ulcer"], "lungs": ["flu"]}})
        >>> attack("similarity", ward, policy=policy).confidence.tolist()
        [1.0, 1.0, 0.5, 0.5]

    Guarantee: None: an attack finds people, it does not protect them. t-closeness with the hierarchical or ordered
        distance, (ε,m)- and (k,e)-anonymity help.
    Limits: It knows no similarity other than the levels of the hierarchy and the distance of numbers.
    Cost: $O(n\,v \log v)$ for n people and the v values of the records that may be theirs.
    Paper: N. Li, T. Li and S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """

    level: int = 1
    width: float = 0.1

    finds: ClassVar[Finding] = "value"
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and which sensitive values are similar")
    defence: ClassVar[str] = tr("t-closeness with the hierarchical or the ordered distance, (ε,m)- or (k,e)-anonymity.")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "level", self.level, least=1)
        number(self.name, "width", self.width, least=0, most=1)

    def obstacle(self, case: Case, attribute: str) -> str | None:
        """Values must be numbers, or have a hierarchy."""
        release = case.release
        if _has_tree(release.policy, attribute):
            return None
        labels = release.rows.labels(attribute) if attribute in release.rows.columns else ()
        if Domain(attribute, labels, np.zeros(len(labels), dtype=np.int64)).is_numeric:
            return None
        return tr("its values are not numbers, and no policy gives it a hierarchy")

    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """The branch, or the interval, with the most suspects."""
        if _has_tree(found.policy, found.domain.attribute):
            return _judge_branches(found, _branches(found, self.level))
        return _judge_intervals(found, self.width)


def _has_tree(policy: Policy | None, attribute: str) -> bool:
    return policy is not None and attribute in policy.attributes and policy.attributes[attribute].hierarchy is not None


def _branches(found: Suspects, level: int) -> Ints:
    """The branch of each value; one that the hierarchy does not know is a branch of its own."""
    assert found.policy is not None
    labels = found.domain.labels
    tree = build_hierarchy(found.domain.attribute, labels, (), found.policy)
    if tree is None:
        return np.arange(len(labels), dtype=np.int64)
    codes = tree.maps[min(level, tree.height)]
    beyond = len(tree.labels[min(level, tree.height)])
    return np.array(
        [codes[tree.index[label]] if label in tree.index else beyond + place for place, label in enumerate(labels)],
        dtype=np.int64,
    )


def _judge_branches(found: Suspects, branches: Ints) -> tuple[Floats, Floats]:
    width = int(branches.max(initial=0)) + 1
    before = np.bincount(branches, found.domain.distribution, width)
    keys, inverse = np.unique(found.owners * width + branches[found.values], return_inverse=True)
    shares = np.bincount(inverse, found.shares, len(keys))
    order = np.lexsort((-shares, keys // width))
    first = np.unique(keys[order] // width, return_index=True)
    confidence, baseline = np.zeros(len(found)), np.zeros(len(found))
    confidence[first[0]] = shares[order][first[1]]
    baseline[first[0]] = before[keys[order][first[1]] % width]
    return confidence, baseline


def _judge_intervals(found: Suspects, width: float) -> tuple[Floats, Floats]:
    """The largest share of each group that lies in one interval: every value of the group begins one."""
    numbers = found.domain.numbers
    known = ~np.isnan(numbers)
    low, high = (numbers[known].min(), numbers[known].max()) if known.any() else (0.0, 0.0)
    places = np.where(known, (numbers - low) / max(high - low, 1e-300), -2.0)  # NULL lies apart
    places = np.clip(places, -2.0, 1.0)
    keys = found.owners * 8.0 + places[found.values]
    order = np.argsort(keys, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(found.weights[order])])
    end = np.searchsorted(keys[order], keys[order] + width + 1e-9, side="right")
    inside = np.zeros(len(keys))
    inside[order] = (sums[end] - sums[:-1]) / np.maximum(found.sizes, 1e-300)[found.owners[order]]
    ranks = np.argsort(places, kind="stable")
    total = np.concatenate([[0.0], np.cumsum(found.domain.distribution[ranks])])
    first = np.searchsorted(places[ranks], places, side="left")
    last = np.searchsorted(places[ranks], places + width + 1e-9, side="right")
    before = total[last] - total[first]
    best = found.best(inside)
    filled = best >= 0
    confidence, baseline = np.zeros(len(found)), np.zeros(len(found))
    confidence[filled] = inside[best[filled]]
    baseline[filled] = before[found.values[best[filled]]]
    return confidence, baseline

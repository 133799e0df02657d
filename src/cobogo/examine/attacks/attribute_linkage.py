"""Attribute linkage: sensitive values that the records that may be a person's have in common, or that mean the same."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from cobogo.data.classes import Domain
from cobogo.data.policy import Policy
from cobogo.errors import PolicyError
from cobogo.examine.attacks.base import Attack, Finding, Findings, Input, Score
from cobogo.examine.attacks.case import Case
from cobogo.examine.attacks.compatibility import build_hierarchy, unlinkable_reason
from cobogo.examine.attacks.suspects import Suspects, attacked_attributes, suspects
from cobogo.floor.arguments import number, whole
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.catalogue import card
from cobogo.floor.language import Text, join, tr
from cobogo.release.manifest import RECODING


@dataclass(frozen=True)
class AttributeLinkage(Attack):
    """What attacks on a sensitive attribute share: the attacker knows which records may be a person's.

    With ``--knowledge``, these attacks are on the people of that table, by the columns that it shares with the release;
    without it, on everybody in the release, each of whom is known to be in a class. Without an ``attribute``, every
    sensitive attribute is attacked, and the surest finding about a person counts.
    """

    threshold: float = 0.5
    attribute: str | None = None
    columns: tuple[str, ...] | None = None

    uses: ClassVar[frozenset[Input]] = frozenset({"knowledge"})
    by: ClassVar[Score] = "confidence"  # what the threshold is compared with

    @abstractmethod
    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """For each group of people with the same suspects, the attacker's confidence and the baseline."""

    def obstacle(self, case: Case, attribute: str) -> str | None:
        """Why an attribute cannot be attacked, as part of a sentence; None where it can."""

    def skip_reason(self, case: Case) -> str | None:
        """Noisy values can be linked by distance only."""
        noisy = None if case.release.kind == RECODING else unlinkable_reason(case.release)
        return super().skip_reason(case) or noisy

    def run(self, case: Case) -> Findings:
        """The surest finding about each person. Where quasi-identifiers were replaced by means, which cannot be linked,
        the people of each class are attacked instead of those of the knowledge."""
        if unlinkable_reason(case.release) and case.release.kind == RECODING:
            case = replace(case, knowledge=None)
        best: tuple[Floats, Floats, Floats] | None = None
        measures: dict[str, float | int | None] = {}
        notes: list[str] = []
        chosen = attacked_attributes(case, self.attribute)
        reasons = {name: self.obstacle(case, name) for name in chosen}
        notes += [tr("{name} was left out: {why}", name=name, why=why) for name, why in reasons.items() if why]
        usable = [name for name, why in reasons.items() if not why]
        found = None
        for name in usable:
            found = suspects(case, name, self.columns)
            groups, before = self.judge(found)
            confidence, baseline = groups[found.ids], before[found.ids]
            score = confidence - baseline if self.by == "gain" else confidence
            label = (
                tr("highest gain of {name}", name=name)
                if self.by == "gain"
                else tr("highest confidence of {name}", name=name)
            )
            measures[label] = float(score.max(initial=0.0))
            if best is not None:
                better = score > best[2]
                confidence, baseline = np.where(better, confidence, best[0]), np.where(better, baseline, best[1])
                score = np.where(better, score, best[2])
            best = confidence, baseline, score
            notes += found.notes
        if found is None or best is None:
            self.refuse(chosen, reasons)
            raise AssertionError
        there = np.flatnonzero(found.sizes[found.ids] > 0)
        return self.build_findings(
            found.rows_of,
            there + 1,
            best[0][there],
            baseline=best[1][there],
            by=self.by,
            attacked=len(found.ids),
            measures=measures,
            notes=tuple(dict.fromkeys(notes)),
            untried=found.untried,
        )

    def refuse(self, chosen: tuple[str, ...], reasons: dict[str, str | None]) -> None:
        """Raise the error of a release that has no attribute to attack."""
        why = join([Text("{name}: {why}", None, {"name": name, "why": reasons[name]}) for name in chosen], by="; ")
        raise PolicyError(
            tr("this attack cannot use any sensitive attribute ({why})", why=why),
            where=self.name,
            remedy=tr("Name another column with --attribute, or try another attack: `cobogo list attacks`."),
        )


@card("homogeneity")
@dataclass(frozen=True)
class Homogeneity(AttributeLinkage):
    r"""Learn a sensitive value because most or all of the records that may be a person's have the same value.

    The baseline of a value is its share of the whole release.

    Formula: $\max_x \frac{c_x}{s}$ of $s$ suspects, $c_x$ of whom have the value $x$
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> ward = table("age ill", "<40 flu", "<40 cold", "<40 gout", "40+ cancer", "40+ cancer")
        >>> found = attack("homogeneity", ward, policy=roles("age", "ill"))
        >>> found.exposed.tolist(), found.confidence.round(2).tolist()
        ([4, 5], [0.33, 0.33, 0.33, 1.0, 1.0])

    Guarantee: None: an attack finds people, it does not protect them. Entropy and recursive l-diversity,
        (α,k)-anonymity and t-closeness bound it; distinct l-diversity does not.
    Limits: It assumes that each of the records that may be the person's is equally probable.
    Cost: $O(n\,v)$ for n people and the v values of the records that may be theirs.
    Paper: A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
        ICDE 2006.
    """

    finds: ClassVar[Finding] = "value"
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and that the person is in the release")
    defence: ClassVar[str] = tr("l-diversity of the entropy or recursive kind, (α,k)-anonymity, or t-closeness.")

    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """The most frequent value."""
        best = found.best(found.shares)
        return _numbers_at(best, found.shares), _numbers_at(best, found.priors)


@card("background-knowledge", title="background knowledge")
@dataclass(frozen=True)
class BackgroundKnowledge(AttributeLinkage):
    r"""Rule out values by what is known about a person, and see which values are left.

    An attacker who knows ``facts`` values that a person does not have rules out the records with these values. The
    attacker is assumed to know the most useful facts.

    Formula: $\max_x \frac{c_x}{s - n}$ of $s$ suspects, $c_x$ with the value and $n$ with those that are ruled out
    Example: An attacker who knows that the patient has no gout is left with flu and cold.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> ward = table("age ill", "<40 flu", "<40 flu", "<40 cold", "<40 gout")
        >>> attack("background-knowledge", ward, policy=roles("age", "ill"), facts=1).confidence.round(2).tolist()
        [0.67, 0.67, 0.67, 0.67]

    Guarantee: None: an attack finds people, it does not protect them. With l-diversity and l above facts + 1 no value
        is certain; (c,k)-safety bounds the confidence.
    Limits: Knowledge of other forms, such as implications between people, is not tried.
    Cost: $O(n\,v \log v)$ for n people and the v values of the records that may be theirs.
    Paper: A. Machanavajjhala, J. Gehrke, D. Kifer and M. Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
        ICDE 2006.
    """

    facts: int = 1

    finds: ClassVar[Finding] = "value"
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and some sensitive values that the person does not have")
    defence: ClassVar[str] = tr("l-diversity with l above the number of facts + 1, or (c,k)-safety.")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "facts", self.facts, least=0)

    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """The most frequent value, without the next most frequent ones."""
        best = found.best(found.weights)
        struck = found.among_best(found.weights, self.facts + 1)
        struck[best[best >= 0]] = False
        left = 1 - found.sums(np.where(struck, found.shares, 0.0))
        before = 1 - found.sums(np.where(struck, found.priors, 0.0))
        return (
            np.minimum(_numbers_at(best, found.shares) / np.maximum(left, 1e-12), 1.0),
            np.minimum(_numbers_at(best, found.priors) / np.maximum(before, 1e-12), 1.0),
        )


@card("skewness")
@dataclass(frozen=True)
class Skewness(AttributeLinkage):
    r"""Believe a value of a person with a much higher probability than of other people, although the class has several
    values.

    The score is the gain of the value that gains most, or of the given ``value``.

    Formula: $\max_x \frac{c_x}{s} - q_x$ with $q_x$ the value's share of the whole release
    Example: One person in fifty is positive, but two of four in one class.
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> tests = table("zip test", "1 pos", "1 pos", "1 neg", "1 neg", *[f"{2 + n % 12} neg" for n in range(96)])
        >>> found = attack("skewness", tests, policy=roles("zip", "test"))
        >>> found.confidence.tolist()[0], found.baseline.tolist()[0]
        (0.5, 0.02)

    Guarantee: None: an attack finds people, it does not protect them. t-closeness, β-likeness and δ-disclosure bound
        it.
    Limits: It measures a gain in probability, not in odds: from 0.1 % to 10 % is a small gain.
    Cost: $O(n\,v)$ for n people and the v values of the records that may be theirs.
    Paper: N. Li, T. Li and S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007.
    """

    threshold: float = 0.25
    value: str | None = None

    finds: ClassVar[Finding] = "value"
    by: ClassVar[Score] = "gain"
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and how frequent each sensitive value is")
    defence: ClassVar[str] = tr(
        "t-closeness, β-likeness or δ-disclosure: they bound how much a class differs from the whole table."
    )

    def obstacle(self, case: Case, attribute: str) -> str | None:
        """The value asked for must occur."""
        release = case.release.rows
        if self.value is None or attribute not in release.columns or self.value in release.labels(attribute):
            return None
        return tr("it does not have the value that was asked for")

    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """The value that gains most."""
        gains = found.shares - found.priors
        if self.value is not None:
            wanted = np.array([label == self.value for label in found.domain.labels], dtype=np.bool_)[found.values]
            sums = found.sums(np.where(wanted, found.shares, 0.0))
            return sums, np.full(len(found), float(found.domain.distribution[_label_code(found, self.value)]))
        best = found.best(gains)
        return _numbers_at(best, found.shares), _numbers_at(best, found.priors)


@card("probabilistic")
@dataclass(frozen=True)
class Belief(AttributeLinkage):
    r"""Compare the beliefs about each person's sensitive value before the release and after it.

    The score is the gain of the statement "the value is one of these" that gains most: its values are those that are
    more frequent among the records that may be the person's than in the whole release. No statement about the person
    can gain more.

    Formula: $\max_S \left( p(S) - q(S) \right) = \frac{1}{2} \sum_x \lvert p_x - q_x\rvert$ with $p$ the shares among
        the suspects and $q$ those of the whole release
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> ward = table("age ill", "<40 flu", "<40 cold", "40+ gout", "40+ gout")
        >>> attack("probabilistic", ward, policy=roles("age", "ill")).score.tolist()
        [0.5, 0.5, 0.5, 0.5]

    Guarantee: None: an attack finds people, it does not protect them. t-closeness with the equal distance bounds it by
        t.
    Limits: The belief before the release is the release's own distribution, not what an attacker may know about the
        population.
    Cost: $O(n\,v)$ for n people and the v values of the records that may be theirs.
    Paper: N. Li, T. Li and S. Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE 2007,
        for beliefs before and after.
    """

    threshold: float = 0.25

    finds: ClassVar[Finding] = "value"
    by: ClassVar[Score] = "gain"
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and how frequent each sensitive value is")
    defence: ClassVar[str] = tr("t-closeness with the equal distance: its t bounds this gain.")

    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """The values that gain, together."""
        gaining = found.shares > found.priors
        return (
            found.sums(np.where(gaining, found.shares, 0.0)),
            found.sums(np.where(gaining, found.priors, 0.0)),
        )


@card("corruption")
@dataclass(frozen=True)
class Corruption(AttributeLinkage):
    r"""Learn a person's value from the others in the class; the attacker knows the values of some of them, or has
    bribed them.

    The value is certain once the attacker knows all records of the class that do not have it.

    Formula: $\max_x \frac{c_x}{s - t}$ of $s$ suspects, $t$ of whom are known not to have the value
    Example:
        >>> from cobogo import attack
        >>> from cobogo.studies.worked_examples import roles, table
        >>> ward = table("age ill", "<40 flu", "<40 flu", "<40 cold", "<40 gout")
        >>> attack("corruption", ward, policy=roles("age", "ill"), t=2, threshold=0.9).confidence.tolist()
        [1.0, 1.0, 1.0, 1.0]

    Guarantee: None: an attack finds people, it does not protect them. t-corruption bounds it. If each record is
        perturbed by itself, the values of others are useless to the attacker.
    Limits: The attacker is assumed to know the members that help most.
    Cost: $O(n\,v)$ for n people and the v values of the records that may be theirs.
    Paper: Y. Tao, X. Xiao, J. Li and D. Zhang, On anti-corruption privacy preserving publication, ICDE 2008.
    """

    t: int = 1

    finds: ClassVar[Finding] = "value"
    knows: ClassVar[str] = tr("a person's quasi-identifiers, and the sensitive values of t other people in the class")
    defence: ClassVar[str] = tr("l-diversity with t-corruption, or perturbation of each record independently.")

    def __post_init__(self) -> None:
        super().__post_init__()
        whole(self.name, "t", self.t, least=0)

    def judge(self, found: Suspects) -> tuple[Floats, Floats]:
        """The most frequent value, once t records of others are struck. Where values were drawn record by record, the
        record that reveals most: an attacker who knows which record is the person's learns no more than that."""
        best = found.best(found.weights)
        if found.surest is not None:
            return found.surest, _numbers_at(best, found.priors)
        count = _numbers_at(best, found.weights)
        left = np.maximum(found.sizes - np.minimum(self.t, found.sizes - count), 1e-300)
        return np.where(found.sizes > 0, count / left, 0.0), _numbers_at(best, found.priors)

    def run(self, case: Case) -> Findings:
        """Also count how many others the attacker must know before anybody is exposed."""
        findings = super().run(case)
        fewest = []
        for name in attacked_attributes(case, self.attribute):
            found = suspects(case, name, self.columns)
            if found.surest is not None:
                continue
            count = _numbers_at(found.best(found.weights), found.weights)
            with np.errstate(divide="ignore", invalid="ignore"):
                wanted = np.floor(found.sizes - count / self.threshold + 1 + 1e-9) if self.threshold else count * 0
            wanted = np.maximum(wanted, 0.0)[(found.sizes > 0) & (wanted <= found.sizes - count)]
            fewest += [int(wanted.min())] if len(wanted) else []
        measures = {**findings.measures, tr("fewest known members that expose somebody"): min(fewest, default=None)}
        return replace(findings, measures=measures)


def _numbers_at(entries: object, numbers: Floats) -> Floats:
    """The numbers of some entries; 0 for the entry −1."""
    chosen = np.asarray(entries)
    return np.where(chosen >= 0, np.append(numbers, 0.0)[chosen], 0.0)


def _label_code(found: Suspects, value: str) -> int:
    return found.domain.labels.index(value)


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
    near: ClassVar[bool] = True
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

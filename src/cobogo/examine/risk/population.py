"""How many people are unique in the population: counted where it is known, or else estimated from a sample.

Notation: n people in the sample, N in the population, π = n/N; s_j classes of size j in the sample, u in all. All
estimators assume that the sample was drawn at random and that each person is in one class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from cobogo.data.policy import Policy, RiskPolicy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.errors import DataError, PolicyError
from cobogo.examine.risk.source import RiskSource
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.language import tr
from cobogo.promises.population import open_population

LOW_FRACTION = 0.1
"""Up to this sampling fraction Dankar's rule takes Pitman's model (Dankar and others 2012)."""

_STEPS = 100  # of root finding at most; Ridders' method doubles its digits in each, so a dozen usually do
_CLOSE = 1e-14  # relative: the last bits of a float
_LEAST = 1e-9  # the smallest discount of Pitman's model; with 0 its sums would divide by 0


@dataclass(frozen=True, eq=False, repr=False)
class ClassSizes:
    """The class sizes of a sample, each with its number of classes."""

    sizes: Ints
    classes: Ints

    @classmethod
    def from_classes(cls, sizes: Ints) -> ClassSizes:
        """Count the sizes of a table's classes.

        >>> ClassSizes.from_classes(np.array([3, 1, 1])).uniques
        2
        """
        there = sizes[sizes > 0]
        if there.max(initial=0) > 8 * len(there) + 1000:  # few classes, a large one among them
            found, classes = np.unique(there, return_counts=True)
            return cls(found.astype(np.int64), classes.astype(np.int64))
        counts = np.bincount(there)
        found = np.flatnonzero(counts)
        return cls(found, counts[found])

    @property
    def people(self) -> int:
        """The people of the sample: n."""
        return int((self.sizes * self.classes).sum())

    @property
    def count(self) -> int:
        """The classes of the sample: u."""
        return int(self.classes.sum())

    def classes_of(self, size: int) -> int:
        """The number of classes of one size: s_j."""
        return int(self.classes[self.sizes == size].sum())

    @property
    def uniques(self) -> int:
        """The people who are unique in the sample: s₁."""
        return self.classes_of(1)


@dataclass(frozen=True)
class UniquesEstimate:
    """An estimated number of unique people, or ``why`` there is none; ``model`` is the one that a rule chose."""

    uniques: float | None
    why: str | None = None
    model: str | None = None


def estimates(sample: ClassSizes, population: int) -> dict[str, UniquesEstimate]:
    """The estimates of all estimators by name, and that of Dankar's rule."""
    if not sample.uniques or sample.people >= population:  # no sample uniques, or the sample is the population
        return dict.fromkeys([*ESTIMATORS, "dankar"], UniquesEstimate(float(sample.uniques)))
    found = {name: _cap(estimator(sample, population), sample, population) for name, estimator in ESTIMATORS.items()}
    return found | {"dankar": dankar(found, sample.people / population)}


def _cap(found: UniquesEstimate, sample: ClassSizes, population: int) -> UniquesEstimate:
    """Cap an estimate at what is possible: people who are not sample uniques are not unique in the population."""
    most = population - (sample.people - sample.uniques)
    return found if found.uniques is None else UniquesEstimate(min(found.uniques, float(most)))


def zayatz(sample: ClassSizes, population: int) -> UniquesEstimate:
    """Zayatz (1991): s₁·P(F=1 | f=1)/π, by Bayes' rule with the sample's shares of class sizes as those of the
    population, and the hypergeometric probability that one of j people is drawn."""
    n, uniques = sample.people, sample.uniques
    drawn_once = _probability_drawn_once(sample.sizes, n, population)
    unique_too = uniques * drawn_once[0] / (sample.classes * drawn_once).sum()
    return UniquesEstimate(uniques * float(unique_too) * population / n)


def _probability_drawn_once(sizes: Ints, n: int, population: int) -> Floats:
    """P(f=1 | F=j) = j·(n/N)·∏_{i<j−1} (N−n−i)/(N−1−i), without the cancellation that log Γ of large numbers has."""
    steps = np.arange(int(sizes.max()) - 1, dtype=np.float64)
    left = population - n - steps
    with np.errstate(divide="ignore"):
        logs = np.log1p(-np.minimum((n - 1) / np.maximum(population - 1 - steps, 1), 1.0))
    logs[left <= 0] = -np.inf
    missed = np.exp(np.concatenate([[0.0], np.cumsum(logs)]))
    return np.asarray(sizes * (n / population) * missed[sizes - 1])


def pitman(sample: ClassSizes, population: int) -> UniquesEstimate:
    """Pitman's sampling formula (Hoshino 2001): Γ(θ+1)/Γ(θ+α)·N^α with θ and α of the largest likelihood."""
    if sample.count == sample.people:
        return UniquesEstimate(None, tr("everybody is unique in the sample: the likelihood has no maximum"))
    if sample.count == 1:
        return UniquesEstimate(None, tr("there is only one class: the likelihood has no maximum"))
    theta, alpha = _pitman_likeliest(sample)
    if not math.isfinite(theta):
        return UniquesEstimate(None, tr("the likelihood has no maximum"))
    return UniquesEstimate(math.exp(math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(population)))


def _pitman_likeliest(sample: ClassSizes) -> tuple[float, float]:
    """The θ and α of the largest likelihood: α is where the derivative of the likelihood, maximized over θ, is 0."""

    def slope(alpha: float) -> float:
        above = _likeliest_theta(sample, alpha)
        inner = _inverse_sum(above / alpha, sample.count - 1) / alpha  # Σ_{i=1}^{u−1} 1/(θ+iα)
        by_class = digamma(sample.sizes - alpha) - digamma(1 - alpha)  # Σ_{i=1}^{j−1} 1/(i−α)
        return (sample.count - 1 - (above - alpha) * inner) / alpha - float((sample.classes * by_class).sum())

    alpha = _root(slope, _LEAST, 1 - _LEAST)
    return _likeliest_theta(sample, alpha) - alpha, alpha


def _likeliest_theta(sample: ClassSizes, alpha: float) -> float:
    """The θ + α > 0 of the largest likelihood for one α."""

    def slope(x: float) -> float:
        above = math.exp(x)
        drawn = _inverse_sum(above / alpha, sample.count - 1) / alpha  # Σ_{i=1}^{u−1} 1/(θ+iα)
        return above * (drawn - _inverse_sum(above + 1 - alpha, sample.people - 1))  # Σ_{i=1}^{n−1} 1/(θ+i)

    x = _root(slope, -40.0, 60.0)
    return math.exp(x) if x < 59 else math.inf


def _inverse_sum(first: float, terms: int) -> float:
    """1/first + 1/(first+1) + …"""
    if first > 1e4 * terms:  # the difference of two nearly equal digammas would lose all digits
        middle = first + (terms - 1) / 2
        return terms / middle * (1 + (terms * terms - 1) / (12 * middle * middle))
    high, low = digamma([first + terms, first])
    return float(high - low)


def slide_negative_binomial(sample: ClassSizes, population: int) -> UniquesEstimate:
    """The slide negative binomial (Chen and Keller-McNulty 1998): class sizes are 1 + NB(α, β), so that K·β^α of K
    classes are unique. K is Shlosser's estimate; α and β make the expected numbers of classes of which one and two are
    drawn, each person with probability π, equal to those of the sample.

    With z = 1−π, w = 1−(1−β)z, G = (β/w)^α and t = α(1−β)/w:
    E[s₁] = K·π·G·(1+zt) and E[s₂] = K·π²/2·G·t·(2+zt+z(1−β)/w). Their ratio gives t for each β.
    """
    pi, ones, pairs = sample.people / population, sample.uniques, sample.classes_of(2)
    if not pairs:
        return UniquesEstimate(None, tr("no class has exactly two people, which the model needs"))
    classes = shlosser(sample, pi)
    z, ratio = 1 - pi, pairs / ones

    def fit(beta: float) -> tuple[float, float]:
        """α, and log G·(1+zt), for one β."""
        w = 1 - (1 - beta) * z
        g = (1 - beta) / w
        a, b = pi * z / 2, pi * (2 + z * g) / 2 - ratio * z
        t = 2 * ratio / (b + math.sqrt(b * b + 4 * a * ratio)) if b > 0 else (math.sqrt(b * b + 4 * a * ratio) - b) / (
            2 * a
        )  # fmt: skip
        alpha = t / g
        return alpha, alpha * math.log(beta / w) + math.log1p(z * t)

    def excess(x: float) -> float:
        return fit(_share(x))[1] + math.log(classes * pi / ones)

    low, high = -35.0, 30.0
    if excess(low) > 0 or excess(high) < 0:
        return UniquesEstimate(
            None, tr("no slide negative binomial distribution fits the numbers of classes of one and of two people")
        )
    beta = _share(_root(excess, low, high))
    return UniquesEstimate(classes * beta ** fit(beta)[0])


def shlosser(sample: ClassSizes, pi: float) -> float:
    """The number of classes of the population (Shlosser 1981, as modified by Haas and Stokes 1998, D_Sh3):

    u + s₁·[Σ j π²(1−π²)^{j−1} s_j / Σ (1−π)^j((1+π)^j − 1) s_j]·[Σ (1−π)^j s_j / Σ j π(1−π)^{j−1} s_j]².

    The 1 is subtracted from (1+π)^j inside the sum, before it is multiplied; known tools subtract it outside.
    """
    j, s = sample.sizes.astype(np.float64), sample.classes
    missed, square = math.log1p(-pi), math.log1p(-pi * pi)
    numerator = (j * pi * pi * np.exp((j - 1) * square) * s).sum()
    denominator = (-np.exp(j * square) * np.expm1(j * (missed - square)) * s).sum()
    unseen = (np.exp(j * missed) * s).sum() / (j * pi * np.exp((j - 1) * missed) * s).sum()
    return float(sample.count + sample.uniques * numerator / denominator * unseen * unseen)


def dankar(found: dict[str, UniquesEstimate], pi: float) -> UniquesEstimate:
    """The rule of Dankar, El Emam, Neisa and Roffey (2012): up to a sampling fraction of a tenth Pitman's estimate,
    above it the smaller of Zayatz's and the slide negative binomial's. Zayatz's where another has none."""
    if pi <= LOW_FRACTION:
        name = "pitman" if found["pitman"].uniques is not None else "zayatz"
    else:
        zayatz, snb = found["zayatz"].uniques, found["snb"].uniques
        name = "snb" if zayatz is not None and snb is not None and snb <= zayatz else "zayatz"
    return UniquesEstimate(found[name].uniques, found[name].why, model=name)


ESTIMATORS: dict[str, Callable[[ClassSizes, int], UniquesEstimate]] = {
    "zayatz": zayatz,
    "pitman": pitman,
    "snb": slide_negative_binomial,
}


def _share(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """The root of a function (Ridders 1979); without one, the end of the interval where the function is nearer to 0."""
    at_low, at_high = function(low), function(high)
    if (at_low > 0) == (at_high > 0):
        return low if abs(at_low) < abs(at_high) else high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        at_middle = function(middle)
        if at_middle == 0 or high - low <= _CLOSE * max(abs(middle), 1.0):
            return middle
        bent = math.sqrt(at_middle * at_middle - at_low * at_high)
        guess = middle + (middle - low) * math.copysign(1.0, at_low) * at_middle / bent
        at_guess = function(guess)
        for x, value in sorted([(middle, at_middle), (guess, at_guess)]):
            if low < x < high:
                if (value > 0) == (at_low > 0):
                    low, at_low = x, value
                else:
                    high, at_high = x, value
                    break
    return (low + high) / 2


_SHIFT = 10
"""From this argument on the asymptotic series is exact to the last bits."""

_BERNOULLI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)
"""B₂ₙ / 2n."""


def digamma(x: ArrayLike) -> Floats:
    """The derivative of log Γ, for arguments above 0.

    >>> round(float(digamma(1.0)), 12)  # minus Euler's constant
    -0.577215664902
    """
    above = np.array(x, dtype=np.float64)
    shifted = np.zeros_like(above)
    for _ in range(_SHIFT):
        low = above < _SHIFT
        shifted -= np.where(low, 1 / above, 0.0)
        above = np.where(low, above + 1, above)
    inverse = 1 / (above * above)
    series = np.zeros_like(above)
    for coefficient in reversed(_BERNOULLI):
        series = inverse * (coefficient + series)
    return shifted + np.log(above) - 0.5 / above - series


SEVERAL = tr("some people have records in several classes, and the estimators assume one class for each person")


@dataclass(frozen=True)
class PopulationUniques:
    """How many people are unique in the population: counted in a table of it, or estimated from its size."""

    size: int
    fraction: float  # the share of the population that is in the table
    estimates: Mapping[str, UniquesEstimate]
    counted: int | None = None  # uniques of the population
    counted_here: int | None = None  # those of them who are in the table

    @property
    def uniques(self) -> float | None:
        """The count or, without one, the estimate that Dankar's rule chooses."""
        return float(self.counted) if self.counted is not None else self.estimates["dankar"].uniques

    def as_dict(self) -> dict[str, Any]:
        """The figures for JSON."""
        shown = {
            name: {
                "uniques": found.uniques,
                "share": None if found.uniques is None else found.uniques / self.size,
                **({} if found.model is None else {"model": found.model}),
                **({} if found.why is None else {"why": found.why}),
            }
            for name, found in self.estimates.items()
        }
        counted = {} if self.counted is None else {"uniques": self.counted, "uniques_here": self.counted_here}
        return {"size": self.size, "fraction": self.fraction, **counted, "estimates": shown}


def check_population(policy: Policy, people: int) -> None:
    """Refuse early a population table that cannot be opened and a population size below the number of people."""
    if policy.risk.population is not None:
        open_population(policy.risk.population, policy)
    population_size(policy.risk, people, where=f"{policy.name}, risk.population-size")


def population_size(rules: RiskPolicy, people: int, *, where: str = "--population-size") -> int | None:
    """The population's size, as the policy gives it or its sampling fraction implies it; None without either."""
    if rules.fraction is not None:
        return max(round(people / rules.fraction), people)
    size = rules.population_size
    if size is not None and size < people:
        raise PolicyError(
            tr(
                "the population cannot be smaller than the data: {size:,} people, and {people:,} in the data",
                size=size,
                people=people,
            ),
            where=where,
            remedy=tr("Give the size of the population from which the data were drawn."),
        )
    return size


@dataclass(frozen=True, eq=False, repr=False)
class KnownPopulation:
    """What is known about the population: nothing, its size, or the sizes of its classes."""

    size: int | None = None
    fraction: float | None = None  # the share of it that is in the table
    everybody: Ints | None = None  # the population's people in each of its own classes
    here: Ints | None = None  # and in each of the table's classes


def read_population(source: RiskSource, counted: FrequencyTable, people: int, rules: RiskPolicy) -> KnownPopulation:
    """Count the population's table or, without one, take the size that the policy gives."""
    if rules.population is not None:
        both = source.with_population(counted, rules.population)
        everybody = both.populations[rules.population]
        here = everybody[both.counts > 0]  # a table's own tuples keep their order among others
        short = int(np.maximum(counted.classes().sizes - here, 0).sum())
        if short:
            raise DataError(
                tr("the population table lacks {short:,} of the people who are in the data", short=short),
                where=rules.population,
                remedy=tr("The population must contain everybody in the data, with the same spelling of every value."),
            )
        size = int(everybody.sum())
        return KnownPopulation(size, people / size, everybody, here)
    known = population_size(rules, people)
    return KnownPopulation(known, None if known is None else rules.fraction or people / known)


def uniqueness(sizes: Ints, people: int, around: KnownPopulation) -> PopulationUniques | None:
    """Count or estimate the people who are unique in the population; None where nothing is known about it."""
    if around.size is None or around.fraction is None:
        return None
    sample = ClassSizes.from_classes(sizes)
    if sample.people != people:
        found = {name: UniquesEstimate(None, SEVERAL) for name in ("zayatz", "pitman", "snb", "dankar")}
    else:
        found = estimates(sample, around.size)
    if around.everybody is None or around.here is None:
        return PopulationUniques(around.size, around.fraction, found)
    here = int((around.here == 1).sum())
    return PopulationUniques(around.size, around.fraction, found, int((around.everybody == 1).sum()), here)

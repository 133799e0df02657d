"""Models that bound how frequent a sensitive value may be in a class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from cobogo.data.classes import Classes, Domain
from cobogo.errors import PolicyError
from cobogo.floor.arguments import choice, missing, number, text, whole
from cobogo.floor.arrays import Floats, Ints, Mask
from cobogo.floor.catalogue import card
from cobogo.floor.language import tr
from cobogo.promises.models.base import Model, Monotone, Records, least_beyond, quotient

SLACK = 1e-12


@card(
    "alpha-k-anonymity",
    plain=(
        "Every class has at least k people, and no sensitive value has a share above α of a class: a "
        "guess is right with a probability of at most α."
    ),
    title="(α,k)-anonymity",
    group="attribute",
    start={"alpha": 0.5, "k": 5},
)
@dataclass(frozen=True)
class AlphaK(Model):
    r"""(α,k)-anonymity: every class has at least k people, and no sensitive value (or not the one that is named) has a
    share above α of the class.

    Formula: $\lvert E\rvert \ge k$ and $\frac{c_x}{\lvert E\rvert} \le \alpha$ for every class $E$ and value $x$ (or
        the one named), which $c_x$ of it have
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "flu", "cough", "fever"], ["flu", "flu", "flu", "cough"]])
        >>> model = AlphaK("disease", alpha=0.5, k=4)
        >>> model.measure(table).tolist(), model.holds(table, model.measure(table)).tolist()
        ([0.5, 0.75], [True, False])

    Guarantee: An attacker who finds a person's class finds the record with a probability of at most $1/k$, and guesses
        the value with a confidence of at most α.
    Limits: With ``value``, only that value is bounded. An attacker who already knows the values of other people of the
        class can rule them out: see t-corruption. The model cannot hold for a value whose share of the whole table is
        above α, unless records are suppressed.
    Cost: $O(v)$ for v pairs of a class and a value.
    Paper: R. C.-W. Wong, J. Li, A. W.-C. Fu and K. Wang, (α,k)-anonymity: an enhanced k-anonymity model for
        privacy-preserving data publishing, KDD 2006.
    """

    attribute: str
    alpha: float
    k: int
    value: str | None = None
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        number(self.name, "alpha", self.alpha, above=0, most=1)
        whole(self.name, "k", self.k, least=1)
        if self.value is not None:
            text(self.name, "value", self.value)

    @property
    def monotone(self) -> Monotone:
        """A union's share is a mean of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    def check_domains(self, domains: Mapping[str, Domain]) -> None:
        """The value named, if any, is one that somebody has."""
        if self.value is not None and self.value not in domains[self.attribute].labels:
            raise PolicyError(
                tr(
                    '{name} names a value of "{attribute}" that is not in the data',
                    name=self.name,
                    attribute=self.attribute,
                ),
                where="privacy.models",
                remedy=tr("Check its spelling: values must match exactly."),
            )

    def measure(self, classes: Classes) -> Floats:
        """The largest share of a value (or that of the one named) in each class."""
        histogram, there = self.known_values(classes)
        shares = np.minimum(histogram.shares(there), 1.0)
        if self.value is not None:
            named = np.array([label == self.value for label in histogram.domain.labels])
            shares = np.where(named[histogram.values], shares, 0.0)
        return histogram.most(shares)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """A share of at most α, and at least k people."""
        return (measured <= self.alpha + SLACK) & (classes.sizes >= self.k)

    def holds_withheld(self, classes: Classes) -> Mask:
        """At least k people."""
        return np.asarray(classes.sizes >= self.k)

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """All of a class that is too small; else what exceeds α, for the parts that pass have no more than that."""
        known = np.maximum(
            super().least_failing(classes, measured),
            least_beyond(measured * self.known_values(classes)[1], self.known_values(classes)[1], self.alpha + SLACK),
        )
        return np.where(classes.sizes < self.k, classes.sizes, known)


@card(
    "p-sensitive-k-anonymity",
    plain="Every class has at least k people and at least p different sensitive values.",
    title="p-sensitive k-anonymity",
    group="attribute",
    start={"p": 2, "k": 5},
)
@dataclass(frozen=True)
class PSensitive(Model):
    r"""p-sensitive k-anonymity: every class has at least k people and at least p distinct sensitive values.

    Formula: $\lvert E\rvert \ge k$ and $\lvert\{x : c_x > 0\}\rvert \ge p$ for every class $E$
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "cough", "flu"], ["flu", "flu", "flu"]])
        >>> model = PSensitive("disease", p=2, k=3)
        >>> model.holds(table, model.measure(table)).tolist()
        [True, False]

    Guarantee: The same as k-anonymity and distinct l-diversity together: an attacker finds the record with a
        probability of at most $1/k$, and no value is certain.
    Limits: Those of distinct l-diversity: one value may still make up most of a class.
    Cost: $O(v)$ for v pairs of a class and a value.
    Paper: T. M. Truta and B. Vinay, Privacy protection: p-sensitive k-anonymity property, 2006.
    """

    attribute: str
    p: int
    k: int
    missing: Literal["value"] | None = None

    records_tell: ClassVar[Records] = Records.TOO_MANY

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        whole(self.name, "p", self.p, least=1)
        whole(self.name, "k", self.k, least=1)

    @property
    def monotone(self) -> Monotone:
        """As k-anonymity and distinct l-diversity."""
        return Monotone.EVEN_WITH_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The distinct values of each class."""
        return self.known_values(classes)[0].distinct.astype(float)

    def holds(self, classes: Classes, measured: Floats) -> Mask:
        """At least p values and k people."""
        return (measured >= self.p) & (classes.sizes >= self.k)

    def holds_withheld(self, classes: Classes) -> Mask:
        """At least k people."""
        return np.asarray(classes.sizes >= self.k)


@card(
    "beta-likeness",
    plain="No sensitive value is more than 1 + β times as frequent in a class as in the whole table.",
    title="β-likeness",
    group="attribute",
    start={"beta": 2.0, "kind": "basic"},
)
@dataclass(frozen=True)
class BetaLikeness(Model):
    r"""No sensitive value is much more probable in a class than in the whole table.

    ``basic``: the relative gain is at most β. ``enhanced``: it is also at most −ln q, so that values that are frequent
    anyway cannot become certain. The measure is then scaled so that β remains its bound.

    Formula: $\frac{p_x - q_x}{q_x} \le \beta$ for every class and every value with $p_x > q_x$, its shares in the class
        and in the table; enhanced: $\frac{p_x - q_x}{q_x} \le \min(\beta, -\ln q_x)$
    Example:
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["hiv", "hiv", "flu", "flu"], ["flu"] * 16])
        >>> BetaLikeness("disease", beta=4).measure(table).round(2).tolist()
        [4.0, 0.11]

    Guarantee: An attacker who knows the table's distribution, and learns the class of a person, believes each value
        with a probability of at most $(1 + \beta)\,q_x$.
    Limits: It bounds gains, not losses: a value may be ruled out. It compares classes with the whole table, whose
        distribution is assumed to be known. Record linkage is not covered.
    Cost: $O(v)$ for v pairs of a class and a value.
    Paper: J. Cao and P. Karras, Publishing microdata with a robust privacy guarantee, PVLDB 2012.
    """

    attribute: str
    beta: float
    kind: Literal["basic", "enhanced"] = "basic"
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        number(self.name, "beta", self.beta, above=0)
        choice(self.name, "kind", self.kind, ("basic", "enhanced"))

    @property
    def compares(self) -> bool:
        """With the distribution of the whole table."""
        return True

    @property
    def monotone(self) -> Monotone:
        """A union's shares are means of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The largest relative gain of each class."""
        histogram, there = self.known_values(classes)
        whole_table = histogram.domain.shares[histogram.values]
        gains = (np.minimum(histogram.shares(there), 1.0) - whole_table) / whole_table
        if self.kind == "enhanced":
            limits = np.minimum(self.beta, -np.log(whole_table))
            gains = np.divide(gains * self.beta, limits, out=np.where(gains > SLACK, np.inf, 0.0), where=limits > 0)
        return histogram.most(gains)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most β."""
        return measured <= self.beta + SLACK

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """What exceeds a value's highest share, for the parts that pass have no more than that."""
        histogram, there = self.known_values(classes)
        whole_table = histogram.domain.shares[histogram.values]
        limits = self.beta if self.kind == "basic" else np.minimum(self.beta, -np.log(whole_table))
        beyond = least_beyond(
            histogram.counts, there[histogram.owners], whole_table * (1 + (1 + SLACK / self.beta) * limits)
        )
        return np.maximum(
            super().least_failing(classes, measured), histogram.most(beyond.astype(float)).astype(np.int64)
        )


@card(
    "delta-disclosure",
    plain=(
        "Every sensitive value occurs in every class about as often as in the whole table. Very strict: a "
        "class that lacks one value fails."
    ),
    title="δ-disclosure privacy",
    group="attribute",
    start={"delta": 1.0},
)
@dataclass(frozen=True)
class DeltaDisclosure(Model):
    r"""Every sensitive value of the whole table occurs in every class, with a share that differs from its share of the
    table by a factor below e^δ.

    Formula: $\left\lvert \ln \frac{p_x}{q_x}\right\rvert < \delta$ for every class and every value $x$ of the table,
        with its shares $p_x$ in the class and $q_x$ in the table
    Example: The second class lacks a value, so no δ is large enough.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "cough"], ["flu"], ["flu", "cough"]])
        >>> DeltaDisclosure("disease", delta=1.0).measure(table).round(3).tolist()
        [0.223, inf, 0.223]

    Guarantee: Learning a person's class changes the probability of each value by a factor between $e^{-\delta}$ and
        $e^{\delta}$.
    Limits: Very strict: a class that lacks a single value fails, so rare values force large classes. It compares
        classes with the whole table, whose distribution is assumed to be known.
    Cost: $O(v)$ for v pairs of a class and a value.
    Paper: J. Brickell and V. Shmatikov, The cost of privacy: destruction of data-mining utility in anonymized data
        publishing, KDD 2008.
    """

    attribute: str
    delta: float
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        number(self.name, "delta", self.delta, above=0)

    @property
    def compares(self) -> bool:
        """With the distribution of the whole table."""
        return True

    @property
    def monotone(self) -> Monotone:
        """A union's shares are means of its parts' shares."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The largest |ln(p/q)| of each class; infinite where a value is missing."""
        histogram, there = self.known_values(classes)
        shares = np.minimum(histogram.shares(there), 1.0)
        ratios = np.abs(np.log(shares / histogram.domain.shares[histogram.values]))
        complete = histogram.distinct == int((histogram.domain.total > 0).sum())
        return np.where(complete, histogram.most(ratios), np.inf)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """Below δ."""
        return measured < self.delta

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """All of a class that lacks a value, for all its parts lack it; else what exceeds a value's highest share."""
        histogram, there = self.known_values(classes)
        highest = np.exp(self.delta) * histogram.domain.shares[histogram.values]
        beyond = least_beyond(histogram.counts, there[histogram.owners], highest).astype(float)
        known = np.maximum(super().least_failing(classes, measured), histogram.most(beyond).astype(np.int64))
        return np.where(np.isinf(measured), classes.sizes, known)


@card(
    "t-corruption",
    plain=(
        "Even an attacker who knows the sensitive values of t people of a class guesses another person's "
        "value with a probability of at most 1/l."
    ),
    group="knowledge",
    start={"t": 1, "l": 2.0},
)
@dataclass(frozen=True)
class TCorruption(Model):
    r"""l-diversity against an attacker who already knows the values of t people of the class: the most frequent value
    makes up at most 1/l of the other people.

    Formula: $\frac{\max_x c_x}{\lvert E\rvert - t} \le \frac{1}{l}$ for every class $E$
    Example: An attacker who knows two of six people is left with four people, two of whom may have the flu.
        >>> from cobogo.promises.models.example_classes import classes
        >>> table = classes(disease=[["flu", "flu", "cough", "cough", "fever", "fever"]])
        >>> TCorruption("disease", t=2, l=2).measure(table).tolist()
        [0.5]

    Guarantee: An attacker who knows the values of any t other people of the class guesses a person's value with a
        confidence of at most $1/l$.
    Limits: Knowledge of another form, such as "if Ann has the flu, so has Bob", is not covered: see c-k-safety.
    Cost: $O(v)$ for v pairs of a class and a value.
    Paper: None: our own condition, after the corruption attacks of Y. Tao, X. Xiao, J. Li and D. Zhang, On
        anti-corruption privacy preserving publication, ICDE 2008.
    """

    attribute: str
    t: int
    l: float
    missing: Literal["value"] | None = None

    more_is_safer: ClassVar[bool] = False

    def __post_init__(self) -> None:
        missing(self.name, self.missing)
        whole(self.name, "t", self.t, least=0)
        number(self.name, "l", self.l, least=1)

    @property
    def monotone(self) -> Monotone:
        """The union's most frequent value has at most the sum of the parts' bounds."""
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Floats:
        """The most frequent value's count over the people that the attacker does not know."""
        histogram, there = self.known_values(classes)
        most = histogram.most(histogram.counts.astype(float))
        return np.where(most > 0, quotient(most, there - self.t), 0.0)

    def holds(self, classes: Classes, measured: Floats) -> Mask:  # noqa: ARG002
        """At most 1/l."""
        return measured <= 1 / self.l + SLACK

    def least_failing(self, classes: Classes, measured: Floats) -> Ints:
        """What exceeds 1/l of the class, for the parts that pass have no more than that."""
        histogram, there = self.known_values(classes)
        most = histogram.most(histogram.counts.astype(float))
        beyond = least_beyond(most, there, 1 / self.l + SLACK)
        return np.maximum(super().least_failing(classes, measured), beyond)

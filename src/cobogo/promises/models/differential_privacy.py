"""Differential privacy, in either of its measures, as what a release promises.

It is a property of how the release was drawn, and cannot be read off it: verification adds up what the stated procedure
costs, and trusts that the procedure was followed.
"""

from __future__ import annotations

from dataclasses import dataclass

from cobogo.floor.arguments import number
from cobogo.floor.catalogue import Registry, card
from cobogo.promises.models.check import ModelVerdict
from cobogo.promises.models.promise import Promise

SLACK = 1e-9
"""The most by which the rounding of floats may raise a loss, relative to it."""


@card(
    "differential-privacy",
    plain=(
        "Synthetic data or samples: whether or not a person is in the table changes the probability of "
        "any output by at most a factor e^ε, except with a probability δ."
    ),
    title="differential privacy",
    group="noise",
    start={"epsilon": 1.0, "delta": 1e-06},
)
@dataclass(frozen=True)
class DifferentialPrivacy(Promise):
    r"""The presence of one person in the data makes no output more probable by a factor above e^ε, except for δ.

    It is a property of how the release was drawn, and cannot be read off the release: verification adds up what the
    stated procedure costs, and trusts that the procedure was followed.

    Formula: $\Pr[M(D) \in S] \le e^{\varepsilon} \Pr[M(D') \in S] + \delta$ for all sets $S$ of outputs and all tables
        $D$, $D'$ that differ in one person
    Example:
        >>> promised = DifferentialPrivacy(epsilon=1.0, delta=1e-9)
        >>> promised.verdict(epsilon=0.75, delta=1e-9).satisfied, promised.verdict(epsilon=1.25, delta=0).satisfied
        (True, False)

    Guarantee: Each person of the table is protected against any attacker, whatever the attacker knows now or learns
        later. The losses of several releases add up.
    Limits: It does not hide what is true of people in general, whether they are in the table or not. A large ε promises
        little; see Choosing ε. Other releases about the same people outside the ledger are not counted.
    Cost: $O(1)$ to check; the price is noise, of the order of $1/\varepsilon$ in a count.
    Paper: C. Dwork, F. McSherry, K. Nissim and A. Smith, Calibrating noise to sensitivity in private data analysis, TCC
        2006. C. Dwork, K. Kenthapadi, F. McSherry, I. Mironov and M. Naor, Our data, ourselves: privacy via distributed
        noise generation, EUROCRYPT 2006 (δ).
    """

    epsilon: float
    delta: float = 0.0

    def __post_init__(self) -> None:
        number(self.name, "epsilon", self.epsilon, above=0)
        number(self.name, "delta", self.delta, least=0, most=1)

    def verdict(self, epsilon: float, delta: float) -> ModelVerdict:
        """Whether a procedure that costs so much keeps the promise; both must."""
        held = epsilon <= self.epsilon * (1 + SLACK) and delta <= self.delta * (1 + SLACK)
        return ModelVerdict(self, held, epsilon, None, 0 if held else 1)


@card(
    "zero-concentrated-differential-privacy",
    plain=(
        "The same promise as differential privacy, in a form that gives a tighter total over many draws; "
        "ρ says how much is revealed."
    ),
    title="zero-concentrated differential privacy",
    group="noise",
    start={"rho": 0.5},
)
@dataclass(frozen=True)
class ConcentratedPrivacy(Promise):
    r"""Zero-concentrated differential privacy: the Rényi divergence of order α between the outputs with and without a
    person is at most ρ·α, for every α above 1.

    It is the natural measure for Gaussian noise, and many small costs add up to less than in ε.

    Formula: $D_{\alpha}(M(D) \,\Vert\, M(D')) \le \rho\,\alpha$ for all $\alpha > 1$ and neighbours $D$, $D'$; it
        implies $(\rho + 2\sqrt{\rho \ln(1/\delta)}, \delta)$-differential privacy for every $\delta > 0$
    Example:
        >>> ConcentratedPrivacy(rho=0.1).verdict(rho=0.05).satisfied
        True

    Guarantee: The same as differential privacy for any δ above 0, with the ε to which ρ converts at this δ.
    Limits: Those of differential privacy. A ρ by itself is hard to read: convert it to ε before deciding.
    Cost: $O(1)$ to check; noise of the order of $1/\sqrt{\rho}$ in a count.
    Paper: M. Bun and T. Steinke, Concentrated differential privacy: simplifications, extensions, and lower bounds, TCC
        2016.
    """

    rho: float

    def __post_init__(self) -> None:
        number(self.name, "rho", self.rho, above=0)

    def verdict(self, rho: float) -> ModelVerdict:
        """Whether a procedure that costs so much keeps the promise."""
        held = rho <= self.rho * (1 + SLACK)
        return ModelVerdict(self, held, rho, None, 0 if held else 1)


MEASURES: Registry[type[DifferentialPrivacy] | type[ConcentratedPrivacy]] = Registry(
    "model",
    {
        "differential-privacy": f"{__name__}:DifferentialPrivacy",
        "zero-concentrated-differential-privacy": f"{__name__}:ConcentratedPrivacy",
    },
    listed="models",
    guide="curator",
    remark="of how it is drawn",
)
"""Each by its name in the manifest."""

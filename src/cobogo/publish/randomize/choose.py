"""The operators that follow from a policy's method and guarantees."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from cobogo.data.policy import Role
from cobogo.data.table.read import Table
from cobogo.errors import NoSolution, PolicyError
from cobogo.floor.arrays import Floats
from cobogo.floor.language import tr
from cobogo.promises.guarantees.prior_posterior import RhoPrivacy
from cobogo.promises.operators import Operator, Uniform, largest_retention
from cobogo.publish.randomize import optimal_operators
from cobogo.publish.randomize.columns import RandomizedAttributes, RandomizedColumns, check, exposures, judge
from cobogo.publish.randomize.request import (
    AttributeValues,
    RandomizationRequest,
    attribute_values,
    warn_of_undeclared_domains,
)

__all__ = ["check", "make"]

MARGIN = 0.02
"""By how much a value's own probability exceeds that of any other where a policy gives no margin: without one, the
programme releases rare values alike, so that their counts cannot be estimated."""

CAP = 3.0
"""The bound on the amplification where a policy gives none, in multiples of what the guarantee would allow for any
prior: an attacker with another prior learns at most so much more."""

FADED = 0.01
"""A retention below this is worth a warning."""


def make(wanted: RandomizationRequest, table: Table) -> RandomizedColumns:
    """Choose the operators: with the retention asked for, or with the largest that meets the guarantees."""
    method = wanted.table.method
    warnings: list[str] = []
    if method in ("fine-grain", "value-dependent"):
        drawn = [_fit_to_table(wanted, method)]
        warnings.append(
            tr(
                "the guarantee is for attackers who know the distribution of the whole table and nothing more about a "
                "person: an attacker who knows more may learn more"
            )
        )
    else:
        parts = _parts(wanted, table)
        draws = len(parts) * wanted.records_per_person
        drawn = [
            RandomizedAttributes(part, _uniform_operator(wanted, math.prod(len(v.labels) for v in part), draws))
            for part in parts
        ]
    if method == "gamma-diagonal":
        warnings += warn_of_undeclared_domains(drawn[0].values)
    _refuse_large_retention(wanted, drawn)
    for part in drawn:
        if isinstance(part.operator, Uniform) and part.operator.retention < FADED:
            share = 100 * float(part.operator.retention)
            warnings.append(
                tr(
                    "only {share:.2g} % of {names} is retained: counts will be very uncertain",
                    share=share,
                    names=", ".join(part.names),
                )
            )
    return RandomizedColumns(
        method=method,
        drawn=tuple(drawn),
        guarantees=wanted.guarantees,
        policy=wanted.policy,
        records_per_person=wanted.records_per_person,
        seed=wanted.table.seed,
        notices=tuple(warnings),
    )


def _refuse_large_retention(wanted: RandomizationRequest, drawn: Sequence[RandomizedAttributes]) -> None:
    """Refuse a retention of the policy's own that breaks a guarantee, before anything is drawn."""
    if wanted.table.retention is None:
        return
    parts = [(part.names, part.operator) for part in drawn]
    priors = {v.attribute: v.records / v.records.sum() for part in drawn for v in part.values}
    verdicts, _ = judge(wanted.guarantees, exposures(parts, wanted.records_per_person, priors))
    for verdict in verdicts:
        if verdict.fails:
            raise NoSolution(
                tr(
                    "a retention of {retention:g} does not satisfy {model}: measured {measured:.3g}",
                    retention=wanted.table.retention,
                    model=verdict.model,
                    measured=verdict.measured,
                ),
                where=f"{wanted.where}.retention",
                remedy=tr("Leave out retention: the largest possible one is then used."),
            )


def _parts(wanted: RandomizationRequest, table: Table) -> list[tuple[AttributeValues, ...]]:
    """The attributes that are drawn together."""
    if wanted.table.method == "warner" and any(len(values.labels) != 2 for values in wanted.values):
        raise PolicyError(
            tr("Warner's response needs attributes with exactly two values"),
            where=f"{wanted.where}.method",
            remedy=tr('Use method = "uniform", which does the same for any number of values.'),
        )
    if wanted.table.method == "gamma-diagonal":
        gone = set(wanted.policy.with_role(Role.IDENTIFIER))
        known = {values.attribute: values for values in wanted.values}
        names = [name for name in table.columns if name not in gone]
        return [tuple(known.get(name) or attribute_values(name, wanted.table, table, wanted.where) for name in names)]
    return [wanted.values] if wanted.table.joint else [(values,) for values in wanted.values]


def _uniform_operator(wanted: RandomizationRequest, size: int, draws: int) -> Operator:
    if wanted.table.retention is not None:
        return Uniform(size, Fraction(str(wanted.table.retention)))
    allowed = min((guarantee.largest_amplification for guarantee in wanted.guarantees), default=None)
    if allowed is None:
        raise PolicyError(
            tr("states neither a retention nor a guarantee"),
            where=wanted.where,
            remedy=tr(
                "Give retention, or a guarantee under [privacy]: {example}.",
                example='models = [{ model = "rho1-rho2-privacy", rho1 = 0.05, rho2 = 0.5 }]',
            ),
        )
    return Uniform(size, largest_retention(allowed ** (1 / draws), size))


def require_rho_privacy(wanted: RandomizationRequest) -> RhoPrivacy:
    """The one guarantee that methods for the table's own distribution meet; refuse a policy that asks for others."""
    rho = [guarantee for guarantee in wanted.guarantees if isinstance(guarantee, RhoPrivacy)]
    if len(rho) != 1 or len(wanted.guarantees) != 1 or not rho[0].needs_prior:
        raise PolicyError(
            tr(
                "{method} can give only one guarantee: (ρ1, ρ2)-privacy, in both directions or upward, "
                'with prior = "table"',
                method=wanted.table.method,
            ),
            where=f"{wanted.policy.name}, privacy.models",
            remedy=tr(
                'Ask for {model}, or use method = "uniform", which gives guarantees for any prior.',
                model='{ model = "rho1-rho2-privacy", rho1 = …, rho2 = …, prior = "table" }',
            ),
        )
    if len(wanted.values) != 1 or wanted.records_per_person > 1 or wanted.table.retention is not None:
        raise PolicyError(
            tr(
                "{method} computes the retention of one attribute, for people with one record each",
                method=wanted.table.method,
            ),
            where=wanted.where,
            remedy=tr('Use method = "uniform" for several attributes or records, or for a retention of your own.'),
        )
    return rho[0]


def _fit_to_table(wanted: RandomizationRequest, method: str) -> RandomizedAttributes:
    rho = require_rho_privacy(wanted)
    (values,) = wanted.values
    shares: Floats = np.asarray(values.records / values.records.sum())
    cap = wanted.table.cap or CAP * rho.largest_amplification
    margin = MARGIN if wanted.table.margin is None else wanted.table.margin
    try:
        if method == "fine-grain":
            found = optimal_operators.linear_programme(shares, rho.rho1, rho.rho2, margin=margin, cap=cap)
            # The solver meets the bounds up to its tolerance; a little mixing makes them hold exactly.
            return RandomizedAttributes(wanted.values, optimal_operators.temper(found, shares, rho.rho1, rho.rho2))
        best = optimal_operators.value_dependent(shares, rho.rho1, rho.rho2, cap=cap)
        return RandomizedAttributes(wanted.values, optimal_operators.temper(best, shares, rho.rho1, rho.rho2))
    except NoSolution as error:
        raise NoSolution(error.what, where=wanted.where, remedy=error.remedy) from None

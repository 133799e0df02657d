"""What is asked of every model, metric, attack, location mechanism and collector, for packages that add one.

Each function raises an AssertionError that says what is not true. `check_model` draws random tables with Hypothesis,
which is an extra: ``pip install 'cobogo[testing]'``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING, Any

import numpy as np

from cobogo.data.classes import Classes
from cobogo.errors import InputError
from cobogo.examine.attacks.base import Attack, Findings
from cobogo.examine.attacks.case import Case
from cobogo.examine.metrics.base import Metric, Outcome, Scale
from cobogo.floor.catalogue import Card
from cobogo.floor.language import tr
from cobogo.floor.options import construct
from cobogo.promises.models.base import Model, Monotone, Scope
from cobogo.promises.models.check import check, failing_classes
from cobogo.promises.models.example_classes import classes
from cobogo.promises.models.promise import parameters

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from cobogo.collect.oracle import Oracle
    from cobogo.locate.mechanisms.base import Mechanism
    from cobogo.locate.places.points import Points

LEAST_DOCSTRING = 60
"""Characters of a docstring: fewer do not say what a thing is, for whom, and what it does not do."""


def check_card(kind: Any) -> Card:
    """A thing carries a card, has a docstring that a list can quote, and, if it is a class, the card's name."""
    card = vars(kind).get("card")
    assert isinstance(card, Card), f"{kind.__qualname__} carries no card: see cobogo.floor.catalogue.card"
    assert card.name, "the card has no name"
    assert card.name == card.name.strip().lower(), f"the name {card.name!r} is not what a policy would write"
    assert card.title, f"the card of {card.name} has no title"
    assert card.summary, f"the docstring of {card.name} begins with no sentence"
    assert len(kind.__doc__ or "") >= LEAST_DOCSTRING, f"the docstring of {card.name} says too little"
    if isinstance(kind, type):
        assert getattr(kind, "name", None) == card.name
        assert is_dataclass(kind), f"{card.name} is no dataclass, so that its parameters cannot be read"
        assert kind.__dataclass_params__.frozen, f"{card.name} can be changed once it is made"  # type: ignore[attr-defined]
    return card


# --- models -----------------------------------------------------------------------------------------------------

Table = list[list[str | None]]
"""The sensitive values of a table, class by class."""


def _classes(attribute: str, table: Table) -> Classes:
    given: dict[str, Any] = {attribute: table}
    return classes(**given)


def check_model(kind: type[Model], models: SearchStrategy[Any], *, attribute: str = "s", examples: int = 50) -> None:
    """What the search and a verdict rely on, on random tables: ``models`` draws models on the sensitive ``attribute``.

    It is for models of released rows alone: those that look at a population, at earlier releases or at original tuples
    need tables of their own.
    """
    hypothesis = _hypothesis()
    check_card(kind)
    settings = hypothesis.settings(
        deadline=None, max_examples=examples, suppress_health_check=list(hypothesis.HealthCheck), database=None
    )

    def on_any_table(model: Model, table: Table, data: Any) -> None:
        assert isinstance(model, kind)
        _check_round_trip(model)
        _check_order(model, table, data.draw(hypothesis.strategies.permutations(range(len(table)))), attribute)
        _check_merging(model, table, attribute)
        _check_verdict(model, _classes(attribute, table))

    given = hypothesis.given(model=models, table=_tables(hypothesis.strategies), data=hypothesis.strategies.data())
    settings(given(on_any_table))()


def _hypothesis() -> Any:
    try:
        import hypothesis
        import hypothesis.strategies
    except ModuleNotFoundError:
        raise InputError(
            tr("Hypothesis, which draws random tables, is not installed"),
            where="cobogo.testing",
            remedy=tr("Install it: pip install 'cobogo[testing]'."),
        ) from None
    return hypothesis


def _tables(strategies: Any) -> Any:
    """Up to six classes of up to six people with few different values, some of them numbers, some missing."""
    value = strategies.sampled_from(["1", "2", "3", "10", None])
    return strategies.lists(strategies.lists(value, min_size=1, max_size=6), min_size=1, max_size=6)


def _check_round_trip(model: Model) -> None:
    written = parameters(model)
    assert json.loads(json.dumps(written)) == written, "a policy cannot hold its parameters"
    options = {key: value for key, value in written.items() if key != "model"}
    assert construct(type(model), model.name, options) == model, "its parameters do not make it again"


def _check_order(model: Model, table: Table, order: Sequence[int], attribute: str) -> None:
    """In another order, classes measure the same."""
    one, other = _classes(attribute, table), _classes(attribute, [table[place] for place in order])
    measured, again = model.measure(one), model.measure(other)
    if model.scope is Scope.CLASS:
        measured = measured[list(order)]
    assert np.allclose(measured, again, rtol=1e-9, atol=1e-12, equal_nan=True), "the order of classes changes a measure"


def _check_merging(model: Model, table: Table, attribute: str) -> None:
    """What a model says of generalization is true of any two classes that fall together."""
    parts = _classes(attribute, table)
    if model.scope is Scope.TABLE:
        together: Table = [[value for part in table for value in part]]
        if model.monotone is not Monotone.NO and check([model], parts)[0].satisfied:
            assert check([model], _classes(attribute, together))[0].satisfied, "merging all classes breaks it"
        return
    failed = failing_classes([model], parts)
    least_of_parts = np.where(failed, parts.sizes, 0)
    for place in range(len(table) - 1):
        both = [*table[:place], table[place] + table[place + 1], *table[place + 2 :]]
        merged = _classes(attribute, both)
        fails = bool(failing_classes([model], merged)[place])
        if model.monotone is not Monotone.NO and not failed[place] and not failed[place + 1]:
            assert not fails, f"{model} says that it is monotone: two classes that satisfy it do not together"
        if model.monotone is Monotone.EVEN_WITH_SUPPRESSION and not (failed[place] and failed[place + 1]):
            assert not fails, f"{model} says that it is monotone with suppression: a class that satisfies it spoils"
        least = int(model.least_failing(merged, model.measure(merged))[place])
        assert 0 <= least <= least_of_parts[place : place + 2].sum(), "fewer records fail below than it says"


def _check_verdict(model: Model, found: Classes) -> None:
    """The verdict quotes the worst class; of nothing, everything is true."""
    verdict = check([model], found)[0]
    written = verdict.as_dict()
    assert json.loads(json.dumps(written, allow_nan=False)) == written, "JSON cannot hold the verdict"
    measured = model.measure(found)
    held = model.holds(found, measured)
    assert len(measured) == len(held) == (len(found) if model.scope is Scope.CLASS else 1)
    assert verdict.satisfied == bool(held.all())
    nothing = check([model], found.where(np.zeros(len(found), dtype=np.bool_)))[0]
    assert nothing.satisfied, "an empty table does not satisfy it"


# --- metrics ----------------------------------------------------------------------------------------------------

SCALE = Scale(
    records=12, leaves=np.array([4, 6]), heights=np.array([2, 3]), weights=np.array([1.0, 2.0]), k=2, tuple_nats=2.0,
    full_bits=np.array([24.0, 36.0]),
)  # fmt: skip
"""Twelve records, two quasi-identifiers."""


def check_metric(metric: Metric) -> None:
    """A metric gives numbers, many outcomes at once as one by one, and bounds that are not worse than values."""
    check_card(type(metric))
    assert isinstance(metric.maximize, bool)
    assert set(metric.needs) <= {one.name for one in fields(Outcome)}, "it needs what no outcome has"
    outcomes = [_outcome(suppressed) for suppressed in range(4)]
    values = [float(metric.value(one, SCALE)) for one in outcomes]
    assert np.isfinite(values).all(), f"{metric.name} is no number: {values}"
    sums = {one.name for one in fields(Outcome)} - {"others"}
    together: dict[str, Any] = {name: np.array([getattr(one, name) for one in outcomes]) for name in sums}
    many = Outcome(**together)
    assert np.allclose(metric.value(many, SCALE), values, rtol=1e-12), "many outcomes at once have other values"
    bound = float(metric.bound(outcomes[0], SCALE, 0))
    slack = 1e-9 * max(1.0, abs(values[0]))
    within = values[0] <= bound + slack if metric.maximize else values[0] >= bound - slack
    assert within, "an outcome is better than the bound that the search prunes by"


def _outcome(suppressed: int) -> Outcome:
    """Classes of three, of which some records are suppressed."""
    kept = SCALE.records - 3 * suppressed
    return Outcome(
        suppressed=3 * suppressed,
        classes=kept // 3,
        squares=3 * kept,
        leaf_sums=np.array([2 * kept, 3 * kept]),
        level_sums=np.array([kept, kept]),
        majority=2 * kept // 3,
        products=6 * kept,
        bits=np.array([float(12 + suppressed), float(18 + suppressed)]),
        cross_nats=float(30 + suppressed),
    )


# --- attacks ----------------------------------------------------------------------------------------------------


def check_attack(kind: type[Attack], case: Case, *, secrets: Sequence[str] = ()) -> Findings:
    """An attack says what it is, runs on a case, finds rows with confidences, and shows no value of the tables.

    ``secrets`` are values of the case's tables that must not be in what it tells.
    """
    check_card(kind)
    assert kind.knows, "nothing says what the attacker knows"
    assert kind.defence.endswith("."), "nothing says what helps, in a sentence"
    attack = construct(kind, kind.name, {})
    assert 0 <= attack.threshold < 1
    assert attack.lacks(case) is None, f"the case {attack.lacks(case)}"
    found, again = attack.run(case), attack.run(case)
    assert found.attack == kind.name
    assert len(found.rows) == len(found.confidence) <= found.attacked
    assert (np.diff(found.rows) > 0).all(), "rows are not in ascending order, each once"
    assert (found.rows >= 1).all(), "the first row is 1"
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all(), "a confidence is from 0 to 1"
    told = found.to_dict()
    assert told == again.to_dict(), "the same case is told of in two ways"
    assert found.succeeded == bool(told["exposed"])
    text = json.dumps(told, allow_nan=False, ensure_ascii=False)
    shown = [secret for secret in secrets if secret in text]
    assert not shown, "values of the tables are shown"
    return found


# --- location mechanisms ----------------------------------------------------------------------------------------


def check_mechanism(mechanism: Mechanism, points: Points | None = None) -> None:
    """A mechanism gives one report a point in their order, costs no more than it promises, and draws from nothing but
    the source that it is given."""
    from cobogo.floor.randomness import Seeded
    from cobogo.locate.places.points import Points as AllPoints

    check_card(type(mechanism))
    given = two_walks() if points is None else points
    released = mechanism.apply(given, Seeded(1))
    reports = released.points
    assert len(reports) == len(given) == len(released.cost), "there is not one report a point"
    assert (np.abs(reports.lat) <= 90).all(), "a latitude is beyond a pole"
    assert ((reports.lon >= -180) & (reports.lon < 180)).all(), "a longitude is not from -180 to 180"
    for name in ("time", "user"):
        before, after = getattr(given, name), getattr(reports, name)
        assert before is None or (before == after).all(), f"the {name} of a report is not that of its point"
    promised = mechanism.guarantee
    if promised.kind == "none":
        assert promised.note, "nothing says what remains without a guarantee"
    else:
        most = promised.epsilon if promised.epsilon is not None else 0.0
        assert ((released.cost >= 0) & (released.cost <= most * (1 + 1e-12))).all(), "a report costs more than promised"
    again = type(mechanism)(**mechanism.options()).apply(given, Seeded(1)).points
    assert (again.lon == reports.lon).all(), "its options or its source do not decide what it reports"
    assert (again.lat == reports.lat).all()
    assert len(mechanism.apply(given.take(slice(0, 0)), Seeded(1)).points) == 0
    ends = AllPoints.from_columns([0, 180, -180, 179.99999], [90, 0, -90, 45])
    at_the_ends = mechanism.apply(ends, Seeded(1)).points
    assert np.isfinite(at_the_ends.lon).all(), "the ends of the world have no report"
    assert (np.abs(at_the_ends.lat) <= 90).all()


# --- collectors -------------------------------------------------------------------------------------------------

REPORTS_DRAWN = 20_000
"""Reports of `check_collector`: they show whether a report supports values as often as p and q say, to within 2 %."""


def check_collector(oracle: Oracle) -> None:
    """A frequency oracle loses at most ε, by its exact probabilities; reports fit its layout and support values as
    often as it says; only the source decides what is drawn."""
    from cobogo.collect.layout import pack_reports
    from cobogo.floor.randomness import Seeded

    check_card(type(oracle))
    laws = [oracle.law(held) for held in range(oracle.values)]
    for law in laws:
        assert sum(law.values()) == 1, "the probabilities of the reports of a value do not sum to 1"
        for other in laws:
            assert law.keys() == other.keys(), "a report is possible for one value only"
            ratio = max(law[report] / other[report] for report in law)
            assert ratio <= Fraction(exp(oracle.epsilon)), "a report reveals more than ε"
    for held in range(oracle.values):
        clients = np.full(REPORTS_DRAWN, held)
        reports = oracle.encode(clients, Seeded(held))
        assert len(reports) == REPORTS_DRAWN, "there is not one report a client"
        assert (reports == oracle.encode(clients, Seeded(held))).all(), "its source does not decide what it reports"
        assert not len(oracle.layout.faults(pack_reports(reports, oracle.layout))), "a report does not fit its layout"
        said = np.where(np.arange(oracle.values) == held, oracle.p, oracle.q)
        errors = 6 * np.sqrt(said * (1 - said) / REPORTS_DRAWN)
        assert (abs(oracle.support(reports) / REPORTS_DRAWN - said) <= errors).all(), "p or q is not true"
    assert len(oracle.encode(np.zeros(0, dtype=np.int64), Seeded(1))) == 0


def two_walks(seed: int = 0) -> Points:
    """Two people who walk in Fortaleza, their points mixed."""
    from cobogo.locate.places.points import Points as AllPoints

    rng = np.random.default_rng(seed)
    steps = np.cumsum(rng.normal(0, 3e-4, (2, 40, 2)), axis=1) + np.array([-38.52, -3.75])
    lon, lat = steps[..., 0].T.ravel(), steps[..., 1].T.ravel()
    return AllPoints.from_columns(lon, lat, time=np.repeat(np.arange(40) * 60.0, 2), user=["ana", "bia"] * 40)

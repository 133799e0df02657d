"""A person who leaves one of two combined tables, or both, moves the figures by no more than the noise was made for."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from cobogo.answer.noise import choose_noise
from cobogo.answer.plan import ExactMeasurement, Key, QueryPlan
from cobogo.errors import QueryRefused
from cobogo.promises.accounting import Measure, PrivacyLoss
from cobogo.promises.declared_columns import DeclaredColumn
from support import pairs
from support import questions as q
from support.bounds import within

PEOPLE = ["p1", "p2", "p3"]

Leaving = tuple[list[str], ...]
"""The tables that somebody leaves, one case after another."""

ON_SPARK = [
    pairs.OF_SETS[0].format("SELECT city FROM people EXCEPT SELECT city FROM visits WHERE cost > 1"),
    pairs.JOINS[4].format("LEFT JOIN"),
    pairs.VIEWS[1],
]


ONE, BOTH = (["people"], ["visits"]), (["people", "visits"],)


def leave(text: str, source: random.Random, url: str | None = None, left: Leaving = (*ONE, *BOTH)) -> None:
    """Draw two tables, take somebody out of one of them and out of both, and compare."""
    datasets = pairs.declared(source.randint(1, 3), source.randint(1, 3))
    plan, engine = pairs.asked(text, datasets), q.engine(url)
    tables = {name: pairs.draw(source, name) for name in datasets}
    who, salt = source.choice(PEOPLE), source.getrandbits(40)
    everybody = pairs.found(plan, tables, engine, salt)
    for names in left:
        fewer = {name: pairs.without(rows, who) if name in names else rows for name, rows in tables.items()}
        within(everybody, pairs.found(plan, fewer, engine, salt), plan)


@pytest.mark.slow
@pytest.mark.parametrize("text", pairs.QUESTIONS)
def test_a_person_leaves_a_table(text: str) -> None:
    for seed in range(2):
        leave(text, random.Random(f"{text} {seed}"))


@pytest.mark.evidence
@pytest.mark.parametrize("text", pairs.QUESTIONS)
def test_thousands_of_people_leave_a_table(text: str) -> None:
    for seed in range(100):
        leave(text, random.Random(f"{text} {seed}"))


@pytest.mark.slow
def test_a_person_leaves_a_table_on_every_engine(answering_url: str) -> None:
    slow = q.engine(answering_url).name == "Spark"  # which takes a second for each statement
    for text in ON_SPARK if slow else pairs.QUESTIONS[::4]:
        leave(text, random.Random(text), answering_url, ONE[1:] if slow else (*ONE, *BOTH))


@pytest.mark.evidence
def test_many_people_leave_a_table_on_every_engine(answering_url: str) -> None:
    for text in pairs.QUESTIONS:
        for seed in range(1 if q.engine(answering_url).name == "Spark" else 20):
            leave(text, random.Random(f"{text} {seed}"), answering_url)


def test_the_bounds_are_reached() -> None:
    """A person who leaves one of two united tables takes what counted, and lets in what did not: twice the change."""
    visits = [{"person": "p1", "city": city, "cost": 1.0, "ward": "a"} for city in ("Crato", "Sobral")]
    people = [{"person": "p1", "city": city, "age": 1, "home": None} for city in ("Crato", "Sobral")]
    plan = pairs.asked(
        "SELECT city, COUNT(*) FROM (SELECT city FROM people EXCEPT SELECT city FROM visits) AS t GROUP BY city",
        pairs.declared(1, 1),
    )
    moved = set()
    for salt in range(20):
        one = pairs.found(plan, {"people": people, "visits": visits[:1]}, q.engine(), salt)
        other = pairs.found(plan, {"people": people, "visits": []}, q.engine(), salt)
        figures = one[ExactMeasurement("people")], other[ExactMeasurement("people")]
        moved.add(sum(abs(figures[0].get(key, 0) - figures[1].get(key, 0)) for key in plan.public or ()))
    assert plan.stability == 2
    assert moved == {0, 2}


SIDES = "SELECT city FROM people WHERE age > 6", "SELECT city FROM visits"
TWO_COLUMNS = "SELECT city FROM people WHERE age > 6", "SELECT home AS city FROM people"


@pytest.mark.parametrize("how", pairs.SETS)
def test_sets_are_those_of_rows_with_their_person(how: str) -> None:
    source = random.Random(how)
    tables = {name: pairs.draw(source, name, 40) for name in pairs.COLUMNS}
    text = f"SELECT city, COUNT(*) FROM ({SIDES[0]} {how} {SIDES[1]}) AS t GROUP BY city"
    plan = pairs.asked(text, pairs.declared(99, 99))
    left = Counter((r["person"], r["city"]) for r in tables["people"] if r["person"] and r["age"] and r["age"] > 6)
    right = Counter((r["person"], r["city"]) for r in tables["visits"] if r["person"])
    expected = {
        "UNION": Counter(left.keys() | right.keys()),
        "UNION ALL": left + right,
        "INTERSECT": Counter(left.keys() & right.keys()),
        "EXCEPT": Counter(left.keys() - right.keys()),
    }[how]
    by_city: Counter[str] = Counter()
    for (_, city), times in expected.items():
        by_city[city] += times
    exact = pairs.found(plan, tables, q.engine())[ExactMeasurement("rows")]
    assert plan.public is not None
    assert {key: exact.get(key, 0) for key in plan.public} == {key: by_city[key[0]] for key in plan.public}


def test_a_join_pairs_each_persons_rows() -> None:
    source = random.Random(4)
    tables = {name: pairs.draw(source, name, 40) for name in pairs.COLUMNS}
    plan = pairs.asked("SELECT COUNT(*), SUM(age) FROM people JOIN visits USING (person)", pairs.declared(99, 99))
    both = [
        one
        for one, other in itertools.product(tables["people"], tables["visits"])
        if one["person"] is not None and one["person"] == other["person"]
    ]
    exact = pairs.found(plan, tables, q.engine())
    assert exact[ExactMeasurement("rows")] == {(): len(both)}
    years = sum(min(110, max(0, one["age"])) for one in both if one["age"] is not None)
    assert exact[ExactMeasurement("sum", "age")] == {(): years}


@pytest.mark.parametrize(("rows", "bounds"), [(1, (-0.7, 0.1)), (3, (-2.1, 0.3)), (10**6, (-700000.0, 100000.0))])
def test_the_bounds_of_a_persons_total_are_exact(rows: int, bounds: tuple[float, float]) -> None:
    """Three times 0.1 is 0.3, and nothing beyond the declared decimals."""
    datasets = pairs.declared(1, rows)
    cost = {"type": "number", "bounds": [-0.7, 0.1], "decimals": 1}
    datasets["visits"] = datasets["visits"].model_copy(
        update={"columns": {"cost": DeclaredColumn.model_validate(cost)}}
    )
    totals = "(SELECT person, SUM(cost) AS spent FROM visits GROUP BY person) AS v"
    plan = pairs.asked(f"SELECT AVG(spent) FROM people JOIN {totals} USING (person)", datasets)
    assert plan.dataset.columns["spent"].bounds == bounds


@pytest.mark.parametrize(
    ("text", "stability"),
    [
        ("SELECT COUNT(*) FROM people", 1),
        ("SELECT COUNT(*) FROM (SELECT city FROM people UNION SELECT city FROM visits) AS t", 2),
        ("SELECT COUNT(*) FROM (SELECT city FROM people UNION ALL SELECT city FROM visits) AS t", 2),
        ("SELECT COUNT(*) FROM (SELECT city FROM people EXCEPT SELECT city FROM visits) AS t", 2),
        ("SELECT COUNT(*) FROM (SELECT city FROM people INTERSECT SELECT city FROM visits) AS t", 1),
        ("SELECT COUNT(*) FROM (SELECT city FROM people UNION ALL SELECT city FROM people WHERE age > 9) AS t", 1),
        ("SELECT COUNT(*) FROM people JOIN visits USING (person)", 1),
        ("SELECT COUNT(*) FROM people LEFT JOIN visits USING (person)", 2),
    ],
)
def test_stabilities(text: str, stability: int) -> None:
    plan = pairs.asked(text, pairs.declared(2, 3))
    (measurement,) = plan.measurements
    assert plan.stability == stability
    assert plan.sensitivity(measurement) == stability * plan.rows_of_a_person


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) FROM people JOIN visits USING (city)",
        "SELECT COUNT(*) FROM people JOIN visits ON TRUE",
        "SELECT COUNT(*) FROM people p JOIN visits v ON p.person = p.person",
        "SELECT COUNT(*) FROM people p JOIN visits v ON p.person = v.person OR TRUE",
        "SELECT COUNT(*) FROM people RIGHT JOIN visits USING (person)",
        "SELECT COUNT(*) FROM people FULL JOIN visits USING (person)",
        "SELECT COUNT(*) FROM people CROSS JOIN visits",
        "SELECT COUNT(*) FROM people, visits",
        "SELECT COUNT(*) FROM people JOIN people USING (person)",
        "SELECT city, COUNT(*) FROM people JOIN visits USING (person) GROUP BY city",
        "SELECT COUNT(*) FROM people JOIN visits USING (person) JOIN visits AS w USING (person)",
        "SELECT COUNT(*) FROM (SELECT age FROM people UNION SELECT city FROM visits) AS t",
        "SELECT COUNT(*) FROM (SELECT age, city FROM people UNION SELECT city FROM visits) AS t",
        "SELECT COUNT(*) FROM (SELECT city FROM people EXCEPT ALL SELECT city FROM visits) AS t",
        "SELECT COUNT(*) FROM (SELECT person FROM people UNION SELECT person FROM visits) AS t",
        "SELECT COUNT(*) FROM (SELECT age FROM people) AS t WHERE city = 'Crato'",
        "SELECT COUNT(*) FROM (SELECT COUNT(*) FROM people) AS t",
        "SELECT COUNT(*) FROM people JOIN (SELECT city, COUNT(*) AS n FROM visits GROUP BY city) v USING (person)",
        "SELECT COUNT(*) FROM people JOIN (SELECT person, AVG(cost) AS n FROM visits GROUP BY person) v USING (person)",
        "SELECT COUNT(*) FROM people JOIN (SELECT person, SUM(ward) AS n FROM visits GROUP BY person) v USING (person)",
        "SELECT COUNT(*) FROM (SELECT city FROM people UNION SELECT city FROM secrets) AS t",
    ],
)
def test_other_combinations_are_refused(text: str) -> None:
    with pytest.raises(QueryRefused) as refusal:
        pairs.asked(text, pairs.declared(2, 3))
    assert refusal.value.remedy


def test_rows_without_a_unit_are_not_joined_nor_doubled() -> None:
    datasets = pairs.declared(1, 1, unit=False)
    for text in (
        "SELECT COUNT(*) FROM people JOIN visits USING (person)",
        "SELECT COUNT(*) FROM (SELECT city FROM people UNION ALL SELECT city FROM people) AS t",
    ):
        with pytest.raises(QueryRefused):
            pairs.asked(text, datasets)
    plan = pairs.asked(
        "SELECT COUNT(*) FROM (SELECT city FROM people UNION ALL SELECT city FROM visits) AS t", datasets
    )
    assert plan.stability == 1


def test_a_row_with_two_values_is_two_rows_of_a_union() -> None:
    text = "SELECT COUNT(*) FROM (SELECT city FROM people UNION SELECT home AS city FROM people) AS t"
    plan = pairs.asked(text, pairs.declared(1, 1, unit=False))
    (measurement,) = plan.measurements
    row = {"person": "p1", "city": "Crato", "age": 1, "home": "north"}
    with_it, without_it = (pairs.found(plan, {"people": rows}, q.engine())[measurement] for rows in ([row], []))
    assert with_it[()] - without_it[()] == plan.sensitivity(measurement) == 2


def added(plan: QueryPlan, table: str, row: dict[str, Any], url: str = "duckdb://") -> Counter[Key]:
    """What one row adds to the groups of a question about one table."""
    (with_it,), (without_it,) = (pairs.found(plan, {table: rows}, q.engine(url)).values() for rows in ([row], []))
    return Counter(with_it) - Counter(without_it)


PERSON = {"person": "p1", "city": "Crato", "age": 1, "home": "north"}


@pytest.mark.parametrize("names", ["home, city", "home AS city, city AS home"])
def test_columns_of_sets_are_paired_by_their_place(names: str, answering_url: str) -> None:
    """Whatever the second SELECT calls them: paired by name, values would be counted under the declaration of another
    column, and a row would be one or two of the result where the noise is made for two or one."""
    text = (
        f"SELECT city, COUNT(*) FROM (SELECT city, home FROM people UNION SELECT {names} FROM people) AS t GROUP BY 1"
    )
    plan = pairs.asked(text, pairs.declared(1, 1, unit=False))
    assert plan.stability == 2
    assert added(plan, "people", PERSON, answering_url) == {("Crato",): 1, ("north",): 1}


def test_columns_whose_names_alone_are_exchanged_are_the_same(answering_url: str) -> None:
    sides = "SELECT city, home FROM people", "SELECT city AS home, home AS city FROM people"
    for how, expected in (("UNION", 1), ("INTERSECT", 1), ("EXCEPT", 0)):
        text = f"SELECT COUNT(*) FROM ({sides[0]} {how} {sides[1]}) AS t"
        plan = pairs.asked(text, pairs.declared(1, 1, unit=False))
        assert plan.stability == 1
        assert added(plan, "people", PERSON, answering_url).total() == expected


@pytest.mark.parametrize("delta", [1e-6, 0.05, 0.3])
@pytest.mark.parametrize("loss", [("epsilon", 1), ("epsilon", 20), ("rho", 2)], ids=str)
def test_a_row_with_two_values_is_alone_with_a_probability_of_at_most_delta(
    loss: tuple[Measure, int], delta: float
) -> None:
    """It may be one of two groups each, or two of one group."""
    both = "(SELECT ward, city FROM visits UNION SELECT ward, ward AS city FROM visits) AS t"
    plan = pairs.asked(f"SELECT ward, COUNT(*) FROM {both} GROUP BY ward", pairs.declared(1, 1, unit=False))
    assert added(plan, "visits", {"person": None, "city": "Crato", "cost": 1.0, "ward": "a"}) == {("a",): 2}
    noises = choose_noise(plan, PrivacyLoss(loss[0], Fraction(loss[1]), Fraction(delta)))
    assert noises.threshold is not None
    for groups, rows in ((2, 1), (1, 2)):
        tail = noises.additive[ExactMeasurement("people")].two_sided_tail(noises.threshold - rows) / 2
        assert groups * tail <= delta


@pytest.mark.slow
@pytest.mark.parametrize("how", pairs.SETS)
@pytest.mark.parametrize("sides", [SIDES, TWO_COLUMNS], ids=["two tables", "two columns of one"])
def test_a_row_leaves_a_table(how: str, sides: tuple[str, str]) -> None:
    source, datasets = random.Random(how), pairs.declared(1, 1, unit=False)
    if sides is TWO_COLUMNS and how == "UNION ALL":
        return  # which is refused
    text = f"SELECT city, COUNT(*) FROM ({sides[0]} {how} {sides[1]}) AS t GROUP BY city"
    plan = pairs.asked(text, datasets)
    for _ in range(5):
        tables = {name: pairs.draw(source, name) for name in datasets}
        everybody = pairs.found(plan, tables, q.engine())
        for name in tables:
            within(everybody, pairs.found(plan, {**tables, name: tables[name][1:]}, q.engine()), plan)

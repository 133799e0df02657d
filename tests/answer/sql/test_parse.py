"""What is asked becomes typed values or is refused; a refusal says what is allowed, costs nothing and reads nothing."""

from __future__ import annotations

import contextlib
from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.answer.plan import ExactMeasurement, PublicIntervals, plan, sensitivity
from cobogo.answer.public import PublicTable
from cobogo.answer.query import Both, ColumnValue, Compare, Missing, Not, OneOf, OrderBy, QueryAggregate
from cobogo.answer.sql.parse import parse
from cobogo.errors import QueryRefused
from support import questions as q
from support.effort import examples

DATASET = q.declared()
REGIONS = PublicTable("regions", "city", ("region",), (("Crato", "Cariri"), ("Sobral", "Norte"), ("d'água", "Norte")))
HOSTILE = [
    line
    for line in (Path(__file__).parent / "hostile.sql").read_text(encoding="utf-8").splitlines()
    if not line.startswith("--")
]


def test_there_are_many_hostile_questions() -> None:
    assert len(set(HOSTILE)) == len(HOSTILE) >= 90


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_questions_are_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(QueryRefused) as refusal:
        plan(parse(text, {"people": DATASET}, {"regions": REGIONS}), DATASET)
    assert refusal.value.remedy


def test_a_question_is_typed_values() -> None:
    query = parse(
        "SELECT City AS town, COUNT(*) n, AVG(age), QUANTILE(weight, 0.9), COUNT(DISTINCT Person) FROM People "
        "WHERE -3 < age AND city IN ('Crato', 'd''água') AND NOT (day = DATE '2020-01-31' OR job IS NULL) AND sick "
        "AND weight <= 1.50 GROUP BY CITY ORDER BY n DESC, town LIMIT 2",
        {"people": DATASET},
    )
    assert (query.dataset, query.keys, query.limit) == ("people", ("city",), 2)
    assert query.order == (OrderBy(query.aggregates[0], True), OrderBy(ColumnValue("city")))
    assert [(a.kind, a.column, a.share) for a in query.aggregates] == [
        ("count", None, None), ("mean", "age", None), ("quantile", "weight", Fraction(9, 10)), ("people", None, None),
    ]  # fmt: skip
    where = query.where
    conditions = []
    while isinstance(where, Both):
        conditions.append(where.right)
        where = where.left
    assert [where, *reversed(conditions)][:2] == [Compare("age", ">", -3), OneOf("city", ("Crato", "d'água"))]
    assert conditions[0] == Compare("weight", "<=", Decimal("1.50"))
    assert conditions[1] == Compare("sick", "=", True)
    assert isinstance(conditions[2], Not)
    assert Compare("day", "=", date(2020, 1, 31)) in vars(conditions[2].condition).values()
    assert Missing("job") in vars(conditions[2].condition).values()


def test_a_public_table_is_joined_with_one_of_two_tables() -> None:
    both = "people p JOIN visits v USING (person) JOIN regions r ON r.city ="
    datasets, public = {"people": DATASET, "visits": DATASET}, {"regions": REGIONS}
    for table in "pv":
        query = parse(f"SELECT region, COUNT(*) FROM {both} {table}.city GROUP BY region", datasets, public)
        assert query.lookup is not None
        assert query.lookup.column == f"{table}.city"
        made = plan(query, DATASET)
        assert (made.public, made.stability) == ((("Cariri",), ("Norte",)), 1)
    with pytest.raises(QueryRefused, match="both tables"):
        parse("SELECT COUNT(*) FROM people p JOIN visits v USING (person) JOIN regions USING (city)", datasets, public)


def test_a_join_adds_public_columns() -> None:
    text = "SELECT region, COUNT(*) FROM people JOIN Regions USING (city) WHERE region <> 'Sul' GROUP BY region"
    made = plan(parse(text, {"people": DATASET}, {"regions": REGIONS}), DATASET)
    assert made.public == (("Cariri",), ("Norte",))
    assert made.groups_of_a_person == 2


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        (
            "WITH old AS (SELECT * FROM people WHERE age > 60) SELECT city, COUNT(*) FROM old GROUP BY city",
            "SELECT city, COUNT(*) FROM (SELECT * FROM people WHERE age > 60) AS old GROUP BY city",
        ),
        (
            "WITH t AS (SELECT city FROM people EXCEPT SELECT city FROM visits) SELECT COUNT(*) FROM T AS u",
            "SELECT COUNT(*) FROM (SELECT city FROM people EXCEPT SELECT city FROM visits) AS u",
        ),
        ("SELECT COUNT(person) FROM people", "SELECT COUNT(*) FROM people"),
        (
            "SELECT city, COUNT(*) FROM people GROUP BY city FETCH FIRST 5 ROWS ONLY",
            "SELECT city, COUNT(*) FROM people GROUP BY city LIMIT 5",
        ),
        (
            "SELECT region, COUNT(*) FROM people p JOIN regions r ON r.city = p.city GROUP BY region",
            "SELECT region, COUNT(*) FROM people JOIN regions USING (city) GROUP BY region",
        ),
        (
            "SELECT region, COUNT(*) FROM people p, regions r WHERE (p.age > 7 AND r.city = p.city) GROUP BY region",
            "SELECT region, COUNT(*) FROM people p JOIN regions USING (city) WHERE p.age > 7 GROUP BY region",
        ),
        (
            "SELECT COUNT(*) FROM people p CROSS JOIN visits v WHERE v.age > p.age AND v.person = p.person",
            "SELECT COUNT(*) FROM people p JOIN visits v ON v.person = p.person WHERE v.age > p.age",
        ),
        (
            "SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.person AND v.sick)",
            "SELECT COUNT(*) FROM people p WHERE p.person IN (SELECT DISTINCT v.person FROM visits v WHERE v.sick)",
        ),
        (
            "SELECT COUNT(*) FROM people p WHERE age > 7 AND NOT EXISTS (SELECT * FROM people q "
            "WHERE p.person = q.person)",
            "SELECT COUNT(*) FROM people p WHERE age > 7 AND p.person NOT IN (SELECT q.person FROM people q)",
        ),
        (
            "WITH a AS (SELECT city AS c, age FROM people WHERE sick), b AS (SELECT c, age FROM a WHERE age > 7) "
            "SELECT c, SUM(age) AS s FROM b WHERE c <> 'Crato' GROUP BY c",
            "SELECT city AS c, SUM(age) AS s FROM people WHERE (sick AND age > 7) AND city <> 'Crato' GROUP BY city",
        ),
        (
            "WITH people AS (SELECT * FROM people WHERE age > 60) SELECT COUNT(*) FROM people",
            "SELECT COUNT(*) FROM people WHERE age > 60",
        ),
        (
            "WITH t AS (SELECT * FROM people WHERE sick) SELECT COUNT(*) FROM t a JOIN t b USING (person)",
            "SELECT COUNT(*) FROM (SELECT * FROM people WHERE sick) a JOIN (SELECT * FROM people WHERE sick) b "
            "ON a.person = b.person",
        ),
        (
            "SELECT COUNT(*) FROM people WHERE city ILIKE 'S%'",
            "SELECT COUNT(*) FROM people WHERE LOWER(city) LIKE 's%'",
        ),
        (
            "SELECT COUNT(*) FROM people p JOIN visits v ON (v.person = p.person) AND (v.age > p.age OR v.sick) "
            "WHERE p.sick OR v.age > 7",
            "SELECT COUNT(*) FROM people p JOIN visits v USING (person) "
            "WHERE (p.sick OR v.age > 7) AND (v.age > p.age OR v.sick)",
        ),
        (
            "SELECT COUNT(*) FROM people p JOIN visits v ON p.city = v.city AND p.person = v.person",
            "SELECT COUNT(*) FROM people p, visits v WHERE p.city = v.city AND p.person = v.person",
        ),
        (
            "SELECT COUNT(*) FROM people p JOIN regions r ON r.city = p.city AND r.region = 'Norte'",
            "SELECT COUNT(*) FROM people p JOIN regions r USING (city) WHERE r.region = 'Norte'",
        ),
        (
            "SELECT SUM(age % 4 * 5 - age % 3) AS s FROM people WHERE age - 4 % 3 > 2",
            "SELECT SUM(((age % 4) * 5) - (age % 3)) AS s FROM people WHERE age - (4 % 3) > 2",
        ),
        (
            "SELECT COUNT(*) FROM people WHERE sick IS TRUE OR (age > 7) IS NOT FALSE",
            "SELECT COUNT(*) FROM people WHERE sick AND sick IS NOT NULL "
            "OR NOT ((age > 7) = FALSE AND (age > 7) IS NOT NULL)",
        ),
        (
            "SELECT COUNT(*) FROM people WHERE city IS DISTINCT FROM 'Crato' AND age IS NOT DISTINCT FROM NULL",
            "SELECT COUNT(*) FROM people WHERE NOT (city = 'Crato' AND city IS NOT NULL) AND age IS NULL",
        ),
        (
            "SELECT COUNT(*) FROM people WHERE ((day) >= (DATE '2020-01-01')) AND age IN ((7), (30))",
            "SELECT COUNT(*) FROM people WHERE day >= '2020-01-01' AND age IN (7, 30)",
        ),
        (
            "SELECT DATE_TRUNC('MONTH', day)::DATE AS m, COUNT(*) FROM people GROUP BY m",
            "SELECT date_trunc('month', day) AS m, COUNT(*) FROM people GROUP BY 1",
        ),
    ],
)
def test_questions_as_tools_write_them(written: str, plain: str) -> None:
    datasets = {"people": DATASET, "visits": DATASET}
    one, other = (parse(text, datasets, {"regions": REGIONS}) for text in (written, plain))
    assert one == other


@pytest.mark.parametrize(
    "text",
    [
        "WITH t AS (SELECT * FROM people) SELECT COUNT(*) FROM t JOIN t USING (person)",
        "WITH t AS (SELECT * FROM t) SELECT COUNT(*) FROM t",
        "SELECT COUNT(*) FROM people JOIN regions ON people.city = people.city",
        "SELECT COUNT(*) FROM people JOIN regions ON people.job = regions.city",
        "SELECT COUNT(*) FROM people FETCH FIRST 5 PERCENT ROWS ONLY",
        "SELECT COUNT(*) FROM people FETCH FIRST 5 ROWS WITH TIES",
        "SELECT COUNT(DISTINCT v.person) FROM people p LEFT JOIN visits v USING (person)",
        "SELECT COUNT(*) FROM people p, visits v WHERE p.person = v.person OR TRUE",
        "SELECT COUNT(*) FROM people p JOIN visits v ON p.person = v.person AND v.sick OR TRUE",
        "SELECT COUNT(*) FROM people p JOIN visits v ON p.person = p.person AND v.sick",
        "SELECT COUNT(*) FROM people p LEFT JOIN visits v ON p.person = v.person AND v.sick",
        "SELECT COUNT(*) FROM people WHERE age IS DISTINCT FROM weight",
        "SELECT COUNT(*) FROM people WHERE city < job",
        "SELECT COUNT(*) FROM people WHERE city = age",
        "SELECT COUNT(*) FROM people p, visits v WHERE NOT p.person = v.person",
        "SELECT COUNT(*) FROM people p, visits v WHERE p.person = p.person",
        "SELECT COUNT(*) FROM people p, visits v WHERE p.age = v.age",
        "SELECT COUNT(*) FROM people p, visits v, visits w WHERE p.person = v.person AND w.person = v.person",
        "SELECT COUNT(*) FROM people p, LATERAL (SELECT * FROM visits v WHERE v.person = p.person) AS w",
        "SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.sick)",
        "SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT COUNT(*) FROM visits v WHERE v.person = p.person)",
        "SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.person LIMIT 0)",
        "SELECT COUNT(*) FROM people p WHERE EXISTS (SELECT 1 FROM visits v WHERE v.person = p.person AND p.sick)",
        "SELECT EXISTS (SELECT 1 FROM people v WHERE v.person = p.person), COUNT(*) FROM people p GROUP BY 1",
        "SELECT COUNT(*) FROM people p WHERE p.person IN (SELECT v.person FROM visits v GROUP BY v.person)",
        "SELECT region, COUNT(*) FROM (SELECT home AS city FROM people) t JOIN regions USING (city) GROUP BY region",
        "SELECT COUNT(*) FROM (SELECT age + 1 AS age FROM people) t JOIN visits v USING (person)",
        "WITH a AS (SELECT * FROM b), b AS (SELECT * FROM people) SELECT COUNT(*) FROM a",
        "SELECT COUNT(*) FROM (SELECT age AS city, city FROM people) AS t",
        "SELECT COUNT(DISTINCT person) FROM (SELECT age AS person FROM people) AS t",
        "WITH "
        + ", ".join(
            f"t{n} AS (SELECT * FROM {'people' if n == 0 else f't{n - 1} AS a JOIN t{n - 1} AS b USING (person)'})"
            for n in range(40)
        )
        + " SELECT COUNT(*) FROM t39",
    ],
)
def test_what_tools_write_is_not_taken_for_something_else(text: str) -> None:
    with pytest.raises(QueryRefused):
        parse(text, {"people": DATASET, "visits": DATASET}, {"regions": REGIONS})


@settings(max_examples=examples(60), deadline=None)
@given(text=q.questions())
def test_every_question_of_the_allowed_kind_is_planned(text: str) -> None:
    made = q.asked(text, DATASET)
    assert all(1 <= made.sensitivity(measurement) <= 2**53 for measurement in made.measurements)
    hidden = not {"job", "day", "upper(job)", "trunc_quarter(day)"}.isdisjoint(made.query.keys)
    assert (made.public is None) == (hidden or "THEN job" in text.partition("GROUP BY")[2])


WORDS = [
    "SELECT", "COUNT", "SUM", "AVG", "(", ")", "*", ",", "FROM", "people", "WHERE", "age", "city", ">", "=", "'a'", "7",
    "AND", "OR", "NOT", "IN", "GROUP", "BY", "ORDER", "LIMIT", "AS", "x", "NULL",
]  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(text=st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join) | st.text(max_size=40))
def test_nothing_but_a_refusal_comes_of_nonsense(text: str) -> None:
    with contextlib.suppress(QueryRefused):
        q.asked(text, DATASET)


@pytest.mark.parametrize(
    ("aggregate", "expected"),
    [
        (QueryAggregate("sum", "age", "x"), 3 * 110),
        (QueryAggregate("mean", "age", "x"), 3 * 55),
        (QueryAggregate("sum", "weight", "x"), 3 * 3005),
        (QueryAggregate("mean", "weight", "x"), 3 * 1528),
        (QueryAggregate("count", None, "x"), 3),
        (QueryAggregate("people", None, "x"), 1),
        (QueryAggregate("count_distinct", "job", "x"), 3),
        (QueryAggregate("quantile", "age", "x", Fraction(9, 10)), 3 * 9),
    ],
)
def test_sensitivities(aggregate: QueryAggregate, expected: int) -> None:
    from cobogo.answer.plan import required_measurements

    assert sensitivity(required_measurements(aggregate, DATASET)[0], DATASET) == expected


def test_aggregates_share_what_they_measure() -> None:
    made = q.asked("SELECT AVG(age), VARIANCE(age), STDDEV(age), COUNT(age) FROM people", DATASET)
    assert made.measurements == (
        ExactMeasurement("sum", "age", 55), ExactMeasurement("present", "age"), ExactMeasurement("squares", "age", 55),
    )  # fmt: skip


def test_one_question_does_not_ask_for_a_day_of_computing() -> None:
    keys = {"type": "integer", "keys": list(range(300))}
    columns = {"a": keys, "b": keys, "age": {"type": "integer", "bounds": [0, 110]}}
    dataset = q.DeclaredDataset.model_validate({"columns": columns, "budget": {"epsilon": 1}})
    q.asked("SELECT a, MEDIAN(age), COUNT(*) FROM people GROUP BY a", dataset)
    with pytest.raises(QueryRefused, match="90,000 quantiles"):
        q.asked("SELECT a, b, MEDIAN(age) FROM people GROUP BY a, b", dataset)


@given(low=st.integers(-(10**6), 10**6), width=st.integers(0, 10**6))
def test_the_candidates_of_a_quantile_cover_the_bounds(low: int, width: int) -> None:
    column = q.declared().columns["age"].model_copy(update={"bounds": (low, low + width)})
    bins = PublicIntervals.from_column(column)
    assert 1 <= bins.number <= 1024
    assert bins.low + bins.number * bins.width > low + width >= bins.low + (bins.number - 1) * bins.width

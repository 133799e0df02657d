"""What reaches the noise differs, between neighbours, by no more than the noise was made for.

Each of these is a kind of bug that was found in systems of this sort: clipping computed and raw data used, bounds made
stale by a later step, overflow, NULL and NaN, queries that fail on some data only.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.answer.derive import CAPITALS, LETTERS, change_letters
from cobogo.answer.measure import add_noise, build_answer
from cobogo.answer.noise import choose_noise
from cobogo.answer.plan import ExactMeasurement
from cobogo.answer.plan import plan as planned
from cobogo.answer.query import Compare, Lookup, QueryPart
from cobogo.answer.sql.parse import parse
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.declared_columns import DeclaredColumn
from cobogo.promises.ledger.balance import Balance, Units
from support import questions as q
from support.bounds import distances, within
from support.effort import examples

pytestmark = pytest.mark.slow

PEOPLE = ["p1", "p2", "p3", "p4"]


@settings(max_examples=examples(30), deadline=None)
@given(rows=q.tables, text=q.questions(), who=st.sampled_from(PEOPLE), groups=st.integers(1, 3), most=st.integers(1, 3))
def test_a_person_more_or_less(rows: list[dict[str, Any]], text: str, who: str, groups: int, most: int) -> None:
    plan = q.asked(text, q.declared(groups=groups, rows=most))
    without = [row for row in rows if row["person"] != who]
    within(q.found(plan, rows), q.found(plan, without), plan)


@pytest.mark.evidence
@settings(max_examples=2000, deadline=None)
@given(rows=q.tables, text=q.questions(), who=st.sampled_from(PEOPLE), groups=st.integers(1, 3), most=st.integers(1, 3))
def test_thousands_of_people_more_or_less(
    rows: list[dict[str, Any]], text: str, who: str, groups: int, most: int
) -> None:
    plan = q.asked(text, q.declared(groups=groups, rows=most))
    without = [row for row in rows if row["person"] != who]
    within(q.found(plan, rows), q.found(plan, without), plan)


@pytest.mark.parametrize("keys", ["", "job, home"])
@pytest.mark.parametrize("aggregate", q.AGGREGATES)
def test_a_person_who_is_everywhere(aggregate: str, keys: str) -> None:
    """Hundreds of rows, all different, in every group: leaving that person out changes no more than anybody."""
    crowd = [
        {
            "person": f"p{0 if n < 300 else n % 20}", "city": ["Crato", "Sobral"][n % 2], "job": f"j{n % 7}",
            "age": 13 * n % 150, "weight": 3.7 * n, "sick": n % 3 == 0, "day": q.date(2020, 1, 1 + n % 31),
            "home": ["north", "south"][n % 2], "room": 1 + n % 3,
        }
        for n in range(400)
    ]  # fmt: skip
    grouped = f" GROUP BY {keys}" if keys else ""
    plan = q.asked(f"SELECT {keys + ', ' if keys else ''}{aggregate} AS x FROM people{grouped}", q.declared())
    one, other = q.found(plan, crowd), q.found(plan, [row for row in crowd if row["person"] != "p0"])
    within(one, other, plan)
    assert any(distances(one, other, plan).values()) or "DISTINCT" in aggregate


@settings(max_examples=examples(15), deadline=None)
@given(rows=q.tables.filter(bool), text=q.questions(unit=False))
def test_a_row_more_or_less(rows: list[dict[str, Any]], text: str) -> None:
    plan = q.asked(text, q.declared(unit=False))
    within(q.found(plan, rows), q.found(plan, rows[1:]), plan)


@settings(max_examples=examples(15), deadline=None)
@given(rows=q.tables, text=q.questions(), seed=st.integers(0, 9))
def test_the_order_of_rows_changes_nothing(rows: list[dict[str, Any]], text: str, seed: int) -> None:
    plan = q.asked(text, q.declared())
    assert q.found(plan, random.Random(seed).sample(rows, len(rows))) == q.found(plan, rows)


@settings(max_examples=examples(15), deadline=None)
@given(rows=q.tables, text=q.questions())
def test_people_without_a_name_do_not_count(rows: list[dict[str, Any]], text: str) -> None:
    plan = q.asked(text, q.declared())
    assert q.found(plan, [row for row in rows if row["person"] is not None]) == q.found(plan, rows)


def reference(rows: list[dict[str, Any]], most: int) -> dict[tuple[str], Counter[str]]:
    """People, rows and sums by city, counted in Python: a person's rows beyond the most are of their average."""
    own: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row["person"] is not None and row["city"] in q.COLUMNS["city"]["keys"]:
            own[row["person"], row["city"]].append(row)
    found: dict[tuple[str], Counter[str]] = defaultdict(Counter)
    for (_, city), theirs in own.items():
        ages = [min(110, max(0, row["age"])) for row in theirs if row["age"] is not None]
        total = sum(ages) if len(ages) <= most else sum(ages) * most // len(ages)
        found[city,].update(people=1, rows=min(most, len(theirs)), present=min(most, len(ages)), sum=total)
    return found


@settings(max_examples=examples(15), deadline=None)
@given(rows=st.lists(q.values, max_size=30), most=st.integers(2, 4))
def test_figures_are_those_of_a_plain_count(rows: list[dict[str, Any]], most: int) -> None:
    text = "SELECT city, COUNT(DISTINCT person), COUNT(*), COUNT(age) AS present, SUM(age) FROM people GROUP BY city"
    plan = q.asked(text, q.declared(groups=3, rows=most))
    expected = reference(rows, most)
    for measurement, figures in q.found(plan, rows).items():
        assert figures == {group: counts[measurement.kind] for group, counts in expected.items()}


@pytest.mark.parametrize("groups", [1, 2, 3])
def test_of_a_person_s_groups_as_many_are_kept_as_count(groups: int) -> None:
    rows = [{"person": f"p{n}", "job": job} for n in range(40) for job in "abcde"[: 1 + n % 5]]
    plan = q.asked("SELECT job, COUNT(DISTINCT person), COUNT(*) FROM people GROUP BY job", q.declared(groups=groups))
    chosen = q.found(plan, rows, salt=1)
    assert sum(chosen[ExactMeasurement("people")].values()) == sum(min(groups, 1 + n % 5) for n in range(40))
    assert q.found(plan, rows, salt=2) != chosen  # another question leaves out others


def test_a_person_has_one_value_of_a_constant_column() -> None:
    rows = [{"person": "p1", "home": home} for home in ("north", "south", "north")]
    plan = q.asked("SELECT home, COUNT(DISTINCT person) FROM people GROUP BY home", q.declared(groups=3))
    assert plan.groups_of_a_person == 1
    assert sum(q.found(plan, rows)[ExactMeasurement("people")].values()) == 1


@pytest.mark.parametrize("groups", [1, 2])
def test_a_person_counts_in_few_parts_of_a_partition(groups: int) -> None:
    """Everybody is in all three cities; whoever leaves changes at most so many parts, whatever each is asked."""
    rows = [
        {"person": f"p{n}", "city": city, "job": "ab"[n % 2], "age": n}
        for n in range(30)
        for city in q.COLUMNS["city"]["keys"]
    ]
    dataset = q.declared(groups=groups)
    texts = [
        "SELECT COUNT(*) FROM people",
        "SELECT SUM(age) FROM people WHERE age > 3",
        "SELECT COUNT(age) FROM people",
    ]
    keys = ("Crato", "Sobral", "d'água")
    plans = [
        replace(made, query=replace(made.query, part=QueryPart("city", keys, key, Compare("age", "<", 25))))
        for key, made in ((key, q.asked(text, dataset)) for key, text in zip(keys, texts, strict=True))
    ]
    assert {plan.parts_of_a_person for plan in plans} == {groups}
    everybody = [q.found(plan, rows) for plan in plans]
    assert sum(exact[ExactMeasurement("rows")][()] for exact in everybody[:1]) < 25
    for who in range(0, 30, 3):
        others = [q.found(plan, [row for row in rows if row["person"] != f"p{who}"]) for plan in plans]
        changed = [one != other for one, other in zip(everybody, others, strict=True)]
        assert sum(changed) <= groups


def test_numbers_are_grouped_by_intervals() -> None:
    dataset = q.DeclaredDataset.model_validate(
        {
            "columns": {
                "age": {"type": "integer", "edges": [0, 18, 65, 110]},
                "weight": {"type": "number", "edges": [0, 0.5, 1]},
            },
            "budget": {"epsilon": 1},
        }
    )
    rows = [{"age": age, "weight": 0.5} for age in (-5, 0, 17, 18, 64, 65, 110, 999, None)]
    plan = q.asked("SELECT age, COUNT(*) FROM people GROUP BY age", dataset)
    assert plan.public == (("[0, 18)",), ("[18, 65)",), ("[65, 110]",))
    assert q.found(plan, rows) == {ExactMeasurement("people"): {("[0, 18)",): 3, ("[18, 65)",): 2, ("[65, 110]",): 3}}
    both = q.asked("SELECT weight, age, COUNT(*) FROM people GROUP BY weight, age", dataset)
    assert q.found(both, rows)[ExactMeasurement("people")]["[0.5, 1]", "[18, 65)"] == 2


def test_intervals_are_told_apart_to_the_last_digit() -> None:
    """Weeks as YYYYMMDD, and whole numbers that no float tells apart: each row is in one interval, and in its own."""
    weeks, far = [20240101, 20240108, 20240115, 20240122], [2**60, 2**60 + 1, 2**60 + 2, 2**60 + 3]
    for edges in (weeks, far):
        columns = {"age": {"type": "integer", "edges": edges}}
        dataset = q.DeclaredDataset.model_validate({"columns": columns, "budget": {"epsilon": 1}})
        plan = q.asked("SELECT age, COUNT(*) FROM people GROUP BY age", dataset)
        (found,) = q.found(plan, [{"age": edges[n]} for n in (0, 0, 0, 1, 2, 2, 3)]).values()
        assert plan.public is not None
        assert [found[group] for group in plan.public] == [3, 1, 3]


@settings(max_examples=examples(15), deadline=None)
@given(rows=q.tables, text=q.questions())
def test_every_table_is_answered_alike(rows: list[dict[str, Any]], text: str) -> None:
    """Whether a question is answered, and with which columns, depends on no row."""
    plan = q.asked(text, q.declared())
    loss = PrivacyLoss("epsilon", Fraction(1), Fraction(0) if plan.public is not None else Fraction(1, 100))
    chosen = choose_noise(plan, loss)
    balance = Balance("people", "ana", "epsilon", Units(1, 1), Units(0, 0))
    for table in (rows, rows[1:], []):
        found = build_answer(add_noise(q.found(plan, table), chosen), chosen, loss, balance)
        assert found.columns == tuple(name for name, _ in plan.query.shown)
        assert plan.public is None or len(found.rows) == len(plan.public)


def test_sums_of_extreme_values_do_not_overflow() -> None:
    rows = [{"person": f"p{n}", "age": 2**63 - 1, "weight": 1e308} for n in range(50) for _ in range(40)]
    plan = q.asked("SELECT SUM(age), SUM(weight), VARIANCE(weight) FROM people", q.declared(rows=1000))
    figures = {(m.kind, m.column, m.centre): f[()] for m, f in q.found(plan, rows).items()}
    assert figures["sum", "age", 0] == 50 * 40 * 110
    assert figures["sum", "weight", 0] == 50 * 40 * 3005


@pytest.mark.parametrize("kept", [0, 14])
def test_an_empty_table_has_the_same_schema_and_the_same_groups(kept: int) -> None:
    rows = [{"person": f"p{n}", "city": "Crato", "age": n} for n in range(kept)]
    plan = q.asked("SELECT city, AVG(age), MEDIAN(age) FROM people GROUP BY city", q.declared())
    assert plan.public == (("Crato",), ("Sobral",), ("d'água",))
    for figures in q.found(plan, rows).values():
        assert set(figures) <= set(plan.public)


@pytest.mark.parametrize(
    ("expression", "keys"),
    [
        ("FLOOR(age / 10) * 10", list(range(0, 120, 10))),
        ("CAST(FLOOR(age / 10) AS INTEGER) * 10", list(range(0, 120, 10))),
        ("age % 4 * 5", [0, 5, 10, 15]),
        ("(age - 55) % 7", list(range(-6, 7))),
        ("100 // (age - 107)", [-100, -50, -33, -25, -20, -16, -14, -12, -11, -10, -9, -8, -7, -6, -5, -4, -3, -2, -1,
                                0, 33, 50, 100]),
        ("CASE WHEN sick THEN ABS(age - 55) // 20 ELSE age // 50 * 50 END", [0, 1, 2, *range(3, 101)]),
        ("YEAR(day) // 1000 * 1000", None),
    ],
)  # fmt: skip
def test_the_groups_of_a_computed_number_are_its_possible_values(expression: str, keys: list[int] | None) -> None:
    """No group that nobody can be in, and no row that is in none."""
    dataset = q.declared(unit=False)
    plan = q.asked(f"SELECT {expression} AS k, COUNT(*) FROM people GROUP BY 1", dataset)
    rows = [{"age": age, "sick": sick, "day": q.date(2020, 1, 1)} for age in range(-3, 115) for sick in (True, False)]
    everybody = q.found(q.asked(f"SELECT COUNT(*) FROM people WHERE {expression} IS NOT NULL", dataset), rows)
    (figures,) = q.found(plan, rows).values()
    assert plan.public == (None if keys is None else tuple((key,) for key in keys))
    assert sum(figures.values()) == sum(everybody[ExactMeasurement("people")].values())


ON_EVERY_ENGINE = [
    "SELECT city, COUNT(*), COUNT(age) AS present, SUM(age), AVG(weight), VARIANCE(weight) FROM people GROUP BY city",
    "SELECT room, sick, COUNT(DISTINCT job), COUNT(DISTINCT person) FROM people "
    "WHERE NOT (city IN ('d''água', 'x') AND age IN (7, 30)) OR job IS NULL OR weight > 0.05 GROUP BY room, sick",
    "SELECT MEDIAN(age), QUANTILE(weight, 0.9) FROM people WHERE day >= DATE '2020-02-29' AND city <> 'é\\'",
    "SELECT job, day, COUNT(*) FROM people GROUP BY job, day",
    "SELECT age // 20 AS age, month(day), COUNT(*), SUM(age / (age - 7)) AS s, AVG(round(weight / 3, 1) - age) AS a, "
    "SUM(CASE WHEN sick THEN weight * 2 WHEN job LIKE '%B' THEN -1.25 END) AS c, "
    "AVG(abs(age % 7 - floor(weight))) AS d "
    "FROM people WHERE age * 2 - 7 <= weight OR NOT city LIKE 'é\\' OR weight % 3 = 0.2 OR ceil(weight) IN (1, 71) "
    "GROUP BY age // 20, month(day)",
    "SELECT DATE_TRUNC('month', day) AS m, LOWER(city) AS c, COUNT(DISTINCT DATE_TRUNC('week', day)) AS w, "
    "COUNT(DISTINCT UPPER(job)) AS j FROM people WHERE city ILIKE 'É%' OR job NOT ILIKE 'b' "
    "OR DATE_TRUNC('quarter', day) < '2020-01-01' GROUP BY 1, 2",
    "SELECT city <> job AS k, COUNT(*), SUM(age % 4 * 5) AS s FROM people WHERE (age > 20) = sick OR job = LOWER(job) "
    "OR day > DATE_TRUNC('year', day) OR sick IS NOT TRUE GROUP BY 1",
    "SELECT CASE WHEN age < 18 THEN 'y' WHEN sick THEN city END AS k, MEDIAN(age * weight) AS m, "
    "COUNT(DISTINCT age % 9), "
    "SUM(nullif(greatest(least(age, 50), coalesce(weight, 3.25)), 50) - year(day)) AS g FROM people GROUP BY 1",
]


@pytest.mark.parametrize("unit", [True, False], ids=["people", "rows"])
def test_every_engine_finds_the_same(answering_url: str, unit: bool) -> None:
    """Where all of a person's groups count; which of them are kept otherwise is each engine's own choice."""
    source = random.Random(5)
    drawn = [
        {
            "person": source.choice(["p1", "p2", "p3", "p4", "p5", None]),
            "city": source.choice(["Crato", "Sobral", "d'água", "crato", "", None, "é\\"]),
            "job": source.choice(["a", "b", "B", None]),
            "age": source.choice([-(2**63), 0, 7, 30, 111, 2**63 - 1, None]),
            "room": source.choice([1, 2, 3, 4, None]),
            "weight": source.choice([float("nan"), float("inf"), -float("inf"), 0.05, 70.25, 1e308, None]),
            "sick": source.choice([True, False, None]),
            "day": source.choice([q.date(2020, 2, 29), q.date(2019, 1, 1), None]),
            "home": source.choice(["north", "south", None]),
        }
        for _ in range(120)
    ]
    dataset = q.declared(unit=unit, groups=100, rows=10)
    rows = [one.replace(", COUNT(DISTINCT person)", "") for one in ON_EVERY_ENGINE[:2]]
    for text in ON_EVERY_ENGINE if unit else rows:
        plan = q.asked(text, dataset)
        assert q.found(plan, drawn, url=answering_url) == q.found(plan, drawn), text


def test_spans_of_declared_years_are_public_on_every_engine(answering_url: str) -> None:
    """Every first day is there whether or not a row has it; days of other years count in the nearest span."""
    days = [q.date(1, 1, 1), q.date(2018, 12, 31), q.date(2019, 5, 31), q.date(2020, 2, 29), q.date(9999, 12, 31), None]
    rows = [{"person": f"p{at}", "day": day} for at, day in enumerate(days)]
    dataset = q.declared(groups=9)
    columns = {**dataset.columns, "day": DeclaredColumn(type="date", years=(2019, 2020))}
    dataset = dataset.model_copy(update={"columns": columns})
    ends = {
        "year": ("2019-01-01", "2020-01-01", 2),
        "quarter": ("2019-01-01", "2020-10-01", 8),
        "month": ("2019-01-01", "2020-12-01", 24),
        "week": ("2018-12-31", "2020-12-28", 105),
        "day": ("2019-01-01", "2020-12-31", 731),
    }
    for span, (first, last, number) in ends.items():
        plan = q.asked(f"SELECT DATE_TRUNC('{span}', day) AS d, COUNT(*) FROM people GROUP BY 1", dataset)
        assert plan.public is not None
        named = [str(day) for (day,) in plan.public]
        assert (named[0], named[-1], len(named), named) == (first, last, number, sorted(named))
        (found,) = [figures for kind, figures in q.found(plan, rows, url=answering_url).items() if kind.kind == "rows"]
        assert set(found) <= set(plan.public)
        assert sum(found.values()) == 5
        assert found[plan.public[0]] >= 2
        within(q.found(plan, rows, url=answering_url), q.found(plan, rows[1:], url=answering_url), plan)


def test_small_letters_and_capitals_are_the_same_on_every_engine(answering_url: str) -> None:
    texts = [CAPITALS, "e\u0301É\\İı", "ǅ straße", "😀A"]
    rows = [{"person": f"p{at}", "job": text} for at, text in enumerate(texts)]
    for function in LETTERS:
        plan = q.asked(f"SELECT {function}(job) AS j, COUNT(*) FROM people GROUP BY 1", q.declared())
        (_, found) = q.found(plan, rows, url=answering_url).values()
        assert found == {(change_letters(function, text),): 1 for text in texts}


PATTERNS = [
    "%", "a%", "%a", "%a%b", "_", "__", "a_%b", "%.", "a^%", "^_%", "%\\%", "(a|b)", "[ab]%", "a$", "^^a", "", "é_%",
    "%a%a%a%b",
]  # fmt: skip
TEXTS = [
    "a", "ab", "a\n", "axb", "aaab", "a%", "_b", "\\", "x.", "(a|b)", "[ab]c", "a$", "^a", "éé", "e\u0301b", "😀",
    "😀b", None,
]  # fmt: skip


def fits(text: str, pattern: str) -> bool:
    """LIKE … ESCAPE '^' by its definition."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(fits(text[at:], pattern[1:]) for at in range(len(text) + 1))
    wanted, rest = (pattern[1], pattern[2:]) if pattern[0] == "^" else (pattern[0], pattern[1:])
    return bool(text) and (pattern[0] == "_" or text[0] == wanted) and fits(text[1:], rest)


def test_patterns_are_compared_alike_on_every_engine(answering_url: str) -> None:
    rows = [{"person": f"p{at}", "job": text} for at, text in enumerate(TEXTS)]
    shown = ", ".join(
        f"COUNT(*) FILTER (WHERE job LIKE '{one}' ESCAPE '^') AS x{at}" for at, one in enumerate(PATTERNS)
    )
    found = q.found(q.asked(f"SELECT {shown} FROM people", q.declared(rows=1)), rows, url=answering_url)
    expected = [sum(fits(text, one) for text in TEXTS if text is not None) for one in PATTERNS]
    assert [figures[()] for figures in found.values()] == expected


def test_a_long_text_is_compared_in_no_time(answering_url: str) -> None:
    """Tried at every place for each %, these would take years, and only where somebody has such a text."""
    rows = [{"person": "p1", "job": text} for text in ("a" * 10_000, "ab" * 5_000, "a" * 9_999 + "b")]
    for pattern, number in (("%a%a%a%c", 0), ("%a_a%a%a%b", 2), ("%" + "_a" * 90 + "%", 3), ("%b%", 2)):
        plan = q.asked(f"SELECT COUNT(*) FROM people WHERE job LIKE '{pattern}'", q.declared())
        (found,) = q.found(plan, rows, url=answering_url).values()
        assert found[()] == number


def test_a_join_with_a_public_table_on_every_engine(answering_url: str) -> None:
    rows = [{"person": f"p{n % 9}", "city": ["Crato", "Sobral", "d'água", None][n % 4], "age": n} for n in range(80)]
    plan = q.asked("SELECT COUNT(*), SUM(age) FROM people", q.declared(groups=9, rows=50))
    lookup = Lookup("city", ("region",), (("Crato", "Cariri"), ("d'água", "Norte\\"), ("Rio", "Sul")))
    query = replace(parse("SELECT job, COUNT(*), SUM(age) FROM people GROUP BY job", {"people": plan.dataset}), keys=())
    made = planned(replace(query, keys=("region",), lookup=lookup), plan.dataset)
    assert made.public == (("Cariri",), ("Norte\\",), ("Sul",))
    found = q.found(made, rows, url=answering_url)
    assert found[ExactMeasurement("rows")] == {("Cariri",): 20, ("Norte\\",): 20}
    assert found[ExactMeasurement("sum", "age")]["Cariri",] == sum(range(0, 80, 4))
    whole = q.found(planned(replace(query, lookup=lookup), plan.dataset), rows, url=answering_url)
    assert whole[ExactMeasurement("rows")] == {(): 40}  # rows without a partner are left out, and none is there twice


def test_neighbours_on_every_engine(answering_url: str) -> None:
    rows = [
        {
            "person": f"p{n % 5}",
            "city": ["Crato", "Sobral", "x"][n % 3],
            "job": "abcd"[n % 4],
            "age": 37 * n,
            "weight": n,
        }
        for n in range(60)
    ]
    for text in (
        "SELECT job, COUNT(*), SUM(age), COUNT(DISTINCT city), MEDIAN(weight) FROM people GROUP BY job",
        "SELECT city, job, SUM(weight) FROM people GROUP BY city, job",
        "SELECT age // 20 AS k, SUM(weight / (age - 37)) AS x, MEDIAN(age - weight) AS y FROM people "
        "WHERE CASE WHEN job LIKE 'a%' THEN age ELSE weight * 2 END <> 4 GROUP BY 1",
    ):
        plan = q.asked(text, q.declared(groups=2, rows=2))
        one = q.found(plan, rows, url=answering_url)
        within(one, q.found(plan, [row for row in rows if row["person"] != "p2"], url=answering_url), plan)
        assert max(len(changes) for changes in distances(one, {key: {} for key in one}, plan).values()) > 0

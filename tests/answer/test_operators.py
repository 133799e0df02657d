"""PINQ's operators through the whole curator, in SQL and in chains: what they answer, and what they charge."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from cobogo.answer import Curator
from cobogo.answer.session import AnalystSession
from cobogo.errors import BudgetSpent, QueryRefused
from cobogo.promises.ledger.balance import Units

pytestmark = pytest.mark.slow

SIZE = 600
PATIENTS = pd.DataFrame(
    {
        "person": range(SIZE),
        "income": [float(n % 100) + 0.25 for n in range(SIZE)],
        "age": [n % 90 for n in range(SIZE)],
        "birth": [date(1930 + n % 80, 1 + n % 12, 1 + n % 28) for n in range(SIZE)],
        "city": [["Crato", "Sobral"][n % 2] for n in range(SIZE)],
    }
)
VISITS = pd.DataFrame(
    {
        "person": [n // 2 for n in range(SIZE)],
        "cost": [float(n % 40) for n in range(SIZE)],
        "city": [["Crato", "Sobral"][n % 3 % 2] for n in range(SIZE)],
    }
)
CITY = {"type": "text", "keys": ["Crato", "Sobral"]}
COLUMNS: dict[str, dict[str, Any]] = {
    "patients": {
        "income": {"type": "number", "bounds": [0, 100], "decimals": 2},
        "age": {"type": "integer", "bounds": [0, 110]},
        "birth": {"type": "date", "years": [1900, 2026]},
        "city": CITY,
    },
    "visits": {"cost": {"type": "number", "bounds": [0, 50], "decimals": 1}, "city": CITY},
}


@pytest.fixture
def curator(tmp_path: Path) -> Curator:
    made = Curator(ledger=tmp_path / "ledger.db")
    for name, frame in (("patients", PATIENTS), ("visits", VISITS)):
        made.register(
            name, frame, unit="person", max_groups=2, max_rows=2, columns=COLUMNS[name], budget={"epsilon": 10**6}
        )
        made.grant(name, "ana", epsilon=10**6)
    return made


@pytest.fixture
def ana(curator: Curator) -> AnalystSession:
    return curator.session("ana")


def years(text: str) -> Any:
    return PATIENTS.assign(birth=pd.to_datetime(PATIENTS.birth)).eval(text)


@pytest.mark.parametrize(
    ("expression", "expected", "close"),
    [
        ("SUM(income * 2)", float((PATIENTS.income * 2).sum()), 2),
        ("AVG(year(birth))", float(years("birth.dt.year").mean()), 3),
        ("AVG(2026 - EXTRACT(YEAR FROM birth))", float(2026 - years("birth.dt.year").mean()), 3),
        ("AVG(age / 10)", float(PATIENTS.age.mean() / 10), 0.1),
        ("SUM(CASE WHEN city = 'Crato' THEN 1 ELSE 0 END)", SIZE / 2, 2),
        ("SUM(CASE city WHEN 'Crato' THEN income ELSE -1 END)",
         float(PATIENTS.income.where(PATIENTS.city == "Crato", -1).sum()), 2),
        ("COUNT(CASE WHEN city LIKE 'S%' THEN 1 END)", SIZE / 2, 2),
        ("SUM(1 / (age - 30))", float((1 / (PATIENTS.age - 30).where(lambda x: x != 0)).sum()), 0.1),
        ("SUM(age) / COUNT(*)", float(PATIENTS.age.mean()), 0.5),
        ("ROUND(100.0 * COUNT(*) FILTER (WHERE age >= 45) / COUNT(1), 1)", float((PATIENTS.age >= 45).mean() * 100), 1),
        ("PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY age)", 80, 3),
        ("STDDEV_SAMP(age)", float(PATIENTS.age.std()), 0.5),
    ],
)  # fmt: skip
def test_what_is_computed_is_near_the_truth(
    ana: AnalystSession, expression: str, expected: float, close: float
) -> None:
    answer = ana.sql(f"SELECT {expression} AS x FROM patients", epsilon=10_000)
    assert answer.value == pytest.approx(expected, abs=close)


def test_the_sql_of_people_and_tools(ana: AnalystSession) -> None:
    answer = ana.sql(
        "SELECT p.age // 10 * 10 AS decade, COUNT(1) AS n, p.city FROM patients AS p "
        "WHERE 1 = 1 AND p.city LIKE 'C%' AND p.income BETWEEN 0 AND 200 GROUP BY 1, 3 "
        "HAVING COUNT(*) > 20 ORDER BY 2 DESC, decade DESC LIMIT 3 OFFSET 1",
        epsilon=10_000,
    )
    assert answer.columns == ("decade", "n", "city")
    assert len(answer.rows) == 3
    assert all(row[1] > 20 and row[2] == "Crato" for row in answer.rows)
    counts = [row[1] for row in answer.rows]
    assert counts == sorted(counts, reverse=True)


def test_a_computed_figure_has_an_interval(ana: AnalystSession) -> None:
    inside, asked = 0, 60
    for _ in range(asked):
        answer = ana.sql("SELECT SUM(age) / COUNT(*) AS x FROM patients", epsilon=10)
        low, high = answer.intervals["x"][0] or (0, 0)
        inside += low <= float(PATIENTS.age.mean()) <= high
    assert inside >= 40  # of 60 at 95 % each: fewer with a probability below one in a million


def test_chains_ask_the_same(ana: AnalystSession) -> None:
    chain = ana.table("patients").select(decade="age // 10").where("decade > 2").group_by("decade").count()
    by_sql = ana.sql("SELECT age // 10 AS d, COUNT(*) FROM patients WHERE age // 10 > 2 GROUP BY 1", epsilon=10_000)
    by_chain = chain.release(epsilon=10_000)
    assert [row[0] for row in by_chain.rows] == [row[0] for row in by_sql.rows]
    for one, other in zip(by_chain.rows, by_sql.rows, strict=True):
        assert one[1] == pytest.approx(other[1], abs=3)
    assert ana.table("patients").mean("income * 2").release(epsilon=10_000).value == pytest.approx(
        float(PATIENTS.income.mean() * 2), abs=1
    )


def test_parts_of_a_derived_column(ana: AnalystSession) -> None:
    parts = ana.table("patients").select(band="CASE WHEN age < 45 THEN 'young' ELSE 'old' END").partition("band")
    found = parts.release({"young": lambda part: part.count(), "old": lambda part: part.mean("age")}, epsilon=10_000)
    assert found["young"].value == pytest.approx((PATIENTS.age < 45).sum(), abs=3)
    assert found["old"].value == pytest.approx(float(PATIENTS.age[PATIENTS.age >= 45].mean()), abs=1)


def test_two_tables_in_chains(ana: AnalystSession) -> None:
    patients, visits = ana.table("patients"), ana.table("visits")
    joined = PATIENTS.merge(VISITS, on="person")
    both = pd.concat([PATIENTS[["person", "city"]], VISITS[["person", "city"]]])
    pairs = set(map(tuple, PATIENTS[["person", "city"]].values)), set(map(tuple, VISITS[["person", "city"]].values))
    for chain, expected in (
        (patients.join(visits.where("cost > 20")), int((joined.cost > 20).sum())),
        (patients.join("visits"), len(joined)),
        (patients.concat(visits), len(both)),
        (patients.union(visits), len(pairs[0] | pairs[1])),
        (patients.intersect(visits), len(pairs[0] & pairs[1])),
        (patients.except_(visits), len(pairs[0] - pairs[1])),
        (
            patients.where("age < 30").union(patients.where("age > 60")),
            int(((PATIENTS.age < 30) | (PATIENTS.age > 60)).sum()),
        ),
    ):
        assert chain.count().release(epsilon=10_000).value == pytest.approx(expected, abs=5)
    own = patients.group_join("visits", visits="COUNT(*)", spent="SUM(cost)").select(times="COALESCE(visits, 0)")
    answer = own.group_by("times").count().mean("spent").release(epsilon=10_000)
    assert [row[:2] for row in answer.rows] == [(0, pytest.approx(SIZE / 2, abs=3)), (1, pytest.approx(0, abs=3)),
                                                (2, pytest.approx(SIZE / 2, abs=3)), (3, pytest.approx(0, abs=3)),
                                                (4, pytest.approx(0, abs=3))]  # fmt: skip
    assert answer.rows[2][2] == pytest.approx(VISITS.cost.sum() / (SIZE / 2), abs=2)


def test_the_noise_of_a_year_follows_the_declared_years(ana: AnalystSession) -> None:
    explained = ana.estimate(
        "SELECT SUM(YEAR(birth) - 1900) AS x, AVG(2026 - YEAR(birth)) AS age FROM patients", epsilon=1
    )
    assert [step.sensitivity for step in explained.steps][:2] == [2 * 126, 2 * 63]
    groups = ana.sql("SELECT YEAR(birth) AS y, COUNT(*) FROM patients GROUP BY 1", epsilon=10).rows
    assert [row[0] for row in groups] == list(range(1900, 2027))


def test_people_who_are_in_another_table(ana: AnalystSession) -> None:
    there = set(VISITS.person[VISITS.cost > 20])
    chosen = PATIENTS[PATIENTS.age < 50]
    inside = int(chosen.person.isin(there).sum())
    for operator, expected in (("IN", inside), ("NOT IN", len(chosen) - inside)):
        answer = ana.sql(
            f"SELECT COUNT(*) AS n FROM patients AS p WHERE p.age < 50 AND "
            f"p.person {operator} (SELECT v.person FROM visits AS v WHERE v.cost > 20)",
            epsilon=10_000,
        )
        assert answer.value == pytest.approx(expected, abs=3)
    old = "SELECT COUNT(*) AS n FROM patients WHERE person IN (SELECT person FROM patients WHERE age >= 60)"
    assert ana.sql(old, epsilon=10_000).value == pytest.approx((PATIENTS.age >= 60).sum(), abs=3)


def test_both_tables_pay_or_neither(curator: Curator, ana: AnalystSession) -> None:
    curator.grant("visits", "eva", epsilon=1)
    curator.grant("patients", "eva", epsilon=5)
    eva, text = curator.session("eva"), "SELECT COUNT(*) FROM patients JOIN visits USING (person)"
    answer = eva.sql(text, epsilon=1)
    assert answer.spent.amount == 1
    for _ in range(2):
        with pytest.raises(BudgetSpent):
            eva.sql(text, epsilon=Fraction(1, 2))
    for name in ("patients", "visits"):
        assert eva.budget(name).spent == Units(10**9, 0)
        assert curator.ledger.entries(name)[-1].question == text
    assert ana.estimate(text, epsilon=1).steps[0].sensitivity == 4


def test_a_table_that_an_analyst_may_not_see_does_not_exist(tmp_path: Path) -> None:
    made = Curator(ledger=tmp_path / "ledger.db")
    for name, frame in (("patients", PATIENTS), ("visits", VISITS)):
        who = {"ana": {"epsilon": 1}} if name == "patients" else {"rui": {"epsilon": 1}}
        made.register(name, frame, unit="person", columns=COLUMNS[name], budget={"epsilon": 10}, analysts=who)
    with pytest.raises(QueryRefused, match="no data set"):
        made.session("ana").sql("SELECT COUNT(*) FROM patients JOIN visits USING (person)", epsilon=1)


def test_tables_of_other_people_are_not_combined(curator: Curator, ana: AnalystSession) -> None:
    curator.register("houses", VISITS.rename(columns={"person": "house"}), unit="house", columns={"city": CITY},
                     budget={"epsilon": 1})  # fmt: skip
    with pytest.raises(QueryRefused, match="same unit"):
        ana.sql("SELECT COUNT(*) FROM (SELECT city FROM patients UNION SELECT city FROM houses) AS t", epsilon=1)


def test_tables_in_one_database_are_combined(postgresql: str, tmp_path: Path) -> None:
    import psycopg

    with psycopg.connect(postgresql, autocommit=True) as session:
        session.execute("CREATE TABLE op_a AS SELECT n AS person, n % 90 AS age FROM generate_series(1, 300) AS n")
        session.execute("CREATE TABLE op_b AS SELECT CAST(n AS text) AS person FROM generate_series(201, 500) AS n")
        session.execute("ALTER TABLE op_b ADD COLUMN kind text DEFAULT 'x'")
    made = Curator(postgresql, ledger=tmp_path / "ledger.db")
    for name, columns in (
        ("op_a", {"age": COLUMNS["patients"]["age"]}),
        ("op_b", {"kind": {"type": "text", "keys": ["x"]}}),
    ):
        made.register(name, table=name, unit="person", columns=columns, budget={"epsilon": 10**6})
        made.grant(name, "ana", epsilon=10**6)
    answer = made.session("ana").sql(
        "SELECT kind, COUNT(*) AS n FROM op_a JOIN op_b USING (person) GROUP BY kind", epsilon=99
    )
    assert answer.rows[0][1] == pytest.approx(100, abs=3)

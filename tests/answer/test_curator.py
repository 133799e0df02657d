"""The curator as a whole: what it answers, what it refuses, what it charges, and when."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import ibis
import pyarrow as pa
import pytest
from hypothesis import given, settings

from cobogo.answer import Curator
from cobogo.answer.session import AnalystSession
from cobogo.answer.sql.dialects import DIALECTS
from cobogo.answer.sql.emit import Emitter, SqlSource
from cobogo.errors import BudgetSpent, CobogoError, DataError, NoAnswer, PolicyError, QueryRefused
from cobogo.floor.untrusted import shorten
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.curator_file import CuratorPolicy
from cobogo.promises.ledger.balance import Units
from support import questions as q
from support.effort import examples
from support.people import COLUMNS, PEOPLE, people

pytestmark = pytest.mark.slow


@pytest.fixture
def curator(tmp_path: Path) -> Curator:
    made = Curator(ledger=tmp_path / "ledger.db")
    made.register(
        "people", people(), unit="person", max_groups=2, max_rows=1, columns=COLUMNS,
        budget={"epsilon": 1000, "delta": 0.01},
    )  # fmt: skip
    made.grant("people", "ana", epsilon=900, delta=0.005)
    return made


@pytest.fixture
def ana(curator: Curator) -> AnalystSession:
    return curator.session("ana")


def test_answers_are_near_the_truth(ana: AnalystSession) -> None:
    """At a high price: every figure within an error that is exceeded once in a million runs."""
    answer = ana.sql(
        "SELECT city, COUNT(*) AS n, AVG(age) AS age, SUM(income) AS income, MEDIAN(age) AS middle, "
        "STDDEV(age) AS spread, COUNT(DISTINCT job) AS jobs FROM people GROUP BY city",
        epsilon=100,
    )
    assert answer.columns == ("city", "n", "age", "income", "middle", "spread", "jobs")
    crato, quixada, sobral = answer.rows
    for row in (crato, sobral):
        assert row[1] == pytest.approx(PEOPLE, abs=10)
        assert row[2] == pytest.approx(49.5, abs=0.5)
        assert row[3] == pytest.approx(sum(500.25 + p % 1000 for p in range(PEOPLE)), abs=8000)
        assert row[4] == pytest.approx(50, abs=2)
        assert row[5] == pytest.approx(math.sqrt((100**2 - 1) / 12), abs=1)
        assert row[6] == pytest.approx(4, abs=6)
    assert quixada[0] == "Quixadá"  # a public key that nobody has
    assert quixada[1] == pytest.approx(0, abs=10)
    assert answer.spent.amount == 100
    assert answer.left.left == Units(800 * 10**9, 5 * 10**15)


def test_intervals_hold_as_often_as_they_say(ana: AnalystSession) -> None:
    inside = 0
    for _ in range(30):
        answer = ana.sql("SELECT city, COUNT(*) AS n, AVG(age) AS age FROM people GROUP BY city", epsilon=1)
        for at, row in enumerate(answer.rows[:1] + answer.rows[2:]):
            low, high = answer.intervals["n"][at * 2] or (0, 0)
            inside += low <= PEOPLE <= high
            assert low <= row[1] <= high
    assert inside >= 43  # of 60; fewer would be a chance of 1e-8 at 95 %


def test_a_mean_of_nobody_stays_within_its_bounds(ana: AnalystSession) -> None:
    for _ in range(5):
        value = ana.sql("SELECT AVG(age) FROM people WHERE age > 200", epsilon=1).value
        assert 0 <= value <= 100


def test_groups_whose_keys_are_not_public_are_told_of_when_they_are_large(ana: AnalystSession) -> None:
    answer = ana.sql("SELECT job, COUNT(*) AS n FROM people GROUP BY job ORDER BY n DESC", epsilon=10, delta=1e-6)
    jobs = [row[0] for row in answer.rows]
    assert set(jobs) == {"nurse", "cook", "judge"}
    assert [row[1] for row in answer.rows] == sorted((row[1] for row in answer.rows), reverse=True)


def test_a_question_about_unknown_keys_needs_a_delta(ana: AnalystSession) -> None:
    with pytest.raises(QueryRefused, match="keys of job are not public"):
        ana.sql("SELECT job, COUNT(*) FROM people GROUP BY job", epsilon=1)
    with pytest.raises(QueryRefused, match="needs no δ"):
        ana.sql("SELECT COUNT(*) FROM people", epsilon=1, delta=1e-9)
    assert ana.budget("people").spent == Units(0, 0)


def test_the_chain_asks_the_same_as_sql(ana: AnalystSession) -> None:
    chain = ana.table("PEOPLE").where("age >= 50").where("city <> 'Sobral'").group_by("city").count().mean("age")
    asked = "SELECT city, COUNT(*), AVG(age) FROM people WHERE (age >= 50) AND (city <> 'Sobral') GROUP BY city"
    assert chain.estimate(epsilon=2).plan.measurements == ana.estimate(asked, epsilon=2).plan.measurements
    answer = chain.sum("income").median("age").quantile("age", "0.9").release(epsilon=200)
    assert answer.columns == ("city", "count", "mean_age", "sum_income", "quantile_age", "quantile_age_0.9")
    assert answer.rows[0][1] == pytest.approx(PEOPLE / 2, abs=10)
    assert answer.rows[0][4] == pytest.approx(75, abs=2)
    assert answer.rows[0][5] == pytest.approx(95, abs=2)
    with pytest.raises(QueryRefused, match="nothing is asked for"):
        ana.table("people").release(epsilon=1)
    with pytest.raises(QueryRefused, match="no column"):
        ana.table("people").where("person = 1")


FORMS = [
    "COUNT(*)", "COUNT({})", "COUNT(DISTINCT {})", "COUNT(DISTINCT person)", "SUM({})", "AVG({})", "VARIANCE({})",
    "STDDEV({})", "MEDIAN({})", "QUANTILE({}, 0.25)",
]  # fmt: skip
EVERY_TYPE: dict[str, Any] = {
    "job": {"type": "text"}, "city": {"type": "text", "keys": ["Crato"]}, "sick": {"type": "boolean"},
    "day": {"type": "date"}, "n": {"type": "integer"}, "age": {"type": "integer", "bounds": [0, 100]},
    "part": {"type": "integer", "edges": [0, 18, 65]}, "x": {"type": "number"},
    "income": {"type": "number", "bounds": [0, 2000], "decimals": 2}, "rate": {"type": "number", "edges": [0, 0.5, 1]},
}  # fmt: skip


@pytest.mark.parametrize("unit", [True, False], ids=["people", "rows"])
def test_every_documented_form_of_every_type_is_answered_or_refused_for_nothing(tmp_path: Path, unit: bool) -> None:
    """What is refused is refused before it is paid for; whatever is priced is answered."""
    row = {"person": 1, "job": "a", "city": "Crato", "sick": True, "day": date(2020, 1, 1), "n": 1, "age": 2, "part": 3,
           "x": 1.5, "income": 3.5, "rate": 0.5}  # fmt: skip
    curator = Curator(ledger=tmp_path / "l.db")
    people = {"unit": "person", "max_rows": 3, "max_groups": 2} if unit else {}
    rows = pa.Table.from_pylist([row, dict.fromkeys(row)], schema=pa.Table.from_pylist([row]).schema)
    curator.register("d", rows, columns=EVERY_TYPE, budget={"epsilon": 1000, "delta": 0.1}, **people)
    curator.grant("d", "ana", epsilon=1000, delta=0.1)
    ana, answered, spent = curator.session("ana"), 0, 0
    for column in EVERY_TYPE:
        for form in FORMS:
            for grouped in ("", f" GROUP BY {column}"):
                text = f"SELECT {form.format(column)} FROM d{grouped}"
                price = {"epsilon": 1, "delta": 1e-6 if grouped and column in ("job", "day", "n", "age") else 0}
                try:
                    ana.estimate(text, **price)
                except QueryRefused:
                    with pytest.raises(QueryRefused):
                        ana.sql(text, **price)
                    continue
                ana.sql(text, **price)
                answered, spent = answered + 1, spent + 1
    assert answered == (86 if unit else 68)
    assert ana.budget("d").spent.amount == spent * 10**9


def test_a_key_called_as_a_figure_is_still_the_key(tmp_path: Path) -> None:
    curator = Curator(ledger=tmp_path / "l.db")
    keys = {"type": "integer", "keys": [1, 2]}
    rows = pa.table({"count": [1, 1, 1, 2], "people": [2] * 4, "distinct_a": [1] * 4, "a": [1] * 4})
    columns = {"count": keys, "people": keys, "distinct_a": {"type": "integer"}, "a": {"type": "integer"}}
    curator.register("d", rows, columns=columns, budget={"epsilon": 10_000})
    curator.grant("d", "ana", epsilon=10_000)
    ana = curator.session("ana")
    asked = "SELECT count, COUNT(*) AS n, people AS p, COUNT(DISTINCT a) AS x, COUNT(distinct_a) AS y FROM d"
    found = ana.sql(f"{asked} GROUP BY count, people ORDER BY count DESC", epsilon=500)
    assert found.rows == ((2, 0, 1, 0, 0), (2, 1, 2, 1, 1), (1, 0, 1, 0, 0), (1, 3, 2, 1, 3))
    assert (
        set(found.intervals)
        == {"n", "x", "y"}
        == set(ana.estimate(asked + " GROUP BY count, people", epsilon=1).errors)
    )
    for chain in (ana.table("d").group_by("count").count(), ana.table("d").count_distinct("a").count("distinct_a")):
        with pytest.raises(QueryRefused, match="the same name"):
            chain.release(epsilon=1)
    with pytest.raises(QueryRefused, match="the same name"):
        ana.sql("SELECT count, COUNT(*) FROM d GROUP BY count", epsilon=1)


LARGE = 10**5000
WITHOUT_END = ["1e20000000", "1e-20000000", "1e999999999999999999999", "9" * 5000, "1/0", "nan", "0e99999999", "١e9"]


@pytest.mark.parametrize("amount", [*WITHOUT_END, LARGE, -LARGE, float("inf"), True, None, [1], "\ud800"], ids=shorten)
def test_numbers_without_end_are_refused_in_words(ana: AnalystSession, amount: Any) -> None:
    """Before any arithmetic with them: one of them would take all memory, and everybody's time."""
    count, cities = "SELECT COUNT(*) FROM people", ana.table("people").group_by("city")
    asked: list[Any] = [
        lambda: ana.sql(count, epsilon=amount),
        lambda: ana.sql("SELECT job, COUNT(*) FROM people GROUP BY job", epsilon=1, delta=amount),
        lambda: ana.estimate(count, rho=amount),
        lambda: ana.epsilon_for(count, amount),
        lambda: ana.table("people").quantile("age", amount).release(epsilon=1),
        lambda: cities.top_k(amount, epsilon=1),
        lambda: cities.shortfall(epsilon=1, k=amount),
    ]
    if isinstance(amount, str):
        asked.append(lambda: ana.sql(f"SELECT QUANTILE(age, {amount}) FROM people", epsilon=1))
        asked.append(lambda: ana.sql(f"SELECT COUNT(*) FROM people WHERE age > {amount}", epsilon=1))
        asked.append(lambda: ana.sql(f"SELECT COUNT(*) FROM people LIMIT {amount}", epsilon=1))
    for ask in asked:
        with pytest.raises(CobogoError) as refusal:
            ask()
        assert len(str(refusal.value)) < 1000
    assert ana.budget("people").spent == Units(0, 0)


@pytest.mark.parametrize("k", [1.5, "2", 0, -1, 4, True, LARGE], ids=shorten)
def test_a_choice_is_of_a_whole_number_of_groups(ana: AnalystSession, k: Any) -> None:
    with pytest.raises(QueryRefused, match="3 groups to choose from"):
        ana.table("people").group_by("city").top_k(k, epsilon=1)
    assert ana.budget("people").spent == Units(0, 0)


@pytest.mark.parametrize(
    "text", ["SELECT COUNT(*) FROM people WHERE job = '\ud800'", "SELECT COUNT(*) FROM \udcff", "a\x00"]
)
def test_questions_that_nobody_could_write_down_are_refused(ana: AnalystSession, text: str) -> None:
    for ask in (ana.sql, ana.estimate):
        with pytest.raises(QueryRefused, match="half of a character"):
            ask(text, epsilon=1)
    with pytest.raises(QueryRefused, match="half of a character"):
        ana.table("people").where(text)


def test_sensitivities_beyond_64_bits_are_refused(tmp_path: Path) -> None:
    curator = Curator(ledger=tmp_path / "l.db")
    wide = {"x": {"type": "integer", "bounds": [0, 10**9]}, "k": {"type": "integer"}}
    rows = pa.table({"who": [1], "x": [1], "k": [1]})
    options = {"unit": "who", "max_groups": 10**6, "max_rows": 10**6}
    curator.register("d", rows, columns=wide, budget={"epsilon": 9, "delta": 0.1}, **options)
    curator.grant("d", "ana", epsilon=9, delta=0.1)
    with pytest.raises(QueryRefused, match="more than noise can hide"):
        curator.session("ana").sql("SELECT k, SUM(x) FROM d GROUP BY k", epsilon=1, delta=1e-6)


def test_parts_are_asked_different_things_for_one_price(ana: AnalystSession) -> None:
    """Everybody is in two cities, so that each part gets half of the price."""
    parts = ana.table("people").where("age < 50").partition("city")
    answers = parts.release(
        {"Crato": lambda part: part.count(), "Sobral": lambda part: part.where("age >= 25").mean("age")}, epsilon=200
    )
    assert answers["Crato"].value == pytest.approx(PEOPLE / 2, abs=5)
    assert answers["Sobral"].value == pytest.approx(37, abs=0.2)
    assert max(answer.spent.amount for answer in answers.values()) * 2 == Fraction(200)
    assert ana.budget("people").spent == Units(200 * 10**9, 0)
    for asked in (
        {},
        {"Rio": lambda part: part.count()},
        {"Crato": lambda part: part},
        {"Crato": lambda _: ana.table("people").count()},
    ):
        with pytest.raises(QueryRefused):
            parts.release(asked, epsilon=1)  # type: ignore[arg-type]
    with pytest.raises(QueryRefused, match="not public"):
        ana.table("people").partition("job")
    assert ana.budget("people").spent == Units(200 * 10**9, 0)


def test_public_tables_are_joined(curator: Curator, ana: AnalystSession) -> None:
    regions = pa.table({"city": ["Crato", "Sobral", "Rio"], "region": ["Cariri", "Norte", "Sul"], "x": ["1", "2", "3"]})
    curator.register_public("regions", regions, key="city", columns=["region"])
    by_sql = ana.sql("SELECT region, COUNT(*) FROM people JOIN regions USING (city) GROUP BY region", epsilon=50)
    by_chain = ana.table("people").join("regions").group_by("region").count().release(epsilon=50)
    for answer in (by_sql, by_chain):
        assert [row[0] for row in answer.rows] == ["Cariri", "Norte", "Sul"]
        assert [row[1] for row in answer.rows] == pytest.approx([PEOPLE, PEOPLE, 0], abs=5)
    parts = ana.table("people").join("regions").partition("region").release({"Norte": lambda p: p.count()}, epsilon=50)
    assert parts["Norte"].value == pytest.approx(PEOPLE, abs=5)
    for table, words in (
        (pa.table({"city": ["Crato", "Crato"], "region": ["a", "b"]}), "appears twice"),
        (pa.table({"town": ["Crato"], "region": ["a"]}), 'no column "city"'),
        (pa.table({"city": ["Crato"], "region": pa.array([None], pa.string())}), "no row without a missing value"),
    ):
        with pytest.raises(DataError, match=words):
            curator.register_public("bad", table, key="city", columns=["region"])
    curator.register_public("ages", pa.table({"city": ["Crato"], "age": ["1"]}), key="city", columns=["age"])
    with pytest.raises(QueryRefused, match='both have a column "age"'):
        ana.table("people").join("ages")


def test_prices_are_foretold_from_declarations_alone(tmp_path: Path) -> None:
    """The data are not even there."""
    curator = Curator(ledger=tmp_path / "l.db")
    curator.register(
        "people", tmp_path / "absent.csv", unit="person", max_groups=2, max_rows=3, columns=COLUMNS,
        budget={"epsilon": 1},
    )  # fmt: skip
    session = curator.session("nobody yet")
    found = session.estimate("SELECT city, COUNT(*), SUM(age) FROM people GROUP BY city", epsilon=1)
    assert [(step.what, step.sensitivity) for step in found.steps] == [("rows", 3), ("sum", 300)]
    assert [step.scale for step in found.steps] == pytest.approx([2 * 3 / 0.5, 2 * 300 / 0.5])
    assert found.errors["count"] == pytest.approx(12 * math.log(20), abs=1)
    price = session.epsilon_for("SELECT COUNT(*) FROM people", 30)
    error = session.estimate("SELECT COUNT(*) FROM people", epsilon=price).errors["count"]
    assert error is not None
    assert 29 <= error <= 30
    assert session.table("people").count().epsilon_for(30) == price
    with pytest.raises(QueryRefused, match="depends on the data"):
        session.epsilon_for("SELECT AVG(age) FROM people", 1)
    assert session.epsilon_for("SELECT AVG(age) FROM people", 1, rows=10_000) < 1
    with pytest.raises(BudgetSpent, match="no budget"):
        session.budget("people")


def test_budgets_in_rho_are_spent_on_gaussian_noise(tmp_path: Path) -> None:
    curator = Curator(ledger=tmp_path / "l.db")
    curator.register(
        "people", people(), unit="person", max_groups=2, columns=COLUMNS, budget={"rho": 100, "delta": 1e-3}
    )
    curator.grant("people", "ana", rho=60, delta=1e-3)
    session = curator.session("ana")
    answer = session.sql("SELECT city, COUNT(*), MEDIAN(age) FROM people GROUP BY city", rho=50)
    assert {noise.name for noise in answer.noises.additive.values()} == {"gaussian"}
    assert answer.rows[0][1] == pytest.approx(PEOPLE, abs=10)
    assert answer.rows[0][2] == pytest.approx(50, abs=3)
    assert {row[0] for row in session.sql("SELECT job, COUNT(*) FROM people GROUP BY job", rho=1, delta=1e-6).rows} == {
        "nurse", "cook", "judge",
    }  # fmt: skip
    with pytest.raises(QueryRefused, match="budget in rho"):
        session.sql("SELECT COUNT(*) FROM people", epsilon=1)
    assert session.budget("people").spent == Units(51 * 10**9, 10**12)


# What is charged, and when


def test_exhaustion_refuses_cleanly_and_spends_nothing(curator: Curator) -> None:
    curator.grant("people", "bia", epsilon=0.3)
    bia = curator.session("bia")
    for _ in range(3):
        bia.sql("SELECT COUNT(*) FROM people", epsilon=0.1)
    with pytest.raises(BudgetSpent, match="ε = 0 of the budget is left"):
        bia.sql("SELECT COUNT(*) FROM people", epsilon=1e-9)
    assert len(curator.ledger.entries("people")) == 3


def test_an_analyst_spends_only_its_own(curator: Curator) -> None:
    curator.session("ana").sql("SELECT COUNT(*) FROM people", epsilon=1)
    curator.grant("people", "bia", epsilon=0.5)
    with pytest.raises(BudgetSpent, match="bia on people"):
        curator.session("bia").sql("SELECT COUNT(*) FROM people", epsilon=1)
    with pytest.raises(BudgetSpent, match="no budget"):
        curator.session("eve").sql("SELECT COUNT(*) FROM people", epsilon=1)
    assert curator.session("bia").budget("people").spent == Units(0, 0)


def test_only_analysts_of_the_file_may_ask_now(tmp_path: Path) -> None:
    """Whoever was taken out of it may neither ask nor be told what there is, nor pay by another door."""
    (tmp_path / "a.csv").write_text("age\n" + "30\n" * 20)
    data = {"path": "a.csv", "columns": {"age": {"type": "integer"}}, "budget": {"epsilon": 3}}
    both, one = {"ana": {"epsilon": 2}, "rui": {"epsilon": 2}}, {"ana": {"epsilon": 2}}

    def curator(analysts: dict[str, Any]) -> Curator:
        sets = {"people": {**data, "analysts": analysts}, "other": {**data, "analysts": one}}
        return Curator.load(CuratorPolicy.of({"datasets": sets}, home=tmp_path))

    text = "SELECT COUNT(*) FROM people"
    curator(both).session("rui").sql(text, epsilon=0.5)
    now = curator(one)
    rui, ana = now.session("rui"), now.session("ana")
    asked: list[Any] = [
        lambda: rui.sql(text, epsilon=0.5), lambda: rui.estimate(text, epsilon=0.5), lambda: rui.epsilon_for(text, 5),
        lambda: rui.table("people"), lambda: rui.budget("people"),
    ]  # fmt: skip
    for ask in asked:
        with pytest.raises(QueryRefused, match="no data set"):
            ask()
    query = ana.table("people").count().query
    with pytest.raises(QueryRefused, match="no data set"):
        now.answer(query, "rui", PrivacyLoss("epsilon", Fraction(1)), "by hand")
    with pytest.raises(BudgetSpent):
        now.ledger.debit("people", "rui", PrivacyLoss("epsilon", Fraction(1, 10)), "by another door")
    assert rui.datasets == {}
    now.grant("people", "rui", epsilon=1)
    assert list(rui.datasets) == ["people"]
    rui.sql(text, epsilon=0.5)
    assert list(curator(both).session("rui").datasets) == ["people"]


def test_nobody_without_a_name_has_the_whole_budget(curator: Curator) -> None:
    for name in ("", "  ", "\ud800", "x" * 201):
        for ask in (
            lambda: curator.session(name),  # noqa: B023
            lambda: curator.ledger.balance("people", name),  # noqa: B023
            lambda: curator.ledger.debit("people", name, PrivacyLoss("epsilon", Fraction(1)), "x"),  # noqa: B023
            lambda: curator.grant("people", name, epsilon=1),  # noqa: B023
        ):
            with pytest.raises(PolicyError, match="needs a name"):
                ask()


def test_a_refusal_does_not_tell_what_others_spent(tmp_path: Path) -> None:
    curator = Curator(ledger=tmp_path / "l.db")
    curator.register("d", pa.table({"age": [1]}), columns={"age": {"type": "integer"}}, budget={"epsilon": 2})
    said = []
    for others in ("0.75", "1.25"):
        curator.grant("d", "ana", epsilon=2)
        curator.grant("d", "bia", epsilon=2)
        spent = curator.ledger.balance("d").spent.amount
        curator.session("bia").sql("SELECT COUNT(*) FROM d", epsilon=Fraction(others) - Fraction(spent, 10**9))
        with pytest.raises(BudgetSpent) as refusal:
            curator.session("ana").sql("SELECT COUNT(*) FROM d", epsilon=1.5)
        said.append(str(refusal.value))
    assert said[0] == said[1]


def test_what_is_wrong_with_the_rows_is_the_data_holder_s_to_know(tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("age,city\n30,Crato\n31\n")
    curator = Curator(ledger=tmp_path / "l.db")
    curator.register("d", tmp_path / "secret.csv", columns={"age": {"type": "integer"}}, budget={"epsilon": 2})
    curator.grant("d", "ana", epsilon=2)
    with pytest.raises(DataError, match="nothing was spent") as told:
        curator.session("ana").sql("SELECT COUNT(*) FROM d", epsilon=1)
    assert not [word for word in ("secret.csv", "line", "field") if word in str(told.value)]
    with pytest.raises(DataError, match="line"):
        curator.check()
    assert curator.ledger.entries("d") == []


def test_after_the_debit_every_failure_looks_the_same_and_costs_the_same(curator: Curator, ana: AnalystSession) -> None:
    with curator._registered["people"].open_rows() as (engine, _):
        engine.sql("DROP TABLE cobogo_source")  # type: ignore[attr-defined]
    said = set()
    for text in ("SELECT COUNT(*) FROM people", "SELECT city, MEDIAN(age) FROM people GROUP BY city"):
        with pytest.raises(NoAnswer) as failure:
            ana.sql(text, epsilon=1)
        said.add(str(failure.value))
        assert failure.value.__cause__ is None
    assert len(said) == 1
    assert ana.budget("people").spent == Units(2 * 10**9, 0)


DIES = """
import os, signal, sys
import pyarrow as pa
import cobogo.answer.curator as home
home.measure = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
curator = home.Curator(ledger=sys.argv[1])
curator.register("d", pa.table({"age": [1]}), columns={"age": {"type": "integer"}}, budget={"epsilon": 1})
curator.grant("d", "ana", epsilon=1)
curator.session("ana").sql("SELECT COUNT(*) FROM d", epsilon=0.25)
"""


def test_killed_between_debit_and_answer_it_has_spent(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", DIES, str(tmp_path / "l.db")], env=os.environ, capture_output=True)
    assert done.returncode == -signal.SIGKILL
    curator = Curator(ledger=tmp_path / "l.db")
    assert curator.ledger.balance("d", "ana").spent == Units(250_000_000, 0)


def test_many_analysts_at_once_get_their_own_answers(curator: Curator) -> None:
    for number in range(12):
        curator.grant("people", f"a{number}", epsilon=30)

    def ask(number: int) -> int:
        return int(
            curator.session(f"a{number}").sql(f"SELECT COUNT(*) FROM people WHERE age < {number}", epsilon=30).value
        )

    with ThreadPoolExecutor(12) as pool:
        for number, found in enumerate(pool.map(ask, range(12))):
            assert found == pytest.approx(40 * number, abs=3)


# What reaches the engine


@settings(max_examples=examples(20), deadline=None)
@given(text=q.questions())
def test_no_word_of_chance_and_none_of_the_analyst_s_reaches_the_engine(text: str) -> None:
    plan = q.asked(text + " LIMIT 7654321", q.declared())
    kinds = dict(ibis.schema(q.SCHEMA).items())
    for dialect in DIALECTS.values():
        emitter = Emitter(plan, SqlSource("SELECT 1", kinds), dialect, 5)
        for measurement in plan.measurements:
            write = {"ranks": emitter.bins, "distinct": emitter.distinct}.get(measurement.kind)
            statement = write(measurement) if write else emitter.totals([measurement])
            assert not [
                word for word in ("random", "rand(", "7654321", "x0", "tablesample") if word in statement.lower()
            ]


# What is registered


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"height": {"type": "integer"}}, 'no column "height"'),
        ({"income": {"type": "date"}}, "has the type float64 and is declared as date"),
        ({"job": {"type": "boolean"}}, "is declared as boolean"),
    ],
)
def test_declarations_must_fit_the_columns(curator: Curator, columns: dict[str, Any], words: str) -> None:
    curator.register("other", people(), columns=columns, budget={"epsilon": 1})
    curator.grant("other", "ana", epsilon=1)
    with pytest.raises(DataError, match="cannot be read now"):
        curator.session("ana").sql("SELECT COUNT(*) FROM other", epsilon=1)
    with pytest.raises(DataError, match=words):
        curator.check()
    assert curator.ledger.entries("other") == []


def test_names_are_registered_once(curator: Curator) -> None:
    with pytest.raises(PolicyError, match="already registered"):
        curator.register("People", people(), columns=COLUMNS, budget={"epsilon": 1})
    with pytest.raises(PolicyError, match="either the data or the name"):
        curator.register("other", columns=COLUMNS, budget={"epsilon": 1})
    with pytest.raises(QueryRefused, match="no data set"):
        curator.grant("nothing", "ana", epsilon=1)
    with pytest.raises(PolicyError, match="either epsilon or rho"):
        curator.grant("people", "ana", epsilon=1, rho=1)


@pytest.mark.parametrize(
    "amounts",
    [
        {},
        {"epsilon": 0},
        {"epsilon": -1},
        {"epsilon": "much"},
        {"rho": 1},
        {"epsilon": 1, "delta": 1},
        {"epsilon": "1e-400", "delta": 1e-9},
        {"epsilon": "1e400", "delta": 1e-9},
        {"epsilon": 1, "delta": "1e-400"},
    ],
)
def test_prices_must_be_prices(ana: AnalystSession, amounts: dict[str, Any]) -> None:
    with pytest.raises(CobogoError):
        ana.sql("SELECT job, COUNT(*) FROM people GROUP BY job", **amounts)
    assert ana.budget("people").spent == Units(0, 0)


def test_the_properties_of_the_documents(tmp_path: Path) -> None:
    """Four people with 4, 2, 7 and 1 properties: noise follows the declared bound of 10, not the 7 of the data."""
    curator = Curator(ledger=tmp_path / "l.db")
    curator.register(
        "taxpayers", pa.table({"properties": [4, 2, 7, 1]}),
        columns={"properties": {"type": "integer", "bounds": [0, 10]}}, budget={"epsilon": 1000},
    )  # fmt: skip
    curator.grant("taxpayers", "ana", epsilon=1000)
    session = curator.session("ana")
    found = session.estimate("SELECT SUM(properties) FROM taxpayers", epsilon=1)
    assert (found.steps[0].sensitivity, found.steps[0].scale) == (10, 10)
    answer = session.sql("SELECT SUM(properties) FROM taxpayers", epsilon=500)
    assert answer.value == 14
    assert answer.spent.amount == Fraction(500)

"""What others make of the same tables: pycanon, SciPy, linear programs, brute force, the papers' own examples."""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.stats import poisson, wasserstein_distance

import cobogo as cb
from cobogo.data.hierarchy import Label
from cobogo.errors import DataError
from cobogo.promises.models import Classes, Model, Scope, build
from cobogo.promises.models.check import ModelVerdict, check
from cobogo.promises.models.frequency import AlphaK, BetaLikeness, DeltaDisclosure
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.population import DeltaPresence, KMap
from cobogo.promises.models.promise import parameters
from cobogo.promises.models.t_closeness import TCloseness
from support import model_reference as plain
from support import random_tables as tables
from support.effort import examples
from support.model_strategies import Entry, each_model, needed
from support.paths import ROOT
from support.random_tables import TREE, Rows, row

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(40), suppress_health_check=list(HealthCheck))


def verdict(model: Model, classes: Classes) -> ModelVerdict:
    (found,) = check([model], classes)
    return found


# --- the definitions, in plain Python ---------------------------------------------------------------------------


@pytest.mark.parametrize("people", [False, True], ids=["records", "people"])
@each_model
@some
@given(rows=tables.any_table(), data=st.data())
def test_a_model_measures_what_its_definition_says(
    name: str, entry: Entry | None, people: bool, rows: Rows, data: st.DataObject
) -> None:
    """Every class, by the formulas of the papers in exact arithmetic. With people, each holds one value."""
    entry = needed(name, entry)
    if people:
        if not entry.people:
            return
        rows = data.draw(tables.tables(one_value=True))
    model = data.draw(entry.models)
    given_ = parameters(model)
    task = task_of(rows, people)
    keys, classes = tables.classes(rows, rows.quasi, others=() if people else rows.others, people=people)
    if name not in plain.DEFINED or model.scope is Scope.TABLE:
        return
    measured = model.measure(classes)
    held = model.holds(classes, measured)
    groups = plain.groups(task, (0,) * rows.width)
    for number, key in enumerate(keys):
        members, group = groups[key]
        if members or model.needs_every_class:
            assert measured[number] == pytest.approx(
                float(plain.measured(given_, group, task.whole)), rel=1e-9, abs=1e-12
            )
            assert held[number] == plain.holds(given_, group, task.whole)


def task_of(rows: Rows, people: bool) -> plain.ModelTask:
    """A table as the plain definitions take it."""
    return plain.ModelTask(
        tuples=rows.quasi,
        ladders=tuple(tables.LADDERS[name] for name in rows.names),
        sensitive=rows.sensitive,
        others=() if people else rows.others,
        people=rows.people if people else None,
        trees={"h": TREE.with_null() if None in rows.sensitive["h"] else TREE},
    )


# --- pycanon ----------------------------------------------------------------------------------------------------

ORACLES = Path(os.environ.get("COBOGO_ORACLES", ROOT / ".venv-oracles"))
PYTHON = ORACLES / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
SCRIPT = ROOT / "tests/oracles/pycanon_models.py"

with_pycanon = pytest.mark.skipif(
    not PYTHON.exists(),
    reason=f"no environment with pycanon at {ORACLES}: python -m venv .venv-oracles && "
    ".venv-oracles/bin/pip install -r tests/oracles/requirements.txt (or set COBOGO_ORACLES)",
)


def tables_without_nulls() -> Iterator[Rows]:
    """Some of any kind, some with classes in which all values are equally frequent, some with complete classes."""
    for seed in range(60):
        source = random.Random(seed)
        width, size = source.randint(1, 3), source.randint(2, 60)
        pool = [("a1", "b1", "c1"), ("a2", "b2", "c2"), ("a3", "b1", "c3"), ("a4", "b2", "c1")][: source.randint(1, 4)]
        quasi = [source.choice(pool)[:width] for _ in range(size)]
        s = [source.choice("xxxyyz") for _ in range(size)]
        if seed % 3:
            values = "xyz"[: source.randint(2, 3)]
            quasi = [tuple_[:width] for tuple_ in pool for _ in values for _ in range(3)]
            s = [value for _ in pool for value in values for _ in range(3)]
            if seed % 3 == 2:
                extra = source.randint(1, 15)
                quasi += [source.choice(pool)[:width] for _ in range(extra)]
                s += [source.choice(values) for _ in range(extra)]
        n = [str(source.choice([1, 2, 3, 5, 8, 13])) for _ in s]
        columns: dict[str, tuple[Label, ...]] = {
            "s": tuple(s),
            "n": tuple(n),
            "h": ("p",) * len(s),
            "g": (None,) * len(s),
        }
        yield Rows(width, tuple(quasi), columns, ("one",) * len(s))


@pytest.fixture(scope="module")
def pycanon() -> list[tuple[Rows, Classes, dict[str, float]]]:
    """Random tables, their classes, and what pycanon measured of them, in one call."""
    every = list(tables_without_nulls())
    asked = [
        {
            "quasi": [list(column) for column in zip(*rows.quasi, strict=True)],
            "category": rows.sensitive["s"],
            "number": [int(value or 0) for value in rows.sensitive["n"]],
        }
        for rows in every
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    words = [str(PYTHON), str(SCRIPT)]
    done = subprocess.run(words, input=json.dumps(asked), capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    answers = json.loads(done.stdout)
    return [(rows, tables.classes(rows, rows.quasi)[1], answer) for rows, answer in zip(every, answers, strict=True)]


Measured = list[tuple[Rows, Classes, dict[str, float]]]


@with_pycanon
@pytest.mark.parametrize(
    ("model", "answer"),
    [
        (KAnonymity(1), "k"),
        (KAnonymity(1), "alpha k"),
        (AlphaK("s", 1.0, 1), "alpha"),
        (LDiversity("s", 1), "l"),
        (LDiversity("s", 1), "recursive l"),
        (TCloseness("s", 1.0), "t equal"),
        (TCloseness("n", 1.0, "ordered"), "t ordered"),
        (BetaLikeness("s", 1e6), "beta"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_pycanon_measures_the_same(pycanon: Measured, model: Model, answer: str) -> None:
    for _, classes, answers in pycanon:
        if answers[answer] is not None:
            assert verdict(model, classes).measured == pytest.approx(answers[answer], rel=1e-9, abs=1e-12)


@with_pycanon
def test_pycanon_rounds_the_entropy_down(pycanon: Measured) -> None:
    for _, classes, answers in pycanon:
        measured = verdict(LDiversity("s", 1, "entropy"), classes).measured
        assert measured is not None
        assert answers["entropy l"] in (math.floor(measured - 1e-9), math.floor(measured + 1e-9))
        assert verdict(LDiversity("s", answers["entropy l"], "entropy"), classes).satisfied


@with_pycanon
def test_pycanon_finds_the_same_c_where_all_values_are_equally_frequent(pycanon: Measured) -> None:
    """It sorts the frequencies the other way round, which is the same where they are equal. Its c is a whole number."""
    compared = 0
    for rows, classes, answers in pycanon:
        apart = [Counter(s for key, s in zip(rows.quasi, rows.sensitive["s"], strict=True) if key == one) for one in
                 set(rows.quasi)]  # fmt: skip
        if answers["recursive c"] is None or any(len(set(counts.values())) > 1 for counts in apart):
            continue
        l, c = int(answers["recursive l"]), answers["recursive c"]
        measured = verdict(LDiversity("s", l, "recursive", c=c), classes)
        assert measured.satisfied
        assert math.floor((measured.measured or 0) + 1) == c
        assert c == 1 or not verdict(LDiversity("s", l, "recursive", c=c - 1), classes).satisfied
        compared += 1
    assert compared >= 10


@with_pycanon
def test_pycanon_measures_the_same_enhanced_likeness_where_no_value_is_frequent(pycanon: Measured) -> None:
    """Where β itself is the limit for every value: gains no larger than −ln of the largest share."""
    compared = 0
    for rows, classes, answers in pycanon:
        largest = max(Counter(rows.sensitive["s"]).values()) / len(rows)
        if 0 < answers["beta"] <= -math.log(largest):
            found = verdict(BetaLikeness("s", answers["beta"], "enhanced"), classes)
            assert found.measured == pytest.approx(answers["enhanced beta"])
            assert found.satisfied
            compared += 1
    assert compared >= 5


@with_pycanon
def test_pycanon_measures_the_same_disclosure_where_no_class_lacks_a_value(pycanon: Measured) -> None:
    """It passes over the values that a class lacks; here they make the class fail."""
    compared = 0
    for _, classes, answers in pycanon:
        measured = verdict(DeltaDisclosure("s", 1e6), classes).measured
        assert measured is not None
        if math.isfinite(measured):
            assert measured == pytest.approx(answers["delta"], abs=1e-12)
            compared += 1
        else:
            assert not verdict(DeltaDisclosure("s", 1e6), classes).satisfied
    assert compared >= 10


# --- earth movers -----------------------------------------------------------------------------------------------


def moved(one: list[float], other: list[float], distance: list[list[float]]) -> float:
    """The earth mover's distance as what it is: the cheapest way to carry one distribution to the other."""
    size = len(one)
    equal, amounts = [], []
    for place in range(size):
        leaving, arriving = np.zeros((2, size, size))
        leaving[place, :] = 1
        arriving[:, place] = 1
        equal += [leaving.ravel(), arriving.ravel()]
        amounts += [one[place], other[place]]
    done = linprog(np.array(distance).ravel(), A_eq=np.array(equal), b_eq=np.array(amounts), method="highs")
    assert done.success, done.message
    return float(done.fun)


def distributions(rows: Rows, name: str) -> tuple[list[Label], dict[Any, list[float]], list[float]]:
    """The values of a column, and how they are distributed in each class and in the whole table."""
    labels = list(dict.fromkeys(rows.sensitive[name]))
    if name != "s":
        labels = plain.in_order(labels, TREE if name == "h" else None)
    column = rows.sensitive[name]
    inside = {
        key: [
            sum(k == key and v == label for k, v in zip(rows.quasi, column, strict=True)) / rows.quasi.count(key)
            for label in labels
        ]
        for key in dict.fromkeys(rows.quasi)
    }
    return labels, inside, [column.count(label) / len(column) for label in labels]


def apart(one: Label, other: Label, ladder: Any) -> float:
    """The height of the lowest common ancestor over the height of the hierarchy."""
    rows = {row[0]: row for row in ladder.rows}
    return next(level for level in range(ladder.height + 1) if rows[one][level] == rows[other][level]) / ladder.height


@pytest.mark.parametrize("kind", ["equal", "ordered", "ordered by the tree", "hierarchical"])
@settings(some, max_examples=examples(25))
@given(rows=tables.any_table(most=14))
def test_t_closeness_is_the_cheapest_way_to_move_earth(kind: str, rows: Rows) -> None:
    name = {"equal": "s", "ordered": "n"}.get(kind, "h")
    labels, inside, whole = distributions(rows, name)
    steps = max(len(labels) - 1, 1)
    ladder = tables.TREE.with_null() if None in labels else tables.TREE
    distance = {
        "equal": [[float(i != j) for j in range(len(labels))] for i in range(len(labels))],
        "hierarchical": [[apart(x, y, ladder) if name == "h" else 0.0 for y in labels] for x in labels],
    }.get(kind, [[abs(i - j) / steps for j in range(len(labels))] for i in range(len(labels))])
    model = TCloseness(name, 0.5, kind.split(maxsplit=1)[0], missing="value")  # type: ignore[arg-type]
    keys, classes = tables.classes(rows, rows.quasi)
    for key, measured in zip(keys, model.measure(classes), strict=True):
        assert measured == pytest.approx(moved(inside[key], whole, distance), abs=1e-9)
        if kind.startswith("ordered"):
            places = np.arange(len(labels)) / steps
            assert measured == pytest.approx(wasserstein_distance(places, places, inside[key], whole), abs=1e-12)


# --- k-map ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", ["poisson", "zero-truncated-poisson"])
@settings(deadline=None, max_examples=examples(200))
@given(
    k=st.integers(1, 60),
    records=st.integers(1, 500),
    population=st.integers(1, 100_000),
    significance=st.sampled_from([0.05, 0.01, 0.1, 0.5, 0.001, 1.0]),
)
def test_the_smallest_class_that_a_sample_may_show(
    estimator: Any, k: int, records: int, population: int, significance: float
) -> None:
    """So large that, were there only k such people, drawing as many would be rarer than the significance; at most k."""
    mean = k * min(records / population, 1.0)
    seen = 1 - poisson.pmf(0, mean) if estimator == "zero-truncated-poisson" else 1.0
    size = KMap(k, population_size=population, significance=significance, estimator=estimator).least_size(records)
    assert 1 <= size <= k
    if size < k:
        assert poisson.sf(size - 1, mean) / seen <= significance + 1e-9
    if size > 1:
        assert poisson.sf(size - 2, mean) / seen >= significance - 1e-9


def test_a_sample_of_almost_nobody() -> None:
    """One of 10¹⁷ was drawn: given that somebody was, it was one."""
    assert KMap(2, population_size=10**17, estimator="zero-truncated-poisson").least_size(1) == 2


# --- worked by hand ---------------------------------------------------------------------------------------------

PATIENTS = [("Profissional", "Masculino", "[35-40)")] * 3 + [("Artista", "Feminino", "[30-35)")] * 4
ILLNESSES = ["Hepatite", "Hepatite", "HIV", "Gripe", "HIV", "HIV", "HIV"]
EVERYBODY = {
    "Alice": ("Artista", "Feminino", "[30-35)"),
    "Bob": ("Professional", "Masculino", "[35-40)"),
    "Cathy": ("Artista", "Feminino", "[30-35)"),
    "Doug": ("Professional", "Masculino", "[35-40)"),
    "Emily": ("Artista", "Feminino", "[30-35)"),
    "Fred": ("Professional", "Masculino", "[35-40)"),
    "Gladys": ("Artista", "Feminino", "[30-35)"),
    "Henry": ("Professional", "Masculino", "[35-40)"),
    "Irene": ("Artista", "Feminino", "[30-35)"),
}
COLUMNS = ["Profissão", "Gênero", "Idade"]


class TestPresence:
    """Who of a public table is in a table of patients: Alice with 4/5, Bob with 3/4 (survey, Tables 3.9 and 3.10)."""

    def policy(self, directory: Path, *, mapped: bool, **bounds: float) -> dict[str, Any]:
        spelled = {"Professional": "Profissional"} if mapped else {}
        lines = [
            ",".join([name, *(spelled.get(value, value) for value in values)]) for name, values in EVERYBODY.items()
        ]
        (directory / "public.csv").write_text(
            "\n".join([",".join(["Nome", *COLUMNS]), *lines]) + "\n", encoding="utf-8"
        )
        quasi = {"role": "quasi-identifier", "max-level": 0}
        return {
            "attributes": dict.fromkeys(COLUMNS, quasi) | {"Doença": {"role": "sensitive"}},
            "privacy": {"models": [{"model": "delta-presence", "population": str(directory / "public.csv"), **bounds}]},
        }

    @property
    def patients(self) -> pa.Table:
        columns = dict(zip(COLUMNS, map(list, zip(*PATIENTS, strict=True)), strict=True))
        return pa.table(columns | {"Doença": ILLNESSES})

    def test_alice_and_bob(self, tmp_path: Path) -> None:
        release = cb.anonymize(self.patients, self.policy(tmp_path, mapped=True, max=0.8))
        (model,) = release.problem.models
        assert isinstance(model, DeltaPresence)
        keys = [release.problem.table.tuple_labels(number) for number in range(2)]
        shares = dict(zip(keys, model.measure(release.problem.table.classes()), strict=True))
        assert shares[EVERYBODY["Alice"]] == pytest.approx(4 / 5)
        assert shares[("Profissional", "Masculino", "[35-40)")] == pytest.approx(3 / 4)
        assert release.write(tmp_path / "out").models[0].measured == pytest.approx(0.8)

    def test_both_bounds(self, tmp_path: Path) -> None:
        assert cb.anonymize(self.patients, self.policy(tmp_path, mapped=True, min=0.75, max=0.8)).suppressed == 0
        for bounds in ({"max": 0.79}, {"min": 0.76, "max": 0.8}):
            with pytest.raises(cb.errors.NoSolution):
                cb.anonymize(self.patients, self.policy(tmp_path, mapped=True, **bounds))

    def test_profissional_and_professional_do_not_join(self, tmp_path: Path) -> None:
        """The two tables spell it differently: the people are not found, and nothing is measured by mistake."""
        with pytest.raises(DataError, match="does not have 3 records of the data"):
            cb.anonymize(self.patients, self.policy(tmp_path, mapped=False, max=0.8))


class TestSkewness:
    """Two of a hundred are positive, and both are in one class of four: diverse, and still 1/2 against 1/50."""

    rows = row(s=["positive"] * 2 + ["negative"] * 98, a="1" * 2 + "1" * 2 + "2" * 96)
    classes = tables.classes(rows, rows.quasi)[1]

    @pytest.mark.parametrize(
        ("model", "measured"),
        [
            ({"model": "l-diversity", "l": 2, "kind": "entropy"}, 1.0),
            ({"model": "alpha-k-anonymity", "alpha": 0.5, "k": 4, "value": "positive"}, Fraction(1, 2)),
            ({"model": "t-closeness", "t": 0.2}, Fraction(1, 2) - Fraction(1, 50)),
            ({"model": "beta-likeness", "beta": 5}, (Fraction(1, 2) - Fraction(1, 50)) / Fraction(1, 50)),
        ],
        ids=lambda value: value["model"] if isinstance(value, dict) else "",
    )
    def test_what_is_measured(self, model: dict[str, Any], measured: Fraction) -> None:
        (built,) = build([{**model, "attribute": "s"}], ["s"])
        assert verdict(built, self.classes).measured == pytest.approx(float(measured))

    def test_a_diverse_class_that_tells_too_much(self) -> None:
        class_of_four = self.classes.where(self.classes.sizes == 4)
        for model, satisfied in {
            LDiversity("s", 2): True,
            LDiversity("s", 2, "entropy"): True,
            TCloseness("s", 0.48): True,
            TCloseness("s", 0.47): False,
            BetaLikeness("s", 24): True,
            BetaLikeness("s", 23.9): False,
            BetaLikeness("s", 24, "enhanced"): False,  # −ln 1/50 is 3.9
            DeltaDisclosure("s", 3.3): True,
            DeltaDisclosure("s", 3.2): False,  # ln 25 is 3.22
        }.items():
            assert verdict(model, class_of_four).satisfied == satisfied, model

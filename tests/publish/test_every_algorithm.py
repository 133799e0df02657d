"""Whatever the algorithm: what it writes is counted again, in plain Python, and keeps what the policy asked for.

Every test here goes through all registered algorithms, so a new one is held to the same without a line of its own.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import NoSolution, PolicyError
from cobogo.examples import ceara
from cobogo.publish.recode.algorithms import ALGORITHMS, invents_records, recodings, releases_one_table
from support.paths import SHARED
from support.plain_count import Found, broken, counted, read_csv

pytestmark = pytest.mark.slow

K = {"model": "k-anonymity", "k": 3}
L = {"model": "l-diversity", "kind": "distinct", "l": 2}
T = {"model": "t-closeness", "distance": "equal", "t": 0.4}

COUNTING = {"marginals"}
"""Those that release no records: of these only what concerns classes is asked here."""

RANDOM = {"oka"}
"""Those whose generalized values depend on a draw."""

SERVING = [name for name in ALGORITHMS if not invents_records(name)]
"""Those that serve any model; the other serves m-invariance alone, and its own tests ask for that."""

every = pytest.mark.parametrize("algorithm", SERVING)
every_of_records = pytest.mark.parametrize("algorithm", [name for name in SERVING if name not in COUNTING])


@pytest.fixture(scope="module", autouse=True)
def no_report() -> Any:
    """Releases are written without drawing their reports: they are not looked at here, and take longest."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cobogo.tell.report.write.write", lambda *_, **__: None)
        yield


def asked(algorithm: str, *models: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of the models that an algorithm can serve: buckets hide values, and not who is there."""
    if releases_one_table(algorithm):
        return list(models)
    return [m for m in models if m["model"] not in ("k-anonymity", "l-diversity")] + [L]


def written(data: Any, policy: dict[str, Any], place: Path, sensitive: str) -> Found:
    """Release, write, and count what lies in the files."""
    release = cb.anonymize(data, policy)
    assert release.write(place)
    assert cb.verify(place)
    found = counted(place / "public", sensitive)
    assert len(found.rows) == len(data) - (0 if release.plan.star else release.suppressed)
    return found


# --- random tables ----------------------------------------------------------------------------------------------------

PLACES = {"CE": {"Fortaleza": ["Meireles", "Centro"], "Sobral": ["Junco"]}, "PE": {"Recife": ["Olinda", "Pina"]}}
LADDER = {
    "Meireles": ("Fortaleza", "CE"),
    "Centro": ("Fortaleza", "CE"),
    "Junco": ("Sobral", "CE"),
    "Olinda": ("Recife", "PE"),
    "Pina": ("Recife", "PE"),
}
ATTRIBUTES: dict[str, Any] = {
    "place": {"role": "quasi-identifier", "hierarchy": {"tree": PLACES, "top": True}},
    "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10], "top": True}},
    "sex": {"role": "quasi-identifier"},
    "ill": {"role": "sensitive"},
    "label": {"role": "non-sensitive"},
}


def policy(algorithm: str, models: list[dict[str, Any]], limit: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "attributes": {name: {**about, **more.get(name, {})} for name, about in ATTRIBUTES.items()},
        "privacy": {"models": models},
        "recoding": {"algorithm": algorithm, "suppression-limit": limit, "label": "label", "time-limit": 0.3},
    }


def table(rows: list[tuple[str | None, ...]]) -> pa.Table:
    columns = list(zip(*rows, strict=True))
    labels = [("yes", "no")[n % 2] for n in range(len(rows))]
    values = dict(zip(("place", "age", "sex", "ill"), columns, strict=True)) | {"label": labels}
    return pa.table({name: pa.array(column, pa.string()) for name, column in values.items()})


people = st.tuples(
    st.sampled_from([*LADDER, None]),
    st.sampled_from(["20", "21", "25", "33", "39", "40", None]),
    st.sampled_from(["f", "m", None]),
    st.sampled_from(["flu", "flu", "cold", "asthma", None]),
)
one_tuple = st.lists(st.sampled_from(["flu", "cold", None]), min_size=3, max_size=9).map(
    lambda ills: [("Pina", None, "f", ill) for ill in ills]
)
tables = st.lists(people, min_size=1, max_size=25) | st.lists(people, min_size=12, max_size=40) | one_tuple


@every
@settings(
    deadline=None, max_examples=4, phases=(Phase.explicit, Phase.generate), suppress_health_check=list(HealthCheck)
)
@given(rows=tables, models=st.sampled_from([[K], [K, L], [K, T], [K, L, T]]), limit=st.sampled_from([0.0, 0.25]))
def test_random_tables(
    algorithm: str, rows: Any, models: Any, limit: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    models = asked(algorithm, *models)
    before = Counter(row[3] for row in rows)
    try:
        found = written(table(rows), policy(algorithm, models, limit), tmp_path_factory.mktemp("out"), "ill")
    except NoSolution:
        together = Found({"all": len(rows)}, {"all": before}, pd.DataFrame())
        assert broken(models, together, before), "one class of all records would have been a solution"
        return
    assert broken(models, found, before) == []


@every
def test_fewer_records_than_k_are_refused_in_words(algorithm: str, tmp_path: Path) -> None:
    people = table([("Pina", "20", None, "flu"), ("Junco", "33", "f", "flu")])
    with pytest.raises(NoSolution) as refused:
        written(people, policy(algorithm, asked(algorithm, K, L)), tmp_path / "out", "ill")
    assert refused.value.what
    assert refused.value.remedy
    assert not (tmp_path / "out").exists()


@every_of_records
def test_one_distinct_tuple_stays_as_it_is(algorithm: str) -> None:
    people = table([("Pina", "20", None, ill) for ill in ["flu", "cold", "flu", "cold"]])
    rows = cb.anonymize(people, policy(algorithm, asked(algorithm, K, L))).to_arrow()
    assert Counter(zip(*(rows[name].to_pylist() for name in ("place", "age", "sex")), strict=True)) == {
        ("Pina", "20", None): 4
    }


@every
def test_people_are_counted_where_some_have_several_records(algorithm: str, tmp_path: Path) -> None:
    """Twelve people with two records each; or it says that it is for people with one."""
    rows = [(["Junco", "Pina"][n % 2], str(20 + n // 2), "f", ["flu", "cold"][n // 2 % 2]) for n in range(24)]
    data = table(rows).append_column("who", pa.array([str(n // 2) for n in range(24)]))
    rules = policy(algorithm, asked(algorithm, K, L))
    rules |= {"data": {"unit": "who"}, "attributes": {"who": {"role": "identifier"}, **rules["attributes"]}}
    try:
        release = cb.anonymize(data, rules)
    except PolicyError as refused:
        assert "one record for each person" in str(refused)  # noqa: PT017
        return
    assert release.write(tmp_path / "out")
    assert cb.verify(tmp_path / "out")
    assert release.plan.kept.sizes.min() >= 3


# --- the demo's data, and Adult ---------------------------------------------------------------------------------------


@every
def test_the_cases_of_ceara(algorithm: str, tmp_path: Path) -> None:
    cases = ceara.generate(1000)
    attributes: dict[str, Any] = {name: {"role": "non-sensitive"} for name in cases.column_names}
    dates = {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"], "top": True}
    attributes |= {
        "nome": {"role": "identifier"},
        "cpf": {"role": "identifier"},
        "localidade": {"role": "quasi-identifier", "hierarchy": {"path": "/", "top": True}},
        "data_nascimento": {"role": "quasi-identifier", "hierarchy": dates},
        "raca_cor": {"role": "sensitive"},
    }
    models = asked(algorithm, {**K, "k": 4}, {**L, "l": 3}, {**T, "t": 0.35})
    rules = {
        "attributes": attributes,
        "privacy": {"models": models},
        "recoding": {"algorithm": algorithm, "suppression-limit": 0.02, "time-limit": 0.5},
    }
    found = written(cases, rules, tmp_path / "out", "raca_cor")
    assert broken(models, found, Counter(cases["raca_cor"].to_pylist())) == []
    assert not {"nome", "cpf"} & set(found.rows)


ADULT = Path(os.environ.get("COBOGO_ADULT", SHARED / "data" / "adult"))
QUASI = ("sex", "age", "race")


@every
@pytest.mark.evidence
@pytest.mark.skipif(not (ADULT / "adult.csv").is_file(), reason=f"{ADULT} has no adult.csv")
def test_adult(algorithm: str, tmp_path: Path) -> None:
    """A sixth of it: the whole takes some algorithms half a minute."""
    before = read_csv(ADULT / "adult.csv", ";").iloc[::6].reset_index(drop=True)
    files = {name: {"csv": str(ADULT / f"adult_hierarchy_{name}.csv"), "separator": ";"} for name in QUASI}
    attributes = {name: {"role": "identifier"} for name in before.columns}
    attributes |= {name: {"role": "quasi-identifier", "hierarchy": files[name]} for name in QUASI}
    attributes |= {"occupation": {"role": "sensitive"}}
    models = asked(algorithm, {**K, "k": 5}, {**L, "l": 3}, {**T, "t": 0.45})
    rules = {
        "attributes": attributes,
        "privacy": {"models": models},
        "recoding": {"algorithm": algorithm, "suppression-limit": 0.01, "time-limit": 0.5},
    }
    release = cb.anonymize(before, rules)
    assert release.write(tmp_path / "out")
    found = counted(tmp_path / "out" / "public", "occupation")
    assert broken(models, found, Counter(before["occupation"])) == []
    assert len(before) - len(found.rows) == release.suppressed <= 0.01 * len(before)


# --- what a policy says of attributes ---------------------------------------------------------------------------------


@every_of_records
def test_bounds_of_levels_are_kept_to_or_refused(algorithm: str) -> None:
    """The place between its city and its state, the age at least in tens, the sex as it is; each in every record."""
    places = ["Meireles", "Centro", "Junco", "Olinda"]
    rows = [(places[n % 4], str(20 + n % 3), "fm"[n // 12 % 2], ["flu", "cold"][n % 5 % 2]) for n in range(48)]
    bounds = {"place": {"min-level": 1, "max-level": 2}, "age": {"min-level": 1}, "sex": {"max-level": 0}}
    try:
        found = cb.anonymize(table(rows), policy(algorithm, asked(algorithm, K), **bounds)).to_pandas()
    except PolicyError as refused:
        assert "min-level" in str(refused)  # noqa: PT017
        assert "place" in str(refused)  # noqa: PT017
        return
    assert set(found["place"]) <= {label for above in LADDER.values() for label in above}
    assert set(found["age"]) <= {"20-29", "*"}
    assert Counter(found["sex"]) == Counter(row[2] for row in rows)


@every_of_records
def test_an_attribute_that_must_not_change_does_not(algorithm: str) -> None:
    rows = [(place, str(20 + n), "f", ["flu", "cold"][n % 2]) for place in LADDER for n in range(6)]
    bounds = {"place": {"max-level": 0}}
    found = cb.anonymize(table(rows), policy(algorithm, asked(algorithm, K), **bounds)).to_pandas()
    assert Counter(found["place"]) == Counter(row[0] for row in rows)


@every_of_records
@pytest.mark.parametrize("dear", ["a", "b"])
def test_what_weighs_more_is_changed_less(algorithm: str, dear: str) -> None:
    """Of two attributes that are alike but for their weight, the other one is given up: those that begin at random are
    tried four times (they fail it altogether in less than one run in a million)."""
    pairs = [(one, other) for one in "pqrstuvw" for other in "pqrstuvw"]
    data = pa.table({"a": [a for a, _ in pairs], "b": [b for _, b in pairs], "ill": ["flu", "cold"] * 32})
    attributes = {name: {"role": "quasi-identifier", "weight": 50.0 if name == dear else 1.0} for name in "ab"}
    rules = {
        "attributes": {**attributes, "ill": {"role": "sensitive"}},
        "privacy": {"models": asked(algorithm, {**K, "k": 8})},
        "recoding": {"algorithm": algorithm, "time-limit": 0.3},
    }
    kept: Counter[str] = Counter()
    runs = 4 if algorithm in RANDOM else 1
    for _ in range(runs):
        rows = cb.anonymize(data, rules).to_arrow()
        kept += Counter({n: (Counter(rows[n].to_pylist()) & Counter(data[n].to_pylist())).total() for n in "ab"})
    cheap = "b" if dear == "a" else "a"
    assert kept[dear] > kept[cheap] or kept[cheap] == runs * len(pairs)


# --- models beyond classes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [{"model": "delta-presence", "min": 0.1, "max": 0.7}, {"model": "k-map", "k": 8}])
def test_full_domain_algorithms_serve_models_on_a_population(model: dict[str, Any], tmp_path: Path) -> None:
    cities = ["Sobral", "Crato", "Iguatu", "Sobral", "Crato"]
    rows = [f"{20 + n % 17},{cities[n % 5]},{'flu' if n % 3 else 'gout'}" for n in range(120)]
    (tmp_path / "everybody.csv").write_text("\n".join(["age,city,ill", *rows]) + "\n")
    (tmp_path / "some.csv").write_text("\n".join(["age,city,ill", *rows[::2]]) + "\n")
    rules = {
        "data": {"path": "some.csv"},
        "attributes": {
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 20], "top": True}},
            "city": {"role": "quasi-identifier"},
            "ill": {"role": "sensitive"},
        },
        "privacy": {"models": [{**model, "population": "everybody.csv"}, {"model": "k-anonymity", "k": 2}]},
    }
    found = {}
    for algorithm in (name for name in ALGORITHMS if recodings(name) == ("full-domain",)):
        asked = cb.Policy.of(rules | {"recoding": {"algorithm": algorithm}}, home=tmp_path)
        release = cb.anonymize(asked)
        found[algorithm] = release.levels
        assert release.write(tmp_path / "out")
        assert cb.verify(tmp_path / "out", policy=asked)
    assert found["incognito"] == found["ola"] == found["optimal"]

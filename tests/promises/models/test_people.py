"""With ``unit`` the models count people, who may have several records, and not the records."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.errors import DataError, NoSolution, PolicyError
from cobogo.promises.models import Classes, Model, build
from cobogo.promises.models.check import check
from cobogo.promises.models.frequency import AlphaK, BetaLikeness, DeltaDisclosure
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.risk import HighestRisk
from cobogo.promises.models.t_closeness import TCloseness
from support import model_reference as plain
from support import random_tables as tables
from support.effort import examples
from support.model_strategies import STRATEGIES
from support.random_tables import Rows
from support.searches import examine, options, task_of

pytestmark = pytest.mark.slow

some = settings(deadline=None, max_examples=examples(20), suppress_health_check=list(HealthCheck))


def policy(*models: dict[str, Any], limit: float = 0.0, **more: Any) -> dict[str, Any]:
    return {
        "data": {"unit": "person"},
        "attributes": {
            "person": {"role": "identifier"},
            "city": {"role": "quasi-identifier"},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": list(models)},
        "recoding": {"suppression-limit": limit},
        **more,
    }


def visits(*rows: tuple[str | None, str, str]) -> pa.Table:
    """Visits to a clinic: who, from where, with what."""
    names = ("person", "city", "illness")
    return pa.table({name: pa.array([row[n] for row in rows], pa.string()) for n, name in enumerate(names)})


ANA_AND_BIA = visits(
    ("ana", "Sobral", "flu"),
    ("ana", "Sobral", "flu"),
    ("ana", "Sobral", "cold"),
    ("bia", "Sobral", "flu"),
    ("bia", "Sobral", "flu"),
)


def measured(data: pa.Table, *models: dict[str, Any], **more: Any) -> list[float | None]:
    """What models measure of a table in which nothing needs to be recoded."""
    release = cb.anonymize(data, policy(*models, **more))
    return [verdict.measured for verdict in check(release.problem.models, release.problem.table.classes())]


class TestCounting:
    def test_five_records_of_two_people_are_two(self) -> None:
        assert measured(ANA_AND_BIA, {"model": "k-anonymity", "k": 2}) == [2]
        with pytest.raises(NoSolution):
            cb.anonymize(ANA_AND_BIA, policy({"model": "k-anonymity", "k": 3}))
        records = policy({"model": "k-anonymity", "k": 5}) | {"data": {}}
        assert cb.anonymize(ANA_AND_BIA, records).suppressed == 0, "without a unit, they are five"

    def test_risk_is_one_over_the_people(self) -> None:
        assert measured(ANA_AND_BIA, {"model": "highest-risk", "max": 0.5}) == [0.5]
        with pytest.raises(NoSolution):
            cb.anonymize(ANA_AND_BIA, policy({"model": "highest-risk", "max": 0.4}))

    def test_a_value_is_counted_once_a_person(self) -> None:
        """Two have the flu, one of them the cold as well: two values; all have the flu."""
        models = ({"model": "l-diversity", "l": 2}, {"model": "alpha-k-anonymity", "alpha": 1.0, "k": 2})
        assert measured(ANA_AND_BIA, *models) == [2, 1.0]

    def test_one_persons_records_do_not_make_a_class_diverse(self) -> None:
        """Four records with the flu, one with the cold: by records hardly diverse, by people as diverse as can be."""
        data = visits(*[("ana", "Sobral", "flu")] * 4, ("bia", "Sobral", "cold"))
        (entropy,) = measured(data, {"model": "l-diversity", "kind": "entropy", "l": 2})
        assert entropy == pytest.approx(2)
        with pytest.raises(NoSolution):
            cb.anonymize(data, policy({"model": "l-diversity", "kind": "entropy", "l": 2}) | {"data": {}})

    def test_the_whole_table_is_one_of_people_too(self) -> None:
        """In Sobral one of two has the flu, in Crato one of one; of all people two of three, of the records five of
        six."""
        data = visits(
            *[("ana", "Sobral", "flu")] * 4, ("bia", "Sobral", "cold"), ("caio", "Crato", "flu")
        )  # fmt: skip
        release = cb.anonymize(
            data, policy({"model": "t-closeness", "t": 1.0}, {"model": "beta-likeness", "beta": 9.0})
        )
        assert release.levels == {"city": 0}
        closeness, likeness = (model.measure(release.problem.table.classes()) for model in release.problem.models)
        assert sorted(closeness) == pytest.approx([1 / 6, 1 / 3])
        assert sorted(likeness) == pytest.approx([1 / 2, 1 / 2])

    @pytest.mark.parametrize("distance", ["equal", "ordered"])
    def test_a_class_without_what_others_have_is_at_a_distance(self, distance: Any) -> None:
        """Ana, in Crato, has had everything; the three in Sobral have the first illness alone."""
        ana = [("ana", "Crato", str(number)) for number in range(4)]
        data = visits(*ana, *[(who, "Sobral", "0") for who in ("bia", "caio", "davi")])
        release = cb.anonymize(data, policy({"model": "t-closeness", "t": 1.0, "distance": distance}))
        (model,) = release.problem.models
        found = model.measure(release.problem.table.classes())
        assert (found > 0).all()
        assert (found <= 1).all()

    def test_whoever_has_no_name_is_one_person(self) -> None:
        """Not a person for each record: that would make people of gaps in the data."""
        data = visits(*[(None, "Sobral", "flu")] * 4, ("bia", "Sobral", "cold"))
        assert measured(data, {"model": "k-anonymity", "k": 2}) == [2]
        with pytest.raises(NoSolution):
            cb.anonymize(data, policy({"model": "k-anonymity", "k": 3}))

    def test_nobody_has_a_name(self) -> None:
        data = visits(*[(None, "Sobral", "flu")] * 4)
        assert measured(data, {"model": "k-anonymity", "k": 1}) == [1]

    def test_a_person_in_two_classes_is_one_person_where_they_are_one(self) -> None:
        """Two cities with the same two people: together they are two, and not four."""
        data = visits(*[(who, city, "flu") for who in ("ana", "bia") for city in ("Sobral", "Crato")])
        with pytest.raises(NoSolution):
            cb.anonymize(data, policy({"model": "k-anonymity", "k": 3}))
        assert cb.anonymize(data, policy({"model": "k-anonymity", "k": 2})).levels == {"city": 0}

    def test_the_suppression_limit_counts_records(self) -> None:
        """Eight of ten records belong to one person: to suppress them is to suppress 80 %, though a third of the
        people."""
        data = visits(*[("ana", "Crato", "flu")] * 8, ("bia", "Sobral", "flu"), ("caio", "Sobral", "cold"))
        low = policy({"model": "k-anonymity", "k": 2}, limit=0.79)
        assert cb.anonymize(data, low).levels == {"city": 1}
        high = policy({"model": "k-anonymity", "k": 2}, limit=0.8)
        high["attributes"]["city"]["max-level"] = 0
        release = cb.anonymize(data, high)
        assert (release.suppressed, release.levels) == (8, {"city": 0})


class TestSeveralValues:
    """A person may have several values of a sensitive attribute: what is known of the whole table is then no more, and
    no less, than what is known of a class that holds everybody."""

    both = visits(*[(who, "Sobral", what) for who in ("ana", "bia") for what in ("flu", "cold")])

    def classes(self, data: pa.Table) -> Classes:
        return cb.anonymize(data, policy({"model": "k-anonymity", "k": 1})).problem.table.classes()

    @pytest.mark.parametrize(
        "model", [TCloseness("illness", 0.0), BetaLikeness("illness", 0.1), DeltaDisclosure("illness", 0.1)], ids=str
    )
    def test_a_class_with_everybody_tells_nothing_new(self, model: Model) -> None:
        assert check([model], self.classes(self.both))[0].measured == pytest.approx(0)

    def test_two_values_that_everybody_has_are_two_values(self) -> None:
        assert check([LDiversity("illness", 2, "entropy")], self.classes(self.both))[0].satisfied

    def test_a_value_that_everybody_has_is_certain(self) -> None:
        """Each of the two has the flu, whatever else: who knows that somebody is there knows that."""
        assert not check([AlphaK("illness", 0.9, 1)], self.classes(self.both))[0].satisfied


# --- the search -------------------------------------------------------------------------------------------------

GROWING = [
    ("k-anonymity", ""), ("l-diversity", "distinct"), ("highest-risk", ""), ("p-sensitive-k-anonymity", ""),
    ("k-e-anonymity", ""),
]  # fmt: skip
SHARES = [
    ("l-diversity", "entropy"), ("l-diversity", "recursive"), ("t-closeness", "equal"), ("t-closeness", "ordered"),
    ("t-closeness", "hierarchical"), ("alpha-k-anonymity", "any value"), ("beta-likeness", "basic"),
    ("beta-likeness", "enhanced"), ("delta-disclosure", ""), ("t-corruption", ""), ("epsilon-m-anonymity", "absolute"),
    ("average-risk", ""),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind"), GROWING, ids=lambda part: part or "-")
@some
@given(rows=tables.any_table(), chosen=options, data=st.data())
def test_the_search_counts_people_as_an_exhaustive_one_does(
    name: str, kind: str, rows: Rows, chosen: dict[str, str], data: st.DataObject
) -> None:
    rows = replace(rows, others=())
    models = [data.draw(STRATEGIES[name][kind].models), KAnonymity(data.draw(st.integers(1, 3)))]
    examine(rows, models, task_of(rows, models, people=True, **chosen))


@pytest.mark.parametrize(("name", "kind"), SHARES, ids=lambda part: part or "-")
@some
@given(rows=tables.tables(one_value=True), chosen=options, data=st.data())
def test_so_it_does_where_shares_matter(
    name: str, kind: str, rows: Rows, chosen: dict[str, str], data: st.DataObject
) -> None:
    rows = replace(rows, others=())
    models = [data.draw(STRATEGIES[name][kind].models)]
    examine(rows, models, task_of(rows, models, people=True, **chosen))


OVERLAP = Rows(
    1,
    (("a1",), ("a1",), ("a2",), ("a2",)),
    {"s": ("x", "y", "x", "y"), "n": ("1", "2", "1", "2"), "h": ("p", "r", "p", "r"), "g": (None,) * 4},
    ("ana", "bia", "ana", "caio"),
)
"""Ana, who has x, is in both classes; of the three people, two have y."""


@pytest.mark.parametrize(
    "model",
    [AlphaK("s", 0.5, 2), LDiversity("s", 2, "entropy"), LDiversity("s", 1, "recursive", c=0.6)],
    ids=str,
)
def test_classes_that_share_people_are_no_parts_of_a_whole(model: Model) -> None:
    """Each city is half x; both together are a third. What is true of the parts need not be true of the whole, so a
    failing node rules out nothing below it."""
    task = task_of(OVERLAP, [model], people=True)
    assert [node.levels for node in plain.solutions(task)] == [(0,)]
    examine(OVERLAP, [model], task)


def test_an_average_over_classes_that_share_people_may_rise() -> None:
    """Six people in two classes of the same three, and one alone: 3/7; merged, 2/4."""
    rows = Rows(
        1,
        (("a1",),) * 3 + (("a2",),) * 3 + (("a3",),),
        dict.fromkeys(tables.SENSITIVE, (None,) * 7),
        ("ana", "bia", "caio") * 2 + ("davi",),
    )
    (model,) = build([{"model": "average-risk", "max": 3 / 7}], [])
    task = task_of(rows, [model], people=True)
    assert (0,) in [node.levels for node in plain.solutions(task)]
    examine(rows, [model], task)


# --- release and verification -----------------------------------------------------------------------------------

CLINIC = visits(
    *[(f"s{number}", "Sobral", "flu" if number < 3 else "cold") for number in range(6)] * 2,
    *[(f"c{number}", "Crato", ["flu", "cold", "asthma"][number % 3]) for number in range(6)] * 3,
    *[("t0", "Tauá", "flu")] * 4,
)
CLINIC_POLICY = policy(
    {"model": "k-anonymity", "k": 6},
    {"model": "l-diversity", "l": 2},
    {"model": "l-diversity", "kind": "entropy", "l": 2},
    {"model": "t-closeness", "t": 0.4},
    {"model": "highest-risk", "max": 0.17},
    limit=0.2,
)


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("people") / "out"
    release = cb.anonymize(CLINIC, CLINIC_POLICY)
    assert release.levels == {"city": 0}
    assert release.suppressed == 4, "Tauá has four records of one person"
    assert release.write(directory)
    return directory


@pytest.fixture
def out(released: Path, tmp_path: Path) -> Path:
    """A copy to be spoiled."""
    return Path(shutil.copytree(released, tmp_path / "out"))


def change_evidence(out: Path, change: Callable[[dict[str, Any]], None]) -> None:
    file = out / "evidence/evidence.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    change(content)
    file.write_text(json.dumps(content), encoding="utf-8")


class TestVerification:
    def test_the_release_verifies_with_its_evidence(self, out: Path) -> None:
        verdict = cb.verify(out)
        assert verdict
        closeness = 1 / 3 - 2 / 13  # of the six in Crato two have asthma, of the thirteen people no more
        assert [found.measured for found in verdict.models] == pytest.approx([6, 2, 2, closeness, 1 / 6])
        assert verdict.notes == ()
        manifest = json.loads((out / "public/manifest.json").read_text(encoding="utf-8"))
        told = {entry["model"]: entry["measured"] for entry in manifest["models"] if "measured" in entry}
        assert told == {"l-diversity": 2}, "what does not follow from records is not told"

    def test_people_are_not_in_what_is_given_away(self, out: Path) -> None:
        for file in (out / "public").iterdir():
            text = file.read_text(encoding="utf-8")
            assert "s0" not in text
            assert '"person"' not in text
        assert (out / "public/release.csv").read_text(encoding="utf-8").startswith("city,illness\n")

    def test_in_public_records_were_counted_and_it_says_so(self, out: Path) -> None:
        """Nobody can tell people apart there: more records than people, so k looks larger than it is."""
        verdict = cb.verify(out / "public")
        assert verdict
        assert any("records were counted" in note for note in verdict.notes)
        assert verdict.models[0].measured == 12

    def test_without_the_evidence_too(self, out: Path) -> None:
        shutil.rmtree(out / "evidence")
        assert any("records were counted" in note for note in cb.verify(out).notes)

    def test_the_report_counts_people(self, out: Path) -> None:
        report = json.loads((out / "evidence/report.json").read_text(encoding="utf-8"))
        assert report["risk"]["after"]["highest"] == pytest.approx(1 / 6)
        assert report["risk"]["before"]["highest"] == 1
        assert report["records"] == CLINIC.num_rows
        assert report["suppressed"] == 4

    def test_a_starred_class_counts_people_too(self, tmp_path: Path) -> None:
        """Three records of one person, starred, are a class of one: they are dropped."""
        data = visits(*[("ana", "Crato", "flu")] * 3, *[(f"s{number}", "Sobral", "cold") for number in range(3)])
        wanted = policy({"model": "k-anonymity", "k": 2}, limit=0.5, output={"suppressed": "star"})
        wanted["attributes"]["city"]["max-level"] = 0
        release = cb.anonymize(data, wanted)
        assert len(release.warnings) == 1
        assert release.plan.records == 3
        assert release.write(tmp_path / "out")
        assert cb.verify(tmp_path / "out")


class TestTampering:
    """The evidence tells people apart, so whoever changes it changes what is measured."""

    def test_fewer_people(self, out: Path) -> None:
        def change(content: dict[str, Any]) -> None:
            content["people"]["sizes"][0] = 1

        change_evidence(out, change)
        assert not cb.verify(out)

    def test_more_people_than_records(self, out: Path) -> None:
        def change(content: dict[str, Any]) -> None:
            content["people"]["sizes"][0] = 1000

        change_evidence(out, change)
        verdict = cb.verify(out)
        assert not verdict
        assert any("people" in problem for problem in verdict.problems)

    def test_more_people_than_there_were(self, out: Path) -> None:
        """As many as there are records: k is then 12 where the manifest says 6."""

        def change(content: dict[str, Any]) -> None:
            content["people"]["sizes"] = [18, 12]

        change_evidence(out, change)
        assert not cb.verify(out)

    def test_another_distribution_of_the_whole_table(self, out: Path) -> None:
        def change(content: dict[str, Any]) -> None:
            content["reference"]["illness"]["total"] = [1, 1, 1]

        change_evidence(out, change)
        assert not cb.verify(out)

    def test_other_classes(self, out: Path) -> None:
        def change(content: dict[str, Any]) -> None:
            content["people"]["sizes"].append(6)

        change_evidence(out, change)
        assert not cb.verify(out)

    def test_no_people_at_all(self, out: Path) -> None:
        """The manifest says that people were counted."""

        def change(content: dict[str, Any]) -> None:
            content["people"] = None

        change_evidence(out, change)
        verdict = cb.verify(out)
        assert not verdict or any("records were counted" in note for note in verdict.notes)

    def test_a_file_that_is_no_file(self, out: Path) -> None:
        (out / "evidence/evidence.json").write_text("{", encoding="utf-8")
        assert not cb.verify(out)

    def test_numbers_that_are_none(self, out: Path) -> None:
        def change(content: dict[str, Any]) -> None:
            content["people"]["sizes"] = "many"

        change_evidence(out, change)
        assert not cb.verify(out)

    def test_a_report_with_another_number(self, out: Path) -> None:
        report = out / "evidence/report.json"
        report.write_text(report.read_text(encoding="utf-8").replace("0.16", "0.06"), encoding="utf-8")
        assert not cb.verify(out)


# --- what does not go together ----------------------------------------------------------------------------------


@pytest.mark.parametrize("named", [True, False])
def test_a_population_has_one_record_for_each_person(tmp_path: Path, named: bool) -> None:
    """Two people of Sobral's three, with four records; and one of Crato's two."""
    data = visits(*[("ana", "Sobral", "flu")] * 3, ("bia", "Sobral", "cold"), *[("caio", "Crato", "flu")] * 2)
    everybody = ["ana,Sobral", "bia,Sobral", "eva,Sobral", "caio,Crato", "ivo,Crato", "rui,Ipu"]
    lines = ["person,city", *everybody] if named else ["city", *(line.split(",")[1] for line in everybody)]
    (tmp_path / "everybody.csv").write_text("\n".join(lines) + "\n")
    models = [
        {"model": "delta-presence", "max": 0.7, "population": str(tmp_path / "everybody.csv")},
        {"model": "k-map", "k": 2, "population": str(tmp_path / "everybody.csv")},
    ]
    release = cb.anonymize(data, policy(*models))
    assert release.levels == {"city": 0}
    release.write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out")
    assert verdict
    assert [found.measured for found in verdict.models] == pytest.approx([2 / 3, 2])
    strict = policy({**models[0], "max": 0.6})
    assert cb.anonymize(data, strict).levels == {"city": 1}, "half of all six"
    if named:
        (tmp_path / "everybody.csv").write_text("\n".join([*lines, "eva,Crato"]) + "\n")
        with pytest.raises(DataError, match="several records in the population"):
            cb.anonymize(data, policy(*models))
    (tmp_path / "everybody.csv").write_text("\n".join([lines[0], *lines[3:]]) + "\n")
    with pytest.raises(DataError, match="does not have 1 person of the data"):
        cb.anonymize(data, policy(models[1]))


def test_an_estimate_of_the_population_counts_people_throughout() -> None:
    """Four people of eighteen, with eighteen records: a sample of four, of whom three are enough."""
    data = visits(*[("ana", "Sobral", "flu")] * 8, *[("bia", "Sobral", "flu")] * 7,
                  ("caio", "Sobral", "cold"), *[("davi", "Crato", "flu")] * 2)  # fmt: skip
    model = {"model": "k-map", "k": 4, "population-size": 18, "significance": 0.2}
    assert cb.anonymize(data, policy(model, limit=0.2)).levels == {"city": 0}


def test_with_one_record_each_people_are_the_records(tmp_path: Path) -> None:
    """Models that know no people with several records work; whether people have several is not told in public."""
    data = visits(*[(f"p{n}", "Sobral" if n % 2 else "Crato", "flu" if n % 3 else "cold") for n in range(8)])
    models = [
        {"model": "k-anonymity", "k": 4}, {"model": "injector", "l": 1, "min-support": 2},
        {"model": "b-t-privacy", "b": 0.5, "t": 1.0},
    ]  # fmt: skip
    cb.anonymize(data, policy(*models[:1])).write(tmp_path / "out")
    verdict = cb.verify(tmp_path / "out" / "public")
    assert verdict
    assert verdict.undecided == verdict.models
    assert cb.anonymize(data, policy(*models)).suppressed == 0
    with pytest.raises(PolicyError, match="some people have several"):
        cb.anonymize(pa.concat_tables([data, data]), policy(*models))


def test_a_unit_that_is_no_column_is_refused_in_words() -> None:
    wanted = policy({"model": "k-anonymity", "k": 1}) | {"data": {"unit": "patient"}}
    with pytest.raises(PolicyError, match="patient"):
        cb.anonymize(ANA_AND_BIA, wanted)


@pytest.mark.parametrize("role", ["non-sensitive", "sensitive"])
def test_a_unit_that_would_be_released_is_refused(role: str) -> None:
    """Whoever sees who is who can join a person's records over all classes, and k is worth nothing."""
    wanted = policy({"model": "k-anonymity", "k": 2})
    wanted["attributes"]["person"] = {"role": role}
    with pytest.raises(PolicyError, match="person"):
        cb.anonymize(ANA_AND_BIA, wanted)


@pytest.mark.parametrize("name", ["b-t-privacy", "injector"])
def test_models_about_people_with_one_record_each_are_refused(name: str) -> None:
    easy = next(iter(STRATEGIES[name].values())).easy or {}
    with pytest.raises(PolicyError, match="unit"):
        cb.anonymize(ANA_AND_BIA, policy({"model": name, **easy}))


def test_a_policy_that_protects_more_than_the_release_does(tmp_path: Path) -> None:
    """The people behind another column's values are not in the evidence: said, and not passed over."""
    data = CLINIC.append_column("ward", pa.array(["one"] * CLINIC.num_rows))
    first = policy({"model": "k-anonymity", "k": 6}, limit=0.2)
    first["attributes"]["ward"] = {"role": "non-sensitive"}
    cb.anonymize(data, first).write(tmp_path / "out")
    second = policy({"model": "l-diversity", "attribute": "ward", "l": 2})
    second["attributes"]["ward"] = {"role": "sensitive"}
    verdict = cb.verify(tmp_path / "out", policy=second)
    assert not verdict
    assert any("ward" in problem for problem in verdict.problems)


def test_sizes_are_whole_numbers_of_people() -> None:
    classes = tables.counted(
        Rows(1, (("a1",),) * 5, dict.fromkeys(tables.SENSITIVE, (None,) * 5), ("ana", "ana", None, None, "bia")),
        people=True,
    ).classes()
    assert classes.sizes.tolist() == [3]
    assert np.issubdtype(classes.sizes.dtype, np.integer)
    assert not check([HighestRisk(0.3)], classes)[0].satisfied

"""Releases that follow one another: what the registry refuses, what it lets pass, and what each mode does."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.policy import Policy
from cobogo.errors import Exposed, NoSolution, PolicyError, RegistryError
from cobogo.publish.recoding import check_against_earlier
from cobogo.publish.registry import store
from cobogo.publish.registry.book import open_book
from cobogo.publish.registry.check import history
from cobogo.publish.registry.structure import RecordedRelease
from support.effort import examples

pytestmark = pytest.mark.slow

Row = tuple[str, str, str, str]
COLUMNS = ("who", "age", "zip", "illness")


def table(rows: Sequence[Row]) -> pa.Table:
    return pa.table({name: [row[place] for row in rows] for place, name in enumerate(COLUMNS)})


def policy(home: Path, k: int = 2, unit: bool = True, **registry: Any) -> dict[str, Any]:
    return {
        "data": {"unit": "who"} if unit else {},
        "attributes": {
            "who": {"role": "identifier"},
            "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [10, 100]}},
            "zip": {"role": "quasi-identifier", "hierarchy": {"mask": "right"}},
            "illness": {"role": "sensitive"},
        },
        "privacy": {"models": [{"model": "k-anonymity", "k": k}]},
        "registry": {"path": str(home / "registry.db"), "dataset": "clinic", **registry},
    }


def levels(rules: dict[str, Any], **wanted: int) -> dict[str, Any]:
    """The same policy with its levels given."""
    rules = copy.deepcopy(rules)
    for name, level in wanted.items():
        rules["attributes"][name] |= {"min-level": level, "max-level": level}
    return rules


@pytest.fixture
def home(tmp_path: Path) -> Path:
    store.create(str(tmp_path / "registry.db"), None).close()
    return tmp_path


def record(release: cb.Release) -> str:
    """Enter a release as writing it does, without the files."""
    assert release.book is not None
    identity = release.book.enter(release, None, "", Path("nowhere"))
    release.book.finish(identity)
    return identity


def entries(home: Path) -> list[store.RegistryEntry]:
    with store.open_registry(str(home / "registry.db"), None).transaction() as book:
        return book.entries()


FIRST: list[Row] = [
    ("ann", "21", "11", "flu"), ("bob", "24", "11", "cough"), ("cas", "25", "12", "ulcer"), ("dan", "28", "12", "flu"),
    ("eve", "31", "11", "fever"), ("fay", "33", "11", "gout"), ("gil", "35", "12", "flu"), ("hal", "38", "12", "rash"),
]  # fmt: skip


def test_a_first_release_is_recorded(home: Path) -> None:
    release = cb.anonymize(table(FIRST), policy(home))
    assert release.write(home / "out")
    (entry,) = entries(home)
    assert (entry.id, entry.state, entry.summary["records"]) == ("clinic-1", store.RELEASED, 8)
    assert entry.summary["plan"] == {"kind": "full-domain", "levels": release.levels, "star": False}
    assert release.registered == "clinic-1"
    assert cb.verify(home / "out")


CROSSED: list[Row] = [
    (f"{age}/{place}", age, place, illness)
    for (age, place), illness in zip(
        itertools.product(("21", "22", "31", "32"), ("11", "12")),
        ("flu", "cough", "gout", "rash", "fever", "ulcer", "flu", "gout"),
        strict=True,
    )
]
"""Two for each decade and place, and two for each year: one for both together."""


def test_complementary_levels_are_refused_and_nothing_is_written(home: Path) -> None:
    cb.anonymize(table(CROSSED), levels(policy(home), age=1, zip=0)).write(home / "1")
    release = cb.anonymize(table(CROSSED), levels(policy(home), age=0, zip=1))
    with pytest.raises(Exposed, match=r"complementary with clinic-1: exposes 8 people \(in both releases\)") as refused:
        release.write(home / "2")
    assert refused.value.exit_code == 1
    assert "registry.base" in str(refused.value)
    assert not (home / "2").exists()
    assert [entry.id for entry in entries(home)] == ["clinic-1"]
    assert sorted(path.name for path in home.iterdir()) == ["1", "registry.db", "registry.db.key"]


def test_the_same_release_is_recorded_once_and_a_coarser_one_beside_it(home: Path) -> None:
    ids = [record(cb.anonymize(table(FIRST), levels(policy(home), age=1, zip=0))) for _ in range(2)]
    coarser = cb.anonymize(table(FIRST), levels(policy(home), age=2, zip=1))
    assert [*ids, record(coarser)] == ["clinic-1", "clinic-1", "clinic-2"]


@pytest.mark.parametrize("algorithm", ["optimal", "mondrian"])
def test_base_previous_keeps_to_what_was_released(home: Path, algorithm: str) -> None:
    first = levels(policy(home), zip=0) | {"recoding": {"algorithm": algorithm}}
    record(cb.anonymize(table(CROSSED), first))
    free = policy(home)
    free["attributes"]["age"]["max-level"] = 0
    with pytest.raises(Exposed, match="complementary"):
        record(cb.anonymize(table(CROSSED), free))
    with pytest.raises(PolicyError, match="must be at level 1 or above"):
        cb.anonymize(table(CROSSED), free | {"registry": policy(home, base="previous")["registry"]})
    based = cb.anonymize(table(CROSSED), levels(policy(home, base="previous"), zip=1))
    assert based.levels == {"age": 1, "zip": 1}
    record(based)


def test_base_previous_binds_an_attribute_that_was_released_at_its_top(home: Path) -> None:
    """The top of a hierarchy looks like a star, and is one: nothing below it was told."""
    rules = policy(home)
    rules["attributes"]["zip"] = {"role": "quasi-identifier"}
    assert cb.anonymize(table(CROSSED), levels(rules, age=0, zip=1)).levels == {"age": 0, "zip": 1}
    record(cb.anonymize(table(CROSSED), levels(rules, age=0, zip=1)))
    rules["registry"]["base"] = "previous"
    based = cb.anonymize(table(CROSSED), levels(rules, age=1))
    assert based.levels == {"age": 1, "zip": 1}
    record(based)


def test_the_crossing_of_three_releases(home: Path) -> None:
    """Any two of them leave everybody with another; the three together leave everybody alone."""
    names = ("one", "two", "three")
    columns = {"who": [str(n) for n in range(8)], "illness": ["flu"] * 8}
    columns |= {name: ["ab"[n >> bit & 1] for n in range(8)] for bit, name in enumerate(names)}

    def showing(shown: str) -> cb.Release:
        rules = policy(home)
        rules["attributes"] = {"who": {"role": "identifier"}, "illness": {"role": "sensitive"}}
        rules["attributes"] |= {name: {"role": "quasi-identifier"} for name in names}
        return cb.anonymize(pa.table(columns), levels(rules, **{name: int(name != shown) for name in names}))

    record(showing("one"))
    record(showing("two"))
    with pytest.raises(Exposed, match="complementary with clinic-1, clinic-2: exposes 8 people"):
        record(showing("three"))


NEW: list[Row] = [("ida", "29", "12", "fever"), ("jon", "27", "12", "cough")]
MODES = [None, "previous", "quasi-identifiers"]


@pytest.mark.parametrize("base", MODES)
@pytest.mark.parametrize("leaving", [False, True])
def test_differencing_is_checked_in_every_mode(home: Path, base: str | None, leaving: bool) -> None:
    """One who comes to a class, or leaves it, is refused; two pass."""
    rules = levels(policy(home, **({} if base is None else {"base": base})), age=1, zip=1)
    if base == "quasi-identifiers":
        rules["attributes"]["illness"]["hierarchy"] = {"tree": {"any": sorted({row[3] for row in FIRST + NEW})}}
    grown = [FIRST + NEW, FIRST + NEW[:1], FIRST]
    several = grown[::-1] if not leaving else grown
    record(cb.anonymize(table(several[0]), rules))
    with pytest.raises(
        Exposed, match=r"differencing with clinic-1: exposes 1 person \(who " + ("left" if leaving else "joined")
    ):
        record(cb.anonymize(table(several[1]), rules))
    record(cb.anonymize(table(several[2]), rules))
    assert [entry.id for entry in entries(home)] == ["clinic-1", "clinic-2"]


def test_what_differs_must_satisfy_the_other_models_too(home: Path) -> None:
    """Two come to a class, both with one illness: their number will do, and their diversity will not."""
    rules = levels(policy(home), age=1, zip=1)
    rules["privacy"]["models"].append({"model": "l-diversity", "l": 2})
    record(cb.anonymize(table(FIRST), rules))
    alike = [(who, age, place, "gout") for who, age, place, _ in NEW]
    with pytest.raises(Exposed, match=r"differencing .* broken: l-diversity \(illness, l = 2\)"):
        record(cb.anonymize(table(FIRST + alike), rules))
    record(cb.anonymize(table(FIRST + NEW), rules))


def test_without_a_unit_records_are_told_by_all_that_was_read(home: Path) -> None:
    rules = levels(policy(home, unit=False), age=1, zip=1)
    twins = [*FIRST, FIRST[0], FIRST[0]]
    record(cb.anonymize(table(FIRST), rules))
    record(cb.anonymize(table(twins), rules))
    with pytest.raises(Exposed, match=r"differencing with clinic-2: exposes 1 person \(who left"):
        record(cb.anonymize(table(twins[:-1]), rules))


def test_earlier_attributes_as_quasi_identifiers(home: Path) -> None:
    record(cb.anonymize(table(FIRST), levels(policy(home), age=1, zip=1)))
    release = cb.anonymize(table(FIRST), policy(home, base="quasi-identifiers"))
    assert release.policy.quasi_identifiers == ("age", "zip", "illness")
    found = Counter(tuple(row.values()) for row in release.to_arrow().to_pylist())
    assert min(found.values()) >= 2
    release.write(home / "2")
    rules = policy(home, base="quasi-identifiers")
    rules["privacy"]["models"].append({"model": "l-diversity", "l": 2})
    with pytest.raises(PolicyError, match="are now quasi-identifiers"):
        cb.anonymize(table(FIRST), rules)


def test_m_invariance_goes_on_with_the_registered_series(home: Path) -> None:
    def rules() -> dict[str, Any]:
        given = levels(policy(home, base="m-invariance"), age=2, zip=0)
        return given | {"privacy": {"models": [{"model": "m-invariance", "m": 2}]}}

    first = [("ann", "21", "11", "flu"), ("bob", "24", "11", "cough"), ("cas", "25", "12", "ulcer"),
             ("dan", "28", "12", "rash")]  # fmt: skip
    cb.anonymize(table(first), rules()).write(home / "1")
    kept = [("ann", "21", "11", "flu"), ("kim", "24", "11", "cough"), *first[2:]]
    second = cb.anonymize(table(kept), rules())
    second.write(home / "2")
    assert cb.verify(home / "2"), "the series is found again in the registry"
    assert "registry:" not in (home / "2/public/manifest.json").read_text()
    other = [("ann", "21", "11", "flu"), ("kim", "24", "11", "fever"), *first[2:]]
    with pytest.raises(NoSolution):
        cb.anonymize(table(other), rules())
    with pytest.raises(PolicyError, match="does not ask for the model m-invariance"):
        cb.anonymize(table(first), policy(home, base="m-invariance"))


def test_a_series_with_counterfeits_is_registered_and_its_history_counts_people(home: Path) -> None:
    """The cough dies out; the book keeps the counterfeit that has it, and history does not take it for a person."""
    rules = policy(home, base="m-invariance") | {
        "privacy": {"models": [{"model": "m-invariance", "m": 2}]},
        "recoding": {"algorithm": "counterfeits"},
    }
    first = [("ann", "21", "11", "flu"), ("bob", "24", "11", "cough"), ("cas", "25", "12", "ulcer"),
             ("dan", "28", "12", "rash")]  # fmt: skip
    cb.anonymize(table(first), rules).write(home / "1")
    later = [row for row in first if row[0] != "bob"]
    release = cb.anonymize(table([*later, ("kim", "24", "11", "ulcer"), ("lea", "24", "11", "rash")]), rules)
    assert release.plan.counterfeits == 1
    check_against_earlier(release)
    release.write(home / "2")
    assert cb.verify(home / "2")
    one, two = entries(home)
    assert (one.summary["counterfeits"], two.summary["counterfeits"]) == (0, 1)
    with store.open_registry(str(home / "registry.db"), None).transaction() as book:
        chapter = history(book, "clinic")[1]
    assert (chapter.stayed, chapter.came, chapter.left, chapter.breaches) == (3, 2, 1, ())


def test_a_release_that_breaks_the_series_is_found_by_intersection(home: Path) -> None:
    """Two releases of one series in which ann's groups share one value only: the check does not take it on trust."""
    rules = policy(home, base="m-invariance") | {
        "privacy": {"models": [{"model": "m-invariance", "m": 2}]},
        "recoding": {"algorithm": "counterfeits"},
    }
    first = [("ann", "21", "11", "flu"), ("bob", "24", "11", "cough")]
    one = cb.anonymize(table(first), rules)
    one.write(home / "1")
    other = cb.anonymize(table([first[0], ("kim", "24", "11", "rash")]), rules | {"registry": policy(home)["registry"]})
    other.transformation.series = one.transformation.series
    book = open_book(Policy.of(rules, home=home))
    assert book is not None
    (breach,) = book.breaches(other)
    assert (breach.attack, breach.people) == ("intersection", 1)


def test_a_release_that_cannot_be_put_in_place_is_not_recorded(home: Path) -> None:
    (home / "mine").mkdir()
    (home / "mine" / "thesis.doc").write_text("precious")
    with pytest.raises(cb.CobogoError):
        cb.anonymize(table(FIRST), policy(home)).write(home / "mine")
    release = cb.anonymize(table(FIRST), policy(home))
    entered = open_book(release.policy)
    assert entered is not None
    assert entries(home) == []


def test_registries_that_cannot_be_used_are_errors_before_any_work(home: Path, tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match="there is no registry"):
        cb.anonymize(table(FIRST), policy(home, path=str(tmp_path / "none.db")))
    with pytest.raises(RegistryError, match="is not a valid name of a data set"):
        cb.anonymize(table(FIRST), policy(home, dataset="a/b"))


people = st.dictionaries(
    st.integers(0, 14), st.tuples(st.sampled_from(["21", "24", "31"]), st.sampled_from(["11", "12"])), min_size=4
)


@settings(deadline=None, max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])
@given(before=people, after=people, first=st.tuples(*[st.integers(0, 2)] * 2), then=st.tuples(*[st.integers(0, 2)] * 2))
def test_what_is_refused_against_a_plain_count(
    tmp_path_factory: pytest.TempPathFactory,
    before: dict[int, tuple[str, str]],
    after: dict[int, tuple[str, str]],
    first: tuple[int, int],
    then: tuple[int, int],
) -> None:
    """k = 2, everybody with the same illness: what counts is who is alone among those in both, who came, who left."""
    home = tmp_path_factory.mktemp("home")
    store.create(str(home / "registry.db"), None).close()
    after = {who: before.get(who, values) for who, values in after.items()}

    def shown(values: tuple[str, str], at: tuple[int, int]) -> tuple[Any, Any]:
        age, place = values
        return (age, int(age) // 10, 0)[at[0]], place[: 2 - at[1]]

    def released(given: dict[int, tuple[str, str]], at: tuple[int, int]) -> dict[int, tuple[Any, Any]]:
        sizes = Counter(shown(values, at) for values in given.values())
        return {who: shown(values, at) for who, values in given.items() if sizes[shown(values, at)] > 1}

    def write(given: dict[int, tuple[str, str]], at: tuple[int, int]) -> None:
        rules = levels(policy(home), age=at[0], zip=at[1]) | {"recoding": {"suppression-limit": 1.0}}
        rows = [(str(who), *values, "flu") for who, values in given.items()]
        random.Random(len(rows)).shuffle(rows)
        record(cb.anonymize(table(rows), rules))

    one, other = released(before, first), released(after, then)
    if not one or not other:
        return
    write(before, first)
    finer = (min(first[0], then[0]), min(first[1], then[1]))
    both = {who: shown(before[who], finer) for who in one.keys() & other.keys()}
    groups = [both, {who: other[who] for who in other.keys() - one.keys()}]
    groups.append({who: one[who] for who in one.keys() - other.keys()})
    wholes = [Counter(one.values()), Counter(other.values()), Counter(one.values())]
    alone = [who for group in groups for who, value in group.items() if Counter(group.values())[value] == 1]
    assert all(size > 1 for whole in wholes for size in whole.values())
    if alone:
        with pytest.raises(Exposed):
            write(after, then)
    else:
        write(after, then)


def test_every_engine_tells_the_same_records(home: Path, engine_url: str) -> None:
    rules = levels(policy(home), age=1, zip=1)
    record(cb.anonymize(table(FIRST), rules))
    local = rules | {"recoding": {"algorithm": "local"}}
    release = cb.anonymize(table(list(reversed(FIRST))), rules, engine=engine_url)
    assert record(release) == "clinic-1", "recorded once"
    assert release.table.engine.fetch(release.rows()).num_rows == 8
    with pytest.raises(Exposed, match=r"1 person \(who joined"):
        record(cb.anonymize(table(FIRST + NEW[:1]), local, engine=engine_url))


def test_withheld_values_are_refused(home: Path) -> None:
    rules = policy(home) | {"recoding": {"suppress": "sensitive"}}
    with pytest.raises(PolicyError, match="this release withholds some"):
        cb.anonymize(table(FIRST), rules)


def test_a_structure_is_read_back_as_it_was(home: Path) -> None:
    record(cb.anonymize(table(FIRST), policy(home) | {"recoding": {"algorithm": "mondrian"}}))
    with store.open_registry(str(home / "registry.db"), None).transaction() as book:
        content = book.structure("clinic-1")
    kept = RecordedRelease.from_bytes(content)
    assert kept.to_bytes() == content
    assert kept.classes.sizes.tolist() == [2, 2, 2, 2]
    assert kept.columns == {"age": "quasi-identifier", "zip": "quasi-identifier", "illness": "sensitive"}


def otherwise(rows: Sequence[Row], how: str) -> pa.Table:
    """The same records, read from a file that is written in another way."""
    found = table(rows)
    if how == "columns in another order":
        return found.select(list(reversed(COLUMNS)))
    if how == "one constant column more":
        return found.append_column("source", pa.array(["x"] * len(rows)))
    texts = [f"{row[3]} " if how == "a trailing space" else row[3].upper() for row in rows]
    return found.set_column(3, "illness", pa.array(texts))


@pytest.mark.parametrize(
    "how", ["columns in another order", "one constant column more", "a trailing space", "capital letters"]
)
def test_another_way_of_writing_the_same_records_is_no_way_around(home: Path, how: str) -> None:
    """Without a unit a record is told by all that was read of it: by the columns that both have, in any writing."""
    rules = levels(policy(home, unit=False), age=1, zip=0)
    record(cb.anonymize(table(CROSSED), rules))
    later = copy.deepcopy(levels(policy(home, unit=False), age=0, zip=1))
    if how == "one constant column more":
        later["attributes"]["source"] = {"role": "non-sensitive"}
    with pytest.raises(Exposed, match=r"complementary with clinic-1: exposes 8 people \(in both releases\)"):
        record(cb.anonymize(otherwise(CROSSED, how), later))


def test_a_column_that_is_no_longer_there_does_not_hide_anybody(home: Path) -> None:
    rules = levels(policy(home, unit=False), age=1, zip=0)
    rules["attributes"]["source"] = {"role": "non-sensitive"}
    record(cb.anonymize(otherwise(CROSSED, "one constant column more"), rules))
    with pytest.raises(Exposed, match="complementary with clinic-1: exposes 8 people"):
        record(cb.anonymize(table(CROSSED), levels(policy(home, unit=False), age=0, zip=1)))


def test_a_unit_with_a_trailing_space_is_the_same_person(home: Path) -> None:
    record(cb.anonymize(table(CROSSED), levels(policy(home), age=1, zip=0)))
    spaced: list[Row] = [(f" {who.upper()} ", *rest) for who, *rest in CROSSED]  # type: ignore[misc]
    with pytest.raises(Exposed, match="complementary with clinic-1: exposes 8 people"):
        record(cb.anonymize(table(spaced), levels(policy(home), age=0, zip=1)))


@pytest.mark.parametrize("unit", [True, False])
def test_a_sensitive_value_that_changed_is_seen(home: Path, unit: bool) -> None:
    """The two files differ in one row: the new diagnosis, and whose it is."""
    rules = levels(policy(home, unit=unit), age=2, zip=2)
    record(cb.anonymize(table(FIRST), rules))
    changed = [("ann", "21", "11", "hiv"), *FIRST[1:]]
    with pytest.raises(Exposed, match=r"differencing with clinic-1: exposes 1 person \(who joined or changed\);"):
        record(cb.anonymize(table(changed), rules))
    everybody = [(who, age, place, f"{ill} again") for who, age, place, ill in FIRST]
    assert record(cb.anonymize(table(everybody), rules)) == "clinic-2", "eight changes at once point at nobody"


def test_releases_of_one_data_set_that_share_nobody_are_warned_of(home: Path) -> None:
    """Every name is another: no record is told again, and what both releases show would isolate them."""
    cb.anonymize(table(CROSSED), levels(policy(home), age=1, zip=0)).write(home / "1")
    renamed: list[Row] = [(f"person {n}", *row[1:]) for n, row in enumerate(CROSSED)]  # type: ignore[misc]
    release = cb.anonymize(table(renamed), levels(policy(home), age=0, zip=1))
    check_against_earlier(release)
    (early,) = release.warnings
    release.write(home / "2")
    (warning,) = release.warnings
    assert warning == early == entries(home)[-1].summary["warnings"][0]
    assert "have only 0 of 8 records in common" in warning
    assert "was not checked" in warning
    assert "By the released values" in warning
    assert "people (in both releases)" in warning
    again = cb.anonymize(table(renamed), levels(policy(home), age=2, zip=2))
    again.write(home / "3")
    assert len(again.warnings) == 1, "it shares everybody with the second, and nobody with the first"

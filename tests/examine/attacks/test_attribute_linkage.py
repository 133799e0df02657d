"""The attacks that the literature works through by hand, with its figures.

Similarity, by a hierarchy and by numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

import cobogo as cb
from support.attack_tables import policy, table

MONTHS = {"dates": "%d/%m/%Y", "levels": ["%m/%Y", "%Y"]}


class TestTrafficFines:
    """Table 3.6 of the survey: two classes, of two and three records, and 2/3 of the second paid 250."""

    fines = table(
        "born fined type value",
        "14/03/1977 03/01/2013 1 170",
        "04/03/1977 03/01/2013 2 250",
        "24/05/1977 03/01/2013 1 170",
        "20/04/1978 04/01/2013 1 170",
        "22/05/1978 04/01/2013 2 250",
        "13/05/1978 05/01/2013 2 250",
        "15/05/1978 05/01/2013 1 170",
    )

    def release(self) -> cb.Release:
        by_month = {"role": "quasi-identifier", "hierarchy": MONTHS, "min-level": 1, "max-level": 1}
        rules = {
            "attributes": {
                "born": by_month,
                "fined": by_month,
                "type": {"role": "sensitive"},
                "value": {"role": "sensitive"},
            },
            "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
            "recoding": {"suppression-limit": 0.29},
        }
        return cb.anonymize(self.fines, rules)

    def test_who_knows_the_fifth_person_infers_the_fine_with_two_thirds(self, tmp_path: Path) -> None:
        self.release().write(tmp_path / "out")
        found = cb.attack("homogeneity", tmp_path / "out", knowledge=self.fines, attribute="value")
        assert found.rows_of == "knowledge"
        confidence = dict(zip(found.rows.tolist(), found.confidence.tolist(), strict=True))
        assert confidence == pytest.approx({1: 1 / 2, 2: 1 / 2, 5: 2 / 3, 6: 2 / 3, 7: 2 / 3})
        assert found.exposed.tolist() == [5, 6, 7]
        assert found.succeeded

    def test_nobody_s_record_is_found_with_more_than_one_half(self, tmp_path: Path) -> None:
        self.release().write(tmp_path / "out")
        found = cb.attack("record-linkage", tmp_path / "out", knowledge=self.fines)
        assert found.highest == 1 / 2
        assert not found.succeeded
        assert found.rows.tolist() == [1, 2, 5, 6, 7]

    def test_once_the_others_of_the_class_are_known_so_is_the_fine(self) -> None:
        found = cb.attack("corruption", self.release(), attribute="value", t=1)
        assert found.highest == 1.0
        assert found.measures["fewest known members that expose somebody"] == 0
        strict = cb.attack("corruption", self.release(), attribute="value", t=0, threshold=0.9)
        assert strict.highest == pytest.approx(2 / 3)
        assert strict.measures["fewest known members that expose somebody"] == 1


class TestDiseases:
    """Tables 3.7 and 3.8: four records to a class, and then three diseases to a class."""

    columns = "age zip city disease"
    first = ("<85 560001 * sinusitis", "<85 560001 * flu", "<85 560001 * diabetes", "<85 560001 * hernia")
    same = ("<40 540020 * bronchitis",) * 4
    altered = ("<40 540020 * sinusitis", "<40 540020 * diabetes", "<40 540020 * bronchitis", "<40 540020 * bronchitis")
    rules = policy("age zip city", "disease")

    def test_homogeneity_succeeds_with_probability_one(self) -> None:
        found = cb.attack("homogeneity", table(self.columns, *self.first, *self.same), policy=self.rules)
        assert found.exposed.tolist() == [5, 6, 7, 8]
        assert found.highest == 1.0
        assert found.confidence[:4].tolist() == [0.25] * 4

    def test_three_diseases_bound_it_by_one_half_and_not_by_one_third(self) -> None:
        found = cb.attack("homogeneity", table(self.columns, *self.first, *self.altered), policy=self.rules)
        assert found.highest == 0.5
        assert not found.succeeded

    def test_knowing_one_disease_that_it_is_not_leaves_two_thirds(self) -> None:
        altered = table(self.columns, *self.first, *self.altered)
        found = cb.attack("background-knowledge", altered, policy=self.rules, facts=1)
        assert found.confidence.tolist() == pytest.approx([1 / 3] * 4 + [2 / 3] * 4)
        assert cb.attack("background-knowledge", altered, policy=self.rules, facts=2).highest == 1.0
        assert cb.attack("background-knowledge", altered, policy=self.rules, facts=0).highest == 0.5


class TestSkewness:
    """One in fifty is positive; in a class of four with two diseases, two are."""

    def table(self) -> pa.Table:
        return table("class test", *["a +"] * 2, *["a -_"] * 2, *[f"c{n % 12} -_" for n in range(96)])

    def test_one_half_against_one_fiftieth(self) -> None:
        found = cb.attack("skewness", self.table(), policy=policy("class", "test"))
        assert found.exposed.tolist() == [1, 2, 3, 4]
        assert found.baseline is not None
        assert (found.confidence[0], found.baseline[0]) == (1 / 2, 1 / 50)
        asked = cb.attack("skewness", self.table(), policy=policy("class", "test"), value="+")
        assert asked.exposed.tolist() == [1, 2, 3, 4]
        assert asked.confidence[4:].tolist() == [0.0] * 96

    def test_no_statement_gains_more(self) -> None:
        found = cb.attack("probabilistic", self.table(), policy=policy("class", "test"))
        assert found.score[:4].tolist() == pytest.approx([1 / 2 - 1 / 50] * 4)
        assert found.score.max() == pytest.approx(0.48)


class TestSimilarity:
    """Three diseases, all of the stomach; three salaries, all low."""

    tree: ClassVar[dict[str, Any]] = {
        "stomach": ["gastritis", "ulcer", "cancer"],
        "lungs": ["flu", "bronchitis", "pneumonia"],
    }
    rows = ("a gastritis 3000", "a ulcer 4000", "a cancer 5000", "b flu 6000", "b cancer 11000", "b bronchitis 8000")

    def test_by_the_hierarchy(self) -> None:
        rules = policy("class", {"disease": {"tree": self.tree}})
        found = cb.attack("similarity", table("class disease salary", *self.rows), policy=rules)
        assert found.confidence.tolist() == pytest.approx([1.0] * 3 + [2 / 3] * 3)
        assert found.baseline is not None
        assert found.baseline.tolist() == pytest.approx([4 / 6] * 3 + [2 / 6] * 3)

    def test_by_numbers(self) -> None:
        rules = policy("class", "salary")
        found = cb.attack("similarity", table("class disease salary", *self.rows), policy=rules, width=0.25)
        assert found.confidence.tolist() == pytest.approx([1.0] * 3 + [2 / 3] * 3)
        assert found.baseline is not None
        assert found.baseline.tolist() == pytest.approx([3 / 6] * 3 + [2 / 6] * 3)

    def test_what_has_no_likeness_is_refused(self) -> None:
        with pytest.raises(cb.CobogoError, match="not numbers"):
            cb.attack("similarity", table("class disease salary", *self.rows), policy=policy("class", "disease"))

"""Trackers: harmless queries whose answers tell of one person."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

import cobogo as cb
from cobogo.examine.attacks.case import open_case
from support.attack_tables import policy, table


class TestTracker:
    """One person among many, by subtracting two large counts."""

    people = table(
        "sex age job ill salary",
        "F 31 nurse no 10", "F 47 clerk yes 11", "F 52 clerk no 12", "F 29 cook no 13", "M 41 nurse no 14",
        "M 38 clerk yes 15", "M 45 cook yes 16", "M 50 nurse no 17", "M 33 clerk no 18", "F 60 nurse yes 19",
        "F 44 judge yes 99",
    )  # fmt: skip
    rules = policy("sex age job", "ill salary")

    def attack(self, *queries: str, **options: int) -> cb.Findings:
        return cb.attack("tracker", self.people, queries=queries, policy=self.rules, **options)

    def test_the_difference_of_two_queries_tells_the_judge_s_salary(self) -> None:
        asked = ("sum salary where sex = F", "sum salary where sex = F and job != judge")
        found = self.attack(*asked)
        assert found.exposed.tolist() == [11]
        assert found.measures["people whose own value is told"] == 1

    def test_refusing_small_sets_does_not_help(self) -> None:
        asked = ("count where job = judge and ill = yes", "count where sex = F and ill = yes",
                 "count where sex = F and job != judge and ill = yes")  # fmt: skip
        found = self.attack(*asked, refuse_below=2)
        assert found.exposed.tolist()[-1] == 11
        assert found.confidence[found.rows == 11].tolist() == [1.0]
        assert "1 query was not answered" in found.notes[0]

    def test_a_single_query_about_many_tells_of_nobody_alone(self) -> None:
        found = self.attack("sum salary where sex = F", "sum salary")
        assert not found.succeeded
        assert found.measures["people whose own value is told"] == 0

    @pytest.mark.parametrize("query", ["average salary", "sum", "count where age"])
    def test_what_is_no_query_is_refused_with_its_line(self, query: str) -> None:
        with pytest.raises(cb.CobogoError, match="line 2"):
            self.attack("count", query)

    def test_a_column_that_is_not_there(self) -> None:
        with pytest.raises(cb.CobogoError, match='asks about "wage"'):
            self.attack("sum wage")

    def test_against_every_way_to_fill_in_the_answers(self) -> None:
        """An unknown is told exactly if all tables with the same answers agree on it."""
        asked = ("count where sex = F and ill = yes", "count where job = nurse and ill = yes",
                 "count where job = clerk and ill = yes", "count where sex = F and job = nurse and ill = yes",
                 "count where age < 40 and ill = yes")  # fmt: skip
        found = self.attack(*asked, threshold=0)
        case = open_case([self.people], policy=self.rules, queries=asked)
        rows = case.release.rows
        masks = np.array([
            [all(term.holds(rows)[person] for term in query.terms if term.column != "ill") for person in range(11)]
            for query in case.queries or ()
        ])  # fmt: skip
        ill = np.array([value == "yes" for value in self.people["ill"].to_pylist()])
        worlds = np.array(list(product([False, True], repeat=11)))
        alike = worlds[((worlds.astype(int) @ masks.T.astype(int)) == (masks @ ill.astype(int))).all(axis=1)]
        certain = {n + 1 for n in range(11) if alike[:, n].min() == alike[:, n].max()}
        told = {row for row, sure in zip(found.rows.tolist(), found.confidence.tolist(), strict=True) if sure == 1.0}
        assert told <= certain
        assert Counter(told)

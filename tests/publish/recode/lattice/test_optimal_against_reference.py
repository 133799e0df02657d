"""The optimal search against an exhaustive one in plain Python: the same node, the same numbers, the same refusals."""

from __future__ import annotations

import contextlib
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import cobogo as cb
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.policy.tables import allowed_records
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import read
from cobogo.errors import NoSolution, PolicyError
from cobogo.examine import metrics
from cobogo.promises.models import Classes, Model, Monotone
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.publish.anonymize import prepare
from cobogo.publish.recode.contract.problem import Problem
from cobogo.publish.recode.contract.solution import Solution
from cobogo.publish.recode.lattice import blocks, search
from cobogo.publish.recode.lattice import walk as lattice
from cobogo.publish.recode.lattice.classic import genetic
from cobogo.publish.recode.lattice.evaluate import Evaluator
from cobogo.publish.recode.lattice.groups import can_be_grouped
from cobogo.publish.recode.lattice.search import optimal
from support import reference
from support.effort import examples
from support.random_tasks import WEIGHTS, as_built, frame_of, policy_of, problem_of, spelled, tasks
from support.reference import Label, Ladder, Task

pytestmark = pytest.mark.slow

many = settings(deadline=None, max_examples=examples(300), suppress_health_check=list(HealthCheck))
some = settings(deadline=None, max_examples=examples(80), suppress_health_check=list(HealthCheck))
few = settings(deadline=None, max_examples=examples(35), suppress_health_check=list(HealthCheck))


# --- what must agree --------------------------------------------------------------------------------------------


def agrees(task: Task, solution: Solution, problem: Problem, expected: reference.Node) -> None:
    """The node, what it suppresses, its classes, and the metrics that the reference knows."""
    outcome = solution.chosen.outcome
    assert outcome is not None
    assert solution.optimal
    assert solution.levels == expected.levels
    assert outcome.suppressed == len(expected.suppressed)
    assert outcome.classes == len(expected.kept)
    measured = metrics.measure(outcome, problem.scale)
    for name in reference.METRICS:
        same(measured[name], reference.value(task, expected, name))
    same(solution.chosen.value, reference.value(task, expected, task.metric))


def is_bounded(task: Task, solution: Solution, best: reference.Node) -> None:
    """The best node is no better than the bound, and the gap says how much worse the found one can be."""
    optimum, bound = float(reference.value(task, best, task.metric) or 0), solution.bound
    assert bound is not None
    sign = -1 if metrics.find_metric(task.metric).maximize else 1
    assert sign * bound <= sign * optimum + 1e-9
    assert sign * optimum <= sign * solution.value + 1e-9
    if solution.gap is not None and optimum:
        assert abs(solution.value - optimum) / optimum <= solution.gap + 1e-9


def same(found: float | None, expected: Fraction | None) -> None:
    if expected is None:
        assert found is None
    else:
        assert found == pytest.approx(float(expected), rel=1e-9, abs=1e-9)


def refusal_is_right(task: Task, message: str) -> None:
    """No solution; and the limit that the message names works, while one record fewer does not."""
    named = re.search(r"smallest suppression-limit that works is (\S+) \(([\d,]+) of ([\d,]+) records\)", message)
    fewest = reference.fewest_suppressed(task)
    if fewest is None:
        assert named is None
        assert "no suppression limit would help" in message
        return
    assert named is not None, message
    share, suppressed, records = named[1], int(named[2]), int(named[3])
    assert (suppressed, records) == (fewest, task.records)
    at_it = replace(task, limit=share)
    assert at_it.allowed >= fewest
    assert reference.optimum(at_it) is not None
    assert reference.optimum(replace(task, limit=str(Fraction(fewest - 1, task.records)))) is None
    assert allowed_records(float(share), task.records) == at_it.allowed


def examine(task: Task, among: Sequence[reference.Node] | None = None, **options: Any) -> Solution | None:
    expected = reference.optimum(task, among)
    problem = problem_of(task)
    assert problem.limit == task.allowed
    if expected is None:
        with pytest.raises(NoSolution) as refused:
            optimal(problem, **options)
        refusal_is_right(task, str(refused.value))
        return None
    solution = optimal(problem, **options)
    agrees(task, solution, problem, expected)
    return solution


@many
@given(tasks())
def test_the_search_finds_what_an_exhaustive_one_finds(task: Task) -> None:
    examine(task)


@many
@given(
    tasks(),
    st.lists(st.sampled_from([2, 3, 1, 4, 7]), min_size=1, max_size=2),
    st.sampled_from(["aecs", "c_avg"]),
    st.sampled_from([4, 100]),
)
def test_nodes_that_are_counted_together_give_the_same_answer(
    task: Task, ks: list[int], metric: str, cells: int
) -> None:
    """Whatever attributes tell the nodes of a block apart, and however the classes are divided into strips."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "ROWS", 0)
        patch.setattr(blocks, "CELLS", cells)
        patch.setattr(blocks, "STRIP", 3)
        examine(replace(task, ks=tuple(ks), ls=(), metric=metric))


@some
@given(tasks())
def test_a_lattice_too_large_to_hold_gives_the_same_answer(task: Task) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "DENSE_AT_MOST", 0)
        patch.setattr(lattice, "DENSE_AT_MOST", 0)
        examine(task, time_limit=600.0)


@some
@given(tasks(), st.integers(1, 2))
def test_groups_of_attributes_bound_every_node(task: Task, size: int) -> None:
    """Whatever the groups; and the attributes together cost what the best node costs, where all of the policy counts
    for the bound."""
    problem, best = problem_of(task), reference.optimum(task)
    if best is None or not can_be_grouped(problem):
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "GROUP", size)
        found = search._Search(problem, 10**9, 600.0, None)
        found._bound_by_groups(1.0)
    optimum = float(reference.value(task, best, task.metric) or 0)
    sign = -1 if problem.metric.maximize else 1
    assert sign * found.yardstick.value(found.least) <= sign * optimum + 1e-9
    if not problem.withholds and all(m.monotone is Monotone.EVEN_WITH_SUPPRESSION for m in problem.models):
        whole = found._bound_group(range(len(problem.highest)), 600.0)
        assert found.yardstick.value(whole) == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize("options", [{"kind": "entropy"}, {"suppress": "sensitive"}], ids=str)
def test_a_failing_class_whose_parts_are_released_does_not_raise_the_bound(options: dict[str, str]) -> None:
    """Alone, each of two attributes makes a class whose failing records are kept, by both together or without their
    values."""
    rows = [("a", "c", "flu"), ("a", "c", "HIV"), *[("a", "d", "flu")] * 8, *[("b", "c", "flu"), ("b", "c", "HIV")] * 5]
    quasi = {"role": "quasi-identifier", "hierarchy": {"tree": {"*": ["a", "b", "c", "d"]}}}
    suppress = {key: value for key, value in options.items() if key == "suppress"}
    policy = {
        "attributes": {"one": quasi, "two": quasi, "illness": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "l-diversity", "l": 2, "kind": options.get("kind", "distinct")}]},
        "recoding": {"suppression-limit": 1.0, **suppress},
    }
    columns = dict(zip(("one", "two", "illness"), map(list, zip(*rows, strict=True)), strict=True))
    problem = prepare(pa.table(columns), policy).problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "GROUP", 1)
        found = search._Search(problem, 10**9, 600.0, None)
        found._bound_by_groups(1.0)
    assert found.yardstick.value(found.least) <= optimal(problem).value


@some
@given(tasks(), st.integers(0, 3))
def test_ties_go_to_more_classes_then_fewer_suppressed_then_lower_then_smaller_levels(task: Task, high: int) -> None:
    """Height has many ties. So have twin attributes, whose levels can be exchanged at no cost."""
    twin = replace(
        task,
        tuples=tuple((row[0], row[0], *row[1:3]) for row in task.tuples),
        ladders=(task.ladders[0], task.ladders[0], *task.ladders[1:3]),
        weights=(),
        lowest=(),
        highest=(high, high, *([None] * len(task.ladders[1:3]))),
    )
    among = reference.solutions(twin)
    for metric in {"height", twin.metric}:
        examine(replace(twin, metric=metric), among)


@few
@given(tasks())
def test_with_hundreds_of_equal_nodes_the_tie_rule_still_holds(task: Task) -> None:
    """More tied solutions than the search keeps: a class metric on a table that generalization hardly changes."""
    ladder = Ladder((("a0", "p", "q", "*"), ("a1", "r", "s", "*")))
    flat = Task(
        tuples=tuple(("a0",) * 4 for _ in task.tuples),
        ladders=(ladder,) * 4,
        sensitive=task.sensitive,
        ks=(1,),
        metric=task.metric if task.metric in ("aecs", "c_avg", "discernibility") else "aecs",
        limit=task.limit,
        lowest=tuple(min(low, 1) for low in (*task.lowest, 0, 0, 0)[:4]),
        highest=(None,) * 4,
    )
    examine(flat)


def scattered(seed: int) -> Task:
    """A larger table, spread so that the best node lies in the middle of the lattice more often than not."""
    source = random.Random(seed)
    width = source.randint(2, 4)
    shapes = []
    for prefix in "abcd"[:width]:
        rows: list[list[Label]] = [[f"{prefix}{number}"] for number in range(source.randint(2, 9))]
        for level in range(1, source.randint(1, 3) + 1):
            groups = list(dict.fromkeys(row[-1] for row in rows))
            above = {group: f"{prefix}{level}.{source.randrange(len(groups))}" for group in groups}
            for row in rows:
                row.append(above[row[-1]])
        shapes.append(Ladder(tuple((*row, "*") if len(row) < 4 else tuple(row) for row in rows)))
    used = [source.sample(ladder.rows, source.randint(1, len(ladder.rows))) for ladder in shapes]
    pool = [tuple(source.choice(rows)[0] for rows in used) for _ in range(source.randint(3, 30))]
    size = source.randint(10, 60)
    return Task(
        tuples=tuple(source.choice(pool) for _ in range(size)),
        ladders=tuple(shapes),
        sensitive={"s": tuple(source.choice(["x", "x", "y", "z", None]) for _ in range(size))},
        ks=(source.randint(1, 5),),
        ls=(("s", source.randint(1, 3)),) if source.random() < 0.5 else (),
        metric=source.choice(reference.METRICS),
        limit=source.choice(["0", "0.05", "0.1", "0.2", "0.29", "0.5", "1.0"]),
        weights=tuple(source.choice(WEIGHTS) for _ in shapes),
    )


def lopsided(seed: int) -> Task:
    """Many records that fail l-diversity and may be suppressed: what is kept may lie in few and small classes."""
    task, source = scattered(seed), random.Random(seed)
    crowd = source.choices(sorted(set(task.tuples), key=str), k=source.randint(1, 3))
    more = tuple(source.choice(crowd) for _ in range(40))
    return replace(
        task,
        tuples=task.tuples + more,
        sensitive={"s": task.sensitive["s"] + ("x",) * len(more)},
        ks=(source.randint(1, 2),),
        ls=(("s", source.randint(2, 3)),),
        limit=source.choice(["0.7", "0.9", "1.0"]),
    )


@pytest.mark.parametrize("first", range(0, 40, 10))
@pytest.mark.parametrize("kind", [scattered, lopsided])
def test_larger_tables_agree_too(kind: Callable[[int], Task], first: int) -> None:
    """By every metric: some have many ties, and the bound of one depends on the suppression limit."""
    for seed in range(first, first + 10):
        task = kind(seed)
        among = reference.solutions(task)
        for metric in reference.METRICS:
            examine(replace(task, metric=metric), among)


class Ticks:
    """A clock that moves on by one whenever somebody looks at it."""

    def __init__(self) -> None:
        self.now = 0

    def monotonic(self) -> float:
        self.now += 1
        return float(self.now)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_a_search_cut_short_claims_no_more_than_it_knows(
    monkeypatch: pytest.MonkeyPatch, seed: int, sparse: bool
) -> None:
    """Whenever the time runs out: what is returned is a solution; what is called proven, or impossible, is so."""
    task = replace(scattered(seed), limit=("0", "0.1", "0.3")[seed % 3])
    among = reference.solutions(task)
    expected = reference.optimum(task, among)
    problem = problem_of(task)
    if sparse:
        monkeypatch.setattr(search, "DENSE_AT_MOST", 0)
    proven = 0
    for ticks in (*range(1, 40), *range(40, 120, 4), *range(120, 400, 16), *range(1_000, 40_000, 6_500)):
        monkeypatch.setattr(search, "time", Ticks())
        said = "proven"
        try:
            solution = optimal(problem, time_limit=float(ticks))
        except NoSolution as none:
            said = str(none)
        else:
            assert solution.levels in {node.levels for node in among}
            assert expected is not None
            is_bounded(task, solution, expected)
            if not solution.optimal:
                continue
            agrees(task, solution, problem, expected)
        if "within the time limit" not in said:
            assert (said == "proven") == (expected is not None)
            proven += 1
        if proven == 3:
            return
    pytest.fail("the search does not come to an end")


@some
@given(tasks(), st.integers(1, 60), st.booleans())
def test_the_bound_of_an_unfinished_search_is_no_better_than_the_best_node(
    task: Task, ticks: int, sparse: bool
) -> None:
    expected = reference.optimum(task)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "DENSE_AT_MOST", 0 if sparse else search.DENSE_AT_MOST)
        patch.setattr(search, "IMPROVING", 0.3)
        patch.setattr(search, "time", Ticks())
        with contextlib.suppress(NoSolution):
            solution = optimal(problem_of(task), time_limit=float(ticks))
            assert expected is not None
            is_bounded(task, solution, expected)


def test_a_large_lattice_needs_no_time_limit_and_says_when_it_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "DENSE_AT_MOST", 0)
    monkeypatch.setattr(search, "LARGE_LATTICE_SECONDS", 25.0)
    monkeypatch.setattr(search, "time", Ticks())
    solution = optimal(problem_of(replace(scattered(3), limit="1.0")))
    assert not solution.optimal
    assert solution.chosen.satisfied
    assert "ended after 25 seconds" in str(solution.notes[-1])


@pytest.mark.parametrize("limit", [1.0, 30.0, 300.0])
def test_no_node_of_a_very_wide_table_is_checked_when_the_time_is_up(
    monkeypatch: pytest.MonkeyPatch, limit: float
) -> None:
    """Forty attributes of three levels: the clock is looked at before every check, and stops the search at once."""
    width, rows = 40, 200
    generator = np.random.default_rng(1)
    names = tuple(f"q{number}" for number in range(width))
    ladder = [["a", "b", "c", "d"], ["ab", "ab", "cd", "cd"], ["*"] * 4]
    problem = Problem(
        table=FrequencyTable(
            quasi_identifiers=names,
            values=dict.fromkeys(names, ("a", "b", "c", "d")),
            codes=generator.integers(0, 4, (rows, width)).astype(np.int32),
            counts=np.ones(rows, dtype=np.int64),
            histograms={},
        ),
        hierarchies=tuple(Hierarchy.from_columns(name, ladder) for name in names),
        models=(KAnonymity(3),),
        metric=metrics.find_metric("loss"),
        limit=10,
        lowest=(0,) * width,
        highest=(2,) * width,
        weights=(1.0,) * width,
    )
    clock = Ticks()
    looks = []
    check = Evaluator.check

    def checked(self: Evaluator, levels: tuple[int, ...]) -> Any:
        looks.append(clock.now)
        return check(self, levels)

    monkeypatch.setattr(search, "time", clock)
    monkeypatch.setattr(genetic, "time", clock)
    monkeypatch.setattr(Evaluator, "check", checked)
    with contextlib.suppress(NoSolution):
        solution = optimal(problem, time_limit=limit)
        assert not solution.optimal
        assert solution.chosen.satisfied
    begin = 3  # the highest node, the lowest, and what the genetic search found are checked however short the time
    assert len(set(looks)) >= len(looks) - begin, "two checks without a look at the clock"
    assert max(looks, default=0) <= limit + 6
    assert clock.now <= limit + 10, "it went on looking"


@many
@given(st.integers(1, 10**9), st.integers(1, 10**9))
def test_the_limit_that_a_refusal_names_works_on_large_tables_too(small: int, more: int) -> None:
    """Two values that cannot be generalized, one of them too rare: exactly its records have to go."""
    table = FrequencyTable(
        quasi_identifiers=("a",),
        values={"a": ("rare", "usual")},
        codes=np.array([[0], [1]], dtype=np.int32),
        counts=np.array([small, small + more], dtype=np.int64),
        histograms={},
    )
    refused = Problem(
        table=table,
        hierarchies=(Hierarchy.from_columns("a", [["rare", "usual"]]),),
        models=(KAnonymity(small + 1),),
        metric=metrics.find_metric("loss"),
        limit=small - 1,
        lowest=(0,),
        highest=(0,),
        weights=(1.0,),
    )
    with pytest.raises(NoSolution) as error:
        optimal(refused)
    named = re.search(r"works is (\S+) \(([\d,]+) of", str(error.value))
    assert named is not None
    assert int(named[2].replace(",", "")) == small
    assert 0 < float(named[1]) <= 1
    allowed = allowed_records(float(named[1]), table.records)
    assert allowed >= small
    assert optimal(replace(refused, limit=allowed)).chosen.outcome.suppressed == small


# --- models that are not monotone -------------------------------------------------------------------------------


@dataclass(frozen=True)
class AtMost(Model):
    """No class of more than m records: generalization breaks it. No privacy model, but one the search must survive."""

    m: int

    name: ClassVar[str] = "at-most"
    more_is_safer: ClassVar[bool] = False

    def measure(self, classes: Classes) -> Any:
        return classes.sizes.astype(float)

    def holds(self, classes: Classes, measured: Any) -> Any:
        return measured <= self.m


@dataclass(frozen=True)
class NoneAbove(Model):
    """No value makes up more than a share of a class: monotone, but not under suppression."""

    attribute: str
    share: Fraction

    name: ClassVar[str] = "none-above"
    more_is_safer: ClassVar[bool] = False

    @property
    def monotone(self) -> Monotone:
        return Monotone.WITHOUT_SUPPRESSION

    def measure(self, classes: Classes) -> Any:
        histogram = classes.histograms[self.attribute]
        most = np.zeros(len(classes), dtype=np.int64)
        np.maximum.at(most, histogram.owners, histogram.counts)
        return most / classes.sizes

    def holds(self, classes: Classes, measured: Any) -> Any:
        return measured <= float(self.share)


@dataclass(frozen=True)
class Wider(Task):
    """A task with the two models above."""

    at_most: int = 10**6
    none_above: Fraction = Fraction(1)


@pytest.fixture
def wider_models(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reference.satisfies

    def satisfies(task: Task, members: Sequence[int]) -> bool:
        if isinstance(task, Wider):
            if len(members) > task.at_most:
                return False
            for column in task.sensitive.values():
                most = max(Counter(column[number] for number in members).values())
                if Fraction(most, len(members)) > task.none_above:
                    return False
        return plain(task, members)

    monkeypatch.setattr(reference, "satisfies", satisfies)


def examine_wider(wider: Wider) -> None:
    """Where the lattice is held whole, and where it is not, against one reference."""
    problem = problem_of(
        wider, also=[AtMost(wider.at_most), *(NoneAbove(name, wider.none_above) for name in wider.sensitive)]
    )
    expected = reference.optimum(wider)
    for most in (search.DENSE_AT_MOST, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(search, "DENSE_AT_MOST", most)
            if expected is None:
                with pytest.raises(NoSolution) as refused:
                    optimal(problem, time_limit=600.0)
            else:
                agrees(wider, optimal(problem, time_limit=600.0), problem, expected)
    if expected is None:
        refusal_is_right(wider, str(refused.value))


@pytest.mark.usefixtures("wider_models")
@some
@given(task=tasks(), m=st.integers(1, 9), share=st.sampled_from([Fraction(1, 2), Fraction(3, 4), Fraction(1)]))
def test_models_that_generalization_can_break_are_searched_in_full(task: Task, m: int, share: Fraction) -> None:
    examine_wider(Wider(**vars(task), at_most=m, none_above=share))


@pytest.mark.usefixtures("wider_models")
@pytest.mark.parametrize("kind", [scattered, lopsided])
def test_so_they_are_on_larger_tables(kind: Callable[[int], Task]) -> None:
    for seed in range(25):
        source = random.Random(seed)
        task = replace(kind(seed), ks=(source.randint(1, 2),), limit=source.choice(["0", "0.2", "0.5", "0.9"]))
        share = source.choice([Fraction(1, 2), Fraction(3, 4), Fraction(1)])
        examine_wider(Wider(**vars(task), at_most=source.randint(4, 20), none_above=share))


# --- through the front door -------------------------------------------------------------------------------------


@few
@given(task=tasks())
def test_the_public_function_gives_the_same_release(task: Task, tmp_path_factory: pytest.TempPathFactory) -> None:
    task = as_built(task)
    frame = frame_of(task)
    policy = policy_of(task, tmp_path_factory.mktemp("hierarchies"))
    expected = reference.optimum(task)
    if expected is None:
        with pytest.raises(NoSolution) as refused:
            cb.anonymize(frame, policy)
        refusal_is_right(task, str(refused.value))
        return
    release = cb.anonymize(frame, policy)
    note(str(release.levels))
    assert tuple(release.levels.values()) == expected.levels
    assert release.suppressed == len(expected.suppressed)
    for name in reference.METRICS:
        same(release.metrics[name], reference.value(task, expected, name))
    agrees(task, release.solution, release.problem, expected)
    wanted = Counter(
        (*map(spelled, released), *(column[number] for column in task.sensitive.values()))
        for released, members in expected.kept.items()
        for number in members
    )
    assert Counter(tuple(row.values()) for row in release.to_arrow().to_pylist()) == wanted


def test_a_metric_that_says_nothing_cannot_choose() -> None:
    """The average class size is a multiple of k: without k-anonymity there is none, and nothing to search for."""
    frame = pa.table({"a": ["x", "y"] * 5, "s": ["1", "2", "3", "4", "5"] * 2})
    policy = {
        "attributes": {"a": {"role": "quasi-identifier"}, "s": {"role": "sensitive"}},
        "privacy": {"models": [{"model": "l-diversity", "l": 2}]},
        "recoding": {"metric": "c_avg"},
    }
    with pytest.raises(PolicyError):
        cb.anonymize(frame, policy)


# --- keys beyond 64 bits ----------------------------------------------------------------------------------------


def wide_rows(attributes: int, labels: int, rows: int) -> Iterator[list[int]]:
    """Tuples of which many differ in their first or last attributes alone: what an overflowing key would merge.

    Every label occurs in every attribute, so that a number of labels that is a power of two shifts a key by whole bits.
    """
    yield from ([label] * attributes for label in range(min(labels, 256)))
    source = np.random.default_rng(20240229)
    base = source.integers(0, labels, size=attributes)
    for number in range(rows):
        row = base.copy()
        match number % 4:
            case 0:
                row[: attributes // 4] = source.integers(0, labels, size=attributes // 4)
            case 1:
                row[-(attributes // 4) :] = source.integers(0, min(labels, 3), size=attributes // 4)
            case 2:
                row[source.integers(0, attributes)] = source.integers(0, labels)
        yield row.tolist()


@pytest.mark.parametrize(
    ("attributes", "labels"), [(30, 200), (30, 256), (9, 128), (16, 16), (64, 2), (62, 2), (4, 50_000), (10, 89)]
)
def test_classes_are_told_apart_when_their_keys_pass_64_bits(attributes: int, labels: int) -> None:
    names = [f"q{number}" for number in range(attributes)]
    rows = list(wide_rows(attributes, labels, 400))
    frame = pa.table({name: [f"{row[column]:05d}" for row in rows] for column, name in enumerate(names)})
    table = frequency_table(read(frame, cb.Policy.of(_wide_policy(names)).data), names, [])
    assert len(table.counts) == len({tuple(row) for row in rows})
    hierarchies = tuple(
        Hierarchy.from_columns(
            name,
            [
                [f"{value:05d}" for value in range(labels)],
                [f"{value // 2:05d}+" for value in range(labels)],
                ["*"] * labels,
            ],
        )
        for name in names
    )
    problem = Problem(
        table=table,
        hierarchies=hierarchies,
        models=(KAnonymity(2),),
        metric=metrics.find_metric("loss"),
        limit=len(rows),
        lowest=(0,) * attributes,
        highest=(1,) * 2 + (0,) * (attributes - 2),
        weights=(1.0,) * attributes,
    )
    evaluator = Evaluator(problem)
    shapes = [(0,) * attributes, (1,) * attributes, (0, 2) * (attributes // 2) + (1,) * (attributes % 2)]
    shapes += [(2,) * (attributes // 3) + (0,) * (attributes - attributes // 3)]
    for levels in shapes:
        released = [
            tuple(
                value if level == 0 else value // 2 if level == 1 else -1
                for value, level in zip(row, levels, strict=True)
            )
            for row in rows
        ]
        assert sorted(evaluator.table(levels).records.tolist()) == sorted(Counter(released).values())
    assert optimal(problem).chosen.outcome is not None


def test_thirty_attributes_of_two_hundred_labels_through_the_public_function() -> None:
    names = [f"q{number}" for number in range(30)]
    rows = [row for row in wide_rows(30, 200, 300) for _ in range(2)]
    frame = pa.table({name: [f"{row[column]:03d}" for row in rows] for column, name in enumerate(names)})
    release = cb.anonymize(frame, _wide_policy(names))
    assert release.suppressed == 0
    assert release.metrics["aecs"] == pytest.approx(len(rows) / len({tuple(row) for row in rows}))
    assert Counter(tuple(row.values()) for row in release.to_arrow().to_pylist()) == Counter(
        tuple(f"{value:03d}" for value in row) for row in rows
    )


def _wide_policy(names: Sequence[str]) -> dict[str, Any]:
    return {
        "attributes": {name: {"role": "quasi-identifier", "max-level": 0} for name in names},
        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
    }

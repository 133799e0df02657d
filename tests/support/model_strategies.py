"""How to put each model to the test. A model in the registry without an entry here fails the conformance suite."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import pytest
from hypothesis import strategies as st

from cobogo.promises.models import MODELS, Model
from cobogo.promises.models.background_knowledge import BT, Injector
from cobogo.promises.models.ck_safety import CKSafety
from cobogo.promises.models.frequency import AlphaK, BetaLikeness, DeltaDisclosure, PSensitive, TCorruption
from cobogo.promises.models.k_anonymity import KAnonymity
from cobogo.promises.models.l_diversity import LDiversity
from cobogo.promises.models.m_confidentiality import MConfidentiality
from cobogo.promises.models.m_invariance import MInvariance
from cobogo.promises.models.numbers import KE, EpsilonM
from cobogo.promises.models.personalized import Personalized
from cobogo.promises.models.population import DeltaPresence, KMap
from cobogo.promises.models.realistic import RealisticEpsilonPrivacy
from cobogo.promises.models.risk import AverageRisk, HighestRisk
from cobogo.promises.models.set_valued import KM
from cobogo.promises.models.t_closeness import TCloseness
from support import random_tables as tables


class Values(Enum):
    """What a model needs of a sensitive attribute."""

    NONE = "none"
    CATEGORY = "s"
    NUMBER = "n"
    TREE = "h"


@dataclass(frozen=True)
class Entry:
    """One kind of one model.

    ``models`` draws its parameters, on the columns of `random_tables`. ``values`` is what it needs of its sensitive
    attribute. ``easy`` are a policy's parameters that hold of any table of 40 records or more with half of each value.
    ``wrong`` are parameters that must be refused, each with the name of the one that is wrong.
    ``broken_by_merging`` is a model with a table and the class of each record, such that the classes satisfy it and
    together do not: needed of one that says that it is not monotone. ``bounds``: how many bounds a class must keep;
    with more than one, a class may fail although what is quoted of it is fine.
    """

    models: st.SearchStrategy[Any]
    values: Values = Values.NONE
    population: bool = False
    easy: dict[str, Any] | None = None
    wrong: tuple[tuple[str, dict[str, Any]], ...] = ()
    broken_by_merging: tuple[Model, tables.Rows, str] | None = None
    bounds: int = 1
    people: bool = True  # whether it may count people instead of records
    null_is_special: bool = False  # whether NULL is no value like another
    all_different: bool = False  # whether ``easy`` holds where no two people have the same value

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """In Hypothesis' reports, where all of it would hide what failed."""
        printer.text("…")


shares = st.sampled_from([0.5, 0.25, 1 / 3, 0.1, 0.75, 2 / 3, 0.6, 1.0])
sizes = st.integers(1, 6)
category, number, with_tree = st.just("s"), st.just("n"), st.just("h")
NO_SHARES: tuple[Any, ...] = (0, -0.5, 1.5, True, "half", float("nan"), float("inf"))
NOT_WHOLE: tuple[Any, ...] = (0, -1, 2.5, 2.0, True, "3", None, float("nan"))
NO_WORDS: tuple[Any, ...] = ("none of them", "", 3, None)


def wrong(key: str, values: Sequence[Any], **rest: Any) -> tuple[tuple[str, dict[str, Any]], ...]:
    """A parameter with each of the values that must be refused, beside others that are fine."""
    return tuple((key, {**rest, key: value}) for value in values)


def _without(values: Sequence[Any], *fine: Any) -> tuple[Any, ...]:
    return tuple(value for value in values if not any(value is good or value == good for good in fine))


BELIEF_MOVED = (BT("s", b=0.6, t=0.0018), tables.row(s="yyzyyxzyyyxyx", a="1111122333334"), "1111111222222")
"""Two classes that move no belief by more than 0.0018, and one class of both that does."""

STRATEGIES: dict[str, dict[str, Entry]] = {
    "k-anonymity": {
        "": Entry(st.builds(KAnonymity, k=sizes), easy={"k": 3}, wrong=wrong("k", NOT_WHOLE)),
    },
    "l-diversity": {
        "distinct": Entry(
            st.builds(LDiversity, attribute=category, l=st.integers(1, 4)),
            Values.CATEGORY,
            easy={"l": 2},
            wrong=wrong("l", NOT_WHOLE) + wrong("kind", NO_WORDS, l=2) + wrong("distort", [1, "yes"], l=2),
        ),
        "entropy": Entry(
            st.builds(
                LDiversity, attribute=category, kind=st.just("entropy"), l=st.sampled_from([2, 1, 3, 1.5, 2.5, 4])
            ),
            Values.CATEGORY,
            easy={"kind": "entropy", "l": 1.5},
            wrong=wrong("l", (0.5, -1, True, "2", None, float("inf")), kind="entropy"),
        ),
        "recursive": Entry(
            st.builds(
                LDiversity,
                attribute=category,
                kind=st.just("recursive"),
                l=st.integers(1, 4),
                c=st.sampled_from([1.0, 2.0, 0.5, 1.5, 3.0, 0.75]),
            ),
            Values.CATEGORY,
            easy={"kind": "recursive", "l": 2, "c": 9.0},
            wrong=wrong("l", NOT_WHOLE, kind="recursive", c=2.0)
            + wrong("c", (0, -1, None, True, "2"), kind="recursive", l=2),
        ),
    },
    "t-closeness": {
        "equal": Entry(
            st.builds(TCloseness, attribute=category, t=shares),
            Values.CATEGORY,
            easy={"t": 0.5},
            wrong=wrong("t", _without(NO_SHARES, 0)) + wrong("distance", NO_WORDS, t=0.2),
        ),
        "ordered": Entry(
            st.builds(TCloseness, attribute=number | with_tree, t=shares, distance=st.just("ordered")),
            Values.NUMBER,
            easy={"distance": "ordered", "t": 0.5},
            wrong=wrong("t", _without(NO_SHARES, 0), distance="ordered"),
        ),
        "hierarchical": Entry(
            st.builds(TCloseness, attribute=with_tree, t=shares, distance=st.just("hierarchical")),
            Values.TREE,
            easy={"distance": "hierarchical", "t": 0.5},
            wrong=wrong("t", _without(NO_SHARES, 0), distance="hierarchical"),
        ),
    },
    "delta-presence": {
        "from zero": Entry(
            st.builds(DeltaPresence, population=st.just(tables.POPULATION), max=shares),
            population=True,
            people=False,
            easy={"max": 0.6},
            wrong=wrong("max", _without(NO_SHARES, 0), population="p.csv")
            + wrong("population", (3, "", None, ["p.csv"], {})),
        ),
        "from more": Entry(
            st.builds(
                DeltaPresence,
                population=st.just(tables.POPULATION),
                min=st.sampled_from([0.1, 0.05, 0.25, 1 / 3]),
                max=st.sampled_from([0.5, 0.75, 2 / 3, 1.0]),
            ),
            population=True,
            people=False,
            easy={"min": 0.1, "max": 0.9},
            bounds=2,
            wrong=wrong("min", _without(NO_SHARES, 0), population="p.csv")
            + wrong("max", (0.2, 1.5), min=0.3, population="p.csv"),
        ),
    },
    "k-map": {
        "counted": Entry(
            st.builds(KMap, k=sizes, population=st.just(tables.POPULATION)),
            population=True,
            people=False,
            easy={"k": 3},
            wrong=wrong("k", NOT_WHOLE, population="p.csv") + wrong("population", (3, "", ["p.csv"], {}), k=2),
        ),
        "poisson": Entry(
            st.builds(
                KMap,
                k=st.integers(1, 12),
                population_size=st.sampled_from([30, 100, 10, 1000]),
                significance=st.sampled_from([0.05, 0.01, 0.3]),
            ),
            easy={"k": 5, "population-size": 10_000},
            wrong=wrong("k", NOT_WHOLE, **{"population-size": 100})
            + wrong("population-size", _without(NOT_WHOLE, None), k=2)
            + wrong("significance", NO_SHARES, k=2, **{"population-size": 100}),
        ),
        "zero-truncated": Entry(
            st.builds(
                KMap,
                k=st.integers(1, 12),
                population_size=st.sampled_from([30, 100, 10, 1000]),
                significance=st.sampled_from([0.05, 0.01, 0.3]),
                estimator=st.just("zero-truncated-poisson"),
            ),
            easy={"k": 5, "population-size": 10_000, "estimator": "zero-truncated-poisson"},
            wrong=wrong("estimator", NO_WORDS, k=2, **{"population-size": 100}),
        ),
    },
    "alpha-k-anonymity": {
        "any value": Entry(
            st.builds(AlphaK, attribute=category, alpha=shares, k=sizes),
            Values.CATEGORY,
            easy={"alpha": 0.9, "k": 2},
            bounds=2,
            wrong=wrong("alpha", NO_SHARES, k=2)
            + wrong("k", NOT_WHOLE, alpha=0.5)
            + wrong("value", (3, ""), alpha=0.5, k=2),
        ),
        "one value": Entry(
            st.builds(AlphaK, attribute=category, alpha=shares, k=sizes, value=st.sampled_from(["x", "y"])),
            Values.CATEGORY,
            easy={"alpha": 0.9, "k": 2, "value": "x"},
            bounds=2,
        ),
    },
    "k-e-anonymity": {
        "": Entry(
            st.builds(KE, attribute=number, k=st.integers(1, 4), e=st.sampled_from([10, 0, 20, 47.5, 60.0])),
            Values.NUMBER,
            easy={"k": 2, "e": 10},
            bounds=2,
            null_is_special=True,
            wrong=wrong("k", NOT_WHOLE, e=1) + wrong("e", (-1, True, "ten", float("nan"), float("inf"), None), k=2),
        ),
    },
    "beta-likeness": {
        kind: Entry(
            st.builds(
                BetaLikeness,
                attribute=category,
                beta=st.sampled_from([1.0, 0.5, 2.0, 0.2, 1 / 3, 5.0]),
                kind=st.just(kind),
            ),
            Values.CATEGORY,
            easy={"beta": 5.0, "kind": kind},
            wrong=wrong("beta", (0, -1, True, "one", float("nan"), None), kind=kind) + wrong("kind", NO_WORDS, beta=1),
        )
        for kind in ("basic", "enhanced")
    },
    "realistic-epsilon-privacy": {
        prior: Entry(
            st.builds(
                RealisticEpsilonPrivacy,
                attribute=category,
                epsilon=st.sampled_from([1.0, 1.5, 2.0, 2.5, 4.0]),
                stubbornness=st.sampled_from([1.0, 0.5, 3.0, 10.0]),
                prior=st.just(prior),
            ),
            Values.CATEGORY,
            easy={"epsilon": 9.0, "stubbornness": 1.0, "prior": prior},
            wrong=wrong("epsilon", (0.9, -1, True, "one", float("inf"), None), stubbornness=1)
            + wrong("stubbornness", (0, -1, True, "one", float("inf"), None), epsilon=2)
            + wrong("prior", NO_WORDS, epsilon=2, stubbornness=1),
        )
        for prior in ("table", "uniform", "any")
    },
    "delta-disclosure": {
        "": Entry(
            st.builds(DeltaDisclosure, attribute=category, delta=st.sampled_from([1.0, 0.5, 2.0, 0.25, 3.0])),
            Values.CATEGORY,
            easy={"delta": 3.0},
            wrong=wrong("delta", (0, -1, True, "one", float("inf"), None)),
        ),
    },
    "highest-risk": {
        "": Entry(st.builds(HighestRisk, max=shares), easy={"max": 0.4}, wrong=wrong("max", NO_SHARES)),
    },
    "average-risk": {
        "": Entry(st.builds(AverageRisk, max=shares), easy={"max": 0.4}, wrong=wrong("max", NO_SHARES)),
    },
    "p-sensitive-k-anonymity": {
        "": Entry(
            st.builds(PSensitive, attribute=category, p=st.integers(1, 4), k=sizes),
            Values.CATEGORY,
            easy={"p": 2, "k": 3},
            bounds=2,
            wrong=wrong("p", NOT_WHOLE, k=2) + wrong("k", NOT_WHOLE, p=2),
        ),
    },
    "t-corruption": {
        "": Entry(
            st.builds(
                TCorruption, attribute=category, t=st.integers(0, 4), l=st.sampled_from([2, 1, 1.5, 3.0, 4])
            ),
            Values.CATEGORY,
            easy={"t": 1, "l": 1.1},
            wrong=wrong("t", _without(NOT_WHOLE, 0), l=2) + wrong("l", (0.5, True, "2", float("inf"), None), t=1),
        ),
    },
    "epsilon-m-anonymity": {
        kind: Entry(
            st.builds(
                EpsilonM,
                attribute=number,
                epsilon=st.sampled_from(epsilons),
                m=st.integers(1, 4),
                kind=st.just(kind),
            ),
            Values.NUMBER,
            easy={"epsilon": 0.1, "m": 2, "kind": kind},
            wrong=wrong("epsilon", (-1, True, "one", float("nan"), None), m=2)
            + wrong("m", NOT_WHOLE, epsilon=1)
            + wrong("kind", NO_WORDS, epsilon=1, m=2),
            broken_by_merging=(
                EpsilonM("n", epsilon=15 if kind == "absolute" else 0.3, m=2, kind=kind),
                tables.row(n=["40", "60", "50", "100"]),
                "1122",
            ),
            null_is_special=True,
        )
        for kind, epsilons in {"absolute": [10, 0, 15, 20, 50], "relative": [0.2, 0, 0.25, 0.5, 1.0]}.items()
    },
    "c-k-safety": {
        "": Entry(
            st.builds(CKSafety, attribute=category, c=shares, k=st.integers(0, 3)),
            Values.CATEGORY,
            easy={"c": 0.95, "k": 0},
            wrong=wrong("c", NO_SHARES, k=1) + wrong("k", _without(NOT_WHOLE, 0), c=0.5),
        ),
    },
    "personalized": {
        "": Entry(
            st.builds(Personalized, attribute=with_tree, guard=st.just("g"), p=shares),
            Values.TREE,
            easy={"guard": "g", "p": 0.95},
            wrong=wrong("p", _without(NO_SHARES, 0), guard="g") + wrong("guard", (3, "", None, "s"), p=0.5),
            broken_by_merging=(
                Personalized("h", guard="g", p=0.5), tables.row(h="pqpp", g=["p", None, None, None]), "1122"
            ),
            null_is_special=True,
        ),
    },
    "k-m-anonymity": {
        "": Entry(
            st.builds(KM, attribute=category, k=st.integers(1, 3), m=st.integers(1, 2)),
            Values.CATEGORY,
            easy={"k": 2, "m": 1},
            wrong=wrong("k", NOT_WHOLE, m=1) + wrong("m", NOT_WHOLE, k=2) + wrong("separator", (3, ""), k=2, m=1),
            null_is_special=True,
        ),
    },
    "m-invariance": {
        "": Entry(
            st.builds(MInvariance, attribute=category, m=st.integers(1, 3)),
            Values.CATEGORY,
            easy={"m": 1},
            wrong=wrong("m", NOT_WHOLE) + wrong("previous", (3, ""), m=2),
            broken_by_merging=(MInvariance("s", 2), tables.row(s="xyxz"), "1122"),
            all_different=True,
            bounds=2,
        ),
    },
    "b-t-privacy": {
        kind: Entry(
            st.builds(
                BT,
                attribute=with_tree if smoothed else category,
                b=st.sampled_from([0.3, 0.6, 1.0, 2.0, 1e9]),
                t=st.sampled_from([0.1, 0.3, 0.05, 0.6, 1.0]),
                smoothing=st.sampled_from([0.6, 2.0]) if smoothed else st.just(0.0),
            ),
            Values.TREE if smoothed else Values.CATEGORY,
            easy={"b": 1e9, "t": 0.9} | ({"smoothing": 2.0} if smoothed else {}),
            wrong=wrong("b", (0, -1, True, "one", float("nan"), None), t=0.5)
            + wrong("t", _without(NO_SHARES, 0), b=1.0)
            + wrong("smoothing", (-1, True, "one", None), b=1.0, t=0.5),
            broken_by_merging=BELIEF_MOVED,
            people=False,
        )
        for kind, smoothed in {"": False, "smoothed": True}.items()
    },
    "injector": {
        "": Entry(
            st.builds(Injector, attribute=category, l=st.integers(1, 3), min_support=st.integers(1, 4)),
            Values.CATEGORY,
            easy={"l": 1, "min-support": 5},
            wrong=wrong("l", NOT_WHOLE, **{"min-support": 3}) + wrong("min-support", NOT_WHOLE, l=2),
            people=False,
        ),
    },
    "m-confidentiality": {
        "": Entry(
            st.builds(MConfidentiality, attribute=category, m=st.integers(1, 4)),
            Values.CATEGORY,
            easy={"m": 1},
            wrong=[*wrong("m", NOT_WHOLE), *wrong("distort", [1, "yes"], m=2)],
        ),
    },
}  # fmt: skip


def entries() -> Iterator[Any]:
    """Every kind of every registered model, as parameters of a test."""
    for name in MODELS:
        kinds = STRATEGIES.get(name) or {"": None}
        for kind, entry in kinds.items():
            yield pytest.param(name, entry, id=f"{name}-{kind}".strip("-").replace(" ", "-"))


def needed(name: str, entry: Entry | None) -> Entry:
    """An entry, or a failure that says what to do."""
    if entry is None:
        pytest.fail(
            f"cobogo.promises.models.MODELS has {name!r}, which tests/support/model_strategies.py does not know: "
            "add an Entry for each of its kinds to STRATEGIES."
        )
    return entry


each_model = pytest.mark.parametrize(("name", "entry"), list(entries()))

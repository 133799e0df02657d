"""Learning from the release: how well can a label be predicted? Needs scikit-learn, the extra ``cobogo[utility]``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from cobogo.data.table.frequency import number_tuples
from cobogo.examine.utility.sides import Sides
from cobogo.floor.arrays import Ints
from cobogo.floor.catalogue import card
from cobogo.floor.extras import require
from cobogo.floor.language import tr

HELD_OUT = 1 / 3
"""The share of the records that models are tested on."""

MOST_RECORDS = 200_000
"""Records that are drawn from a larger table: the third that is held out gives an accuracy to within 0.002."""


def require_learning(where: str | None = None) -> None:
    """Refuse to go on without scikit-learn."""
    missing = tr("measuring how well a label can be predicted needs scikit-learn, which is not installed")
    require("sklearn", "utility", missing, where=where, otherwise=tr("Or leave out the label."))


@card("accuracy")
def accuracy(sides: Sides, *, seed: int) -> dict[str, Any]:
    r"""How well models that were trained on the release predict a label of original records that they have not seen.

    A third of the records is held out. Logistic regression, a decision tree and naive Bayes learn the label from the
    quasi-identifiers (one-hot) of the other records: once from the original values, once from the released ones. Both
    predict the label of the held-out original records; for the models of the release, these are first recoded as the
    release is. The baseline always predicts the most frequent label. From a table with more than 200,000 records,
    200,000 are drawn first. Needs scikit-learn.

    Formula: $\frac{1}{\lvert H\rvert} \sum_{r \in H} [\hat{y}(x_r) = y_r]$ over the held-out records $H$
    Example: Eighty patients: the models predict the disease from age and sex.
        >>> from cobogo.examine.utility.sides import sides
        >>> from cobogo.studies.worked_examples import PATIENTS, anonymize_patients
        >>> people = {name: 10 * values for name, values in PATIENTS.items()}
        >>> many = anonymize_patients("optimal", ({"model": "k-anonymity", "k": 20},), people)
        >>> found = accuracy(sides(many, label="disease"), seed=1)
        >>> found["models"]["decision-tree"]["original"] > found["models"]["decision-tree"]["release"]
        True

    Guarantee: None: it measures usefulness. It is computed on the original data, so it stays in the evidence.
    Limits: It needs a recoding that has levels. Three models with their usual settings are not the best that can be
        learnt.
    Cost: The cost of fitting three models on up to 200,000 records, with one column for each value.
    Paper: After V. S. Iyengar, Transforming data to satisfy privacy constraints, KDD 2002.
    """
    require_learning()
    label = sides.before.label
    assert label is not None
    random = np.random.default_rng(seed)
    learns, tests = hold_out(draw_records(label.counts, random), random)
    originals = [column[label.owners] for column in sides.originals]
    recoded = [column[label.owners] for column in sides.recoded]
    kept = sides.kept[label.owners]
    released = learns * kept
    if not tests.any() or not released.any():
        return {"label": label.domain.attribute, "held_out": int(tests.sum()), "baseline": None, "models": {}}
    leaves = [len(h.leaves) for h in sides.hierarchies]
    before = accuracies(originals, leaves, label.values, learns, tests)
    after = accuracies(recoded, sides.widths, label.values, released, tests)
    return {
        "label": label.domain.attribute,
        "held_out": int(tests.sum()),
        "baseline": baseline(label.values, learns, tests),
        "models": {name: {"original": before[name], "release": after[name]} for name in before},
    }


def draw_records(counts: Ints, random: np.random.Generator) -> Ints:
    """The counts of at most about `MOST_RECORDS` records, drawn at random from a larger table."""
    records = int(counts.sum())
    return counts if records <= MOST_RECORDS else random.binomial(counts, MOST_RECORDS / records)


def hold_out(counts: Ints, random: np.random.Generator) -> tuple[Ints, Ints]:
    """Split counts at random into records to learn from and records to test on."""
    tests = random.binomial(counts, HELD_OUT)
    return counts - tests, tests


def baseline(values: Any, learns: Ints, tests: Ints) -> float:
    """The accuracy of always predicting the most frequent value of the records to learn from."""
    common = int(np.bincount(values, weights=learns).argmax())
    return float(tests[values == common].sum() / tests.sum())


def accuracies(
    columns: Sequence[Ints], widths: Sequence[int], labels: Any, learns: Ints, tests: Ints
) -> dict[str, float]:
    """The accuracy of each model, trained and tested on weighted rows."""
    from threadpoolctl import threadpool_limits

    every = [*columns, np.asarray(labels, dtype=np.int64)]
    ids, first = number_tuples(every, [*widths, int(labels.max()) + 1], len(labels))
    learns = np.bincount(ids, weights=learns).astype(np.int64)
    tests = np.bincount(ids, weights=tests).astype(np.int64)
    codes, labels = [column[first] for column in columns], labels[first]
    used, tested = learns > 0, tests > 0
    features = _one_hot(codes, widths)
    scores = {}
    for name, model in _models().items():
        if len(np.unique(labels[used])) < 2:
            right = labels[tested] == labels[used][0]
        else:
            # One thread: on matrices as sparse as these more are slower, and they round differently.
            with warnings.catch_warnings(), threadpool_limits(1):
                warnings.simplefilter("ignore")  # a model that has not quite converged still has an accuracy
                model.fit(features[used], labels[used], sample_weight=learns[used])
            right = model.predict(features[tested]) == labels[tested]
        scores[name] = float((right * tests[tested]).sum() / tests.sum())
    return scores


def _one_hot(columns: Sequence[Ints], widths: Sequence[int]) -> Any:
    """A sparse matrix with one column for each value of each attribute."""
    from scipy.sparse import csr_matrix

    rows, width = len(columns[0]), len(columns)
    starts = np.concatenate([[0], np.cumsum(widths)])
    places = np.stack([column + start for column, start in zip(columns, starts[:-1], strict=True)], axis=1)
    shape = (rows, int(starts[-1]))
    return csr_matrix((np.ones(rows * width), places.ravel(), np.arange(0, rows * width + 1, width)), shape=shape)


def _models() -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import BernoulliNB
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic-regression": LogisticRegression(solver="newton-cg"),
        "decision-tree": DecisionTreeClassifier(min_weight_fraction_leaf=0.001, random_state=0),
        "naive-bayes": BernoulliNB(),
    }

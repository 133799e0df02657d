"""Sensitive values that a release withholds in some classes, and what follows of them from the column's totals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.floor.arrays import Ints, Mask
from cobogo.promises.models.base import Model


def visible_classes(classes: Classes, withheld: Mapping[str, Mask]) -> Classes:
    """The classes as a release shows them."""
    histograms = {
        name: histogram.without(withheld[name]) if name in withheld else histogram
        for name, histogram in classes.histograms.items()
    }
    return Classes(
        classes.sizes, histograms, classes.total, classes.populations, classes.members, classes.people,
        classes.earlier, withheld,
    )  # fmt: skip


def hidden_values(name: str, classes: Classes) -> Classes:
    """What follows of an attribute from the whole table's totals: the values that the classes do not show, as one."""
    histogram = classes.histograms[name]
    seen = np.bincount(histogram.values, histogram.counts, len(histogram.domain)).astype(np.int64)
    return one_attribute(name, np.maximum(histogram.domain.total - seen, 0)[None, :], classes)


def given_away(models: Sequence[Model], classes: Classes) -> list[Model]:
    """The models that do not hold of what is withheld, as far as it follows from the whole table's totals."""
    found = []
    for name, hidden in classes.withheld.items():
        if hidden.any():
            rest = hidden_values(name, classes)
            own = [model for model in models if model.attributes == (name,)]
            found += [model for model in own if not model.holds(rest, model.measure(rest)).all()]
    return found


def refusal(model: Model) -> str:
    """Why such a release is refused."""
    return f"what is withheld follows from the column's totals: {model} fails of it"


def one_attribute(name: str, counts: Ints, like: Classes) -> Classes:
    """Classes of one attribute, given how often each has every value."""
    owners, values = np.nonzero(counts)
    offsets = np.searchsorted(owners, np.arange(len(counts) + 1)).astype(np.int64)
    histogram = Histogram(offsets, values.astype(np.int32), counts[owners, values], like.histograms[name].domain)
    return Classes(counts.sum(axis=1), {name: histogram}, like.total)

"""Distorting sensitive values where a blind model fails. The values released there are no longer those collected.

The recoding was chosen without regard to the sensitive attribute. For m-confidentiality (MASK; Wong, Fu, Wang and Pei
2007), a class in which a value is too frequent takes the frequencies of a class, drawn at random, in which none is: so
distorted classes look like the others. For l-diversity, the most frequent value of a class gives a record to one of the
rarest, again and again, until the model holds.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cobogo.data.classes import Classes, Histogram
from cobogo.data.hierarchy import Label
from cobogo.errors import NoSolution, PolicyError
from cobogo.floor import randomness
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.language import tr, trn
from cobogo.promises.models.base import Model
from cobogo.promises.models.m_confidentiality import MConfidentiality

Tuple = tuple[Label, ...]
Counts = dict[int, int]
"""How many records of a class hold each value, by code."""


@dataclass(frozen=True, eq=False, repr=False)
class Distortion:
    """Exchanges of sensitive values, one for each record: in the class ``tuples[i]``, the record that comes at
    ``ranks[i]`` in a random order of those with the value ``old[i]`` gets ``new[i]``."""

    attribute: str
    tuples: tuple[Tuple, ...]
    old: tuple[Label, ...]
    ranks: tuple[int, ...]
    new: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.new)


def settle(blind: Sequence[Model], kept: Classes, tuples: Sequence[Tuple]) -> tuple[Classes, tuple[Distortion, ...]]:
    """Distort values until the blind models hold: the classes then, and the distortions; or there is no solution."""
    distortions = []
    for model in blind:
        holds = model.holds(kept, model.measure(kept))
        if holds.all():
            continue
        if not model.distorts:
            raise NoSolution(
                trn(
                    "{model} fails in {n:,} class of the recoding, which was chosen without using it",
                    "{model} fails in {n:,} classes of the recoding, which was chosen without using it",
                    n=int((~holds).sum()),
                    model=model,
                ),
                remedy=tr(
                    "Make the other models stricter (a larger k), or set distort = true to distort values "
                    "in these classes."
                ),
            )
        if kept.people is not None:
            raise PolicyError(
                tr(
                    "{model} can distort values only if each person has one record, and by data.unit some "
                    "people have several",
                    model=model,
                ),
                where="privacy.models",
                remedy=tr("Leave out distort, or merge each person's records into one."),
            )
        kept, distortion = _distort(model, kept, holds, tuples)
        distortions.append(distortion)
    return kept, tuple(distortions)


def _distort(model: Model, kept: Classes, holds: Mask, tuples: Sequence[Tuple]) -> tuple[Classes, Distortion]:
    (attribute,) = model.attributes
    histogram = kept.histograms[attribute]
    rows = [_row(histogram, number) for number in range(len(kept))]
    patterns = np.flatnonzero(holds)
    aside = None if model.counts_missing else histogram.domain.missing  # a person without a value gets none
    whole = {value: count for value, count in enumerate(histogram.domain.total.tolist()) if value != aside}
    places, old, ranks, new = [], [], [], []
    for number in np.flatnonzero(~holds).tolist():
        pattern = rows[int(patterns[secrets.randbelow(len(patterns))])] if len(patterns) else whole
        pattern = {value: count for value, count in pattern.items() if value != aside}
        before = {value: count for value, count in rows[number].items() if value != aside}
        if isinstance(model, MConfidentiality):
            after = _target(before, pattern or whole, whole, model.m)
        else:
            after = _diversify(model, histogram, before, kept.total, aside)
        gone = {value: count - after.get(value, 0) for value, count in before.items() if count > after.get(value, 0)}
        come = {value: count - before.get(value, 0) for value, count in after.items() if count > before.get(value, 0)}
        drawn = np.repeat(list(come), list(come.values()))
        new.append(drawn[np.argsort(randomness.keys(len(drawn)))])
        old.append(np.repeat(list(gone), list(gone.values())))
        ranks.append(np.concatenate([np.arange(count) for count in gone.values()]))
        places += [tuples[number]] * len(drawn)
        rows[number] = after | {value: count for value, count in rows[number].items() if value == aside}
    labels = histogram.domain.labels
    distortion = Distortion(
        attribute,
        tuple(places),
        tuple(labels[code] for code in np.concatenate(old)),
        tuple(np.concatenate(ranks).tolist()),
        tuple(labels[code] for code in np.concatenate(new)),
    )
    return replace(kept, histograms={**kept.histograms, attribute: _histogram(histogram, rows)}), distortion


def _diversify(model: Model, histogram: Histogram, before: Counts, total: int, aside: int | None) -> Counts:
    """The counts of a class after the fewest exchanges that suffice: the most frequent value gives a record to one of
    the class's rarest, drawn in proportion to their frequencies in the whole table."""
    domain = histogram.domain
    size, after = sum(before.values()), dict(before)
    values = [value for value in range(len(domain)) if value != aside]
    lot = secrets.SystemRandom()
    while not _holds(model, histogram, after, total):
        most = max(after, key=lambda value: after[value], default=None)
        least = min((after.get(value, 0) for value in values), default=0)
        if most is None or after[most] - least < 2:  # as even as can be
            raise NoSolution(
                trn(
                    "no exchange of values makes a class of {n:,} record satisfy {model}",
                    "no exchange of values makes a class of {n:,} records satisfy {model}",
                    n=size,
                    model=model,
                ),
                remedy=tr("Ask for larger classes (a larger k), or for less diversity."),
            )
        rare = [value for value in values if after.get(value, 0) == least]
        (drawn,) = lot.choices(rare, [max(int(domain.total[value]), 1) for value in rare])
        after[most] -= 1
        after[drawn] = after.get(drawn, 0) + 1
        after = {value: count for value, count in after.items() if count}
    return after


def _holds(model: Model, histogram: Histogram, row: Counts, total: int) -> bool:
    """Whether one class would satisfy a model."""
    (attribute,) = model.attributes
    one = Classes(np.array([sum(row.values())]), {attribute: _histogram(histogram, [row])}, total)
    return bool(model.holds(one, model.measure(one)).all())


def _target(before: Counts, pattern: Mapping[int, int], whole: Mapping[int, int], m: int) -> Counts:
    """The counts of a class after distortion: a value that is too frequent becomes as frequent as in the pattern; other
    values get the records in the pattern's proportions, then in the whole table's. No value gets above 1/m."""
    size = sum(before.values())
    most = size // m
    crowd = sum(pattern.values())
    after = dict(before)
    for value, count in before.items():
        if count > most:
            after[value] = min(most, pattern.get(value, 0) * size // crowd)
    rest = {value: count for value, count in pattern.items() if before.get(value, 0) <= most}
    for source in (rest, whole, dict.fromkeys(whole, 1)):
        _share_out(after, source, most, size - sum(after.values()))
    if sum(after.values()) < size:
        raise NoSolution(
            trn(
                "no {m} values can have equal shares of a class of {n:,} record",
                "no {m} values can have equal shares of a class of {n:,} records",
                n=size,
                m=m,
            ),
            remedy=tr(
                "Ask for k-anonymity with k = {m} or more. The attribute needs at least {m} distinct values.", m=m
            ),
        )
    return {value: count for value, count in after.items() if count}


def _share_out(after: Counts, source: Mapping[int, int], most: int, left: int) -> None:
    """Give ``left`` records to values in proportion to the source's, none above ``most``; remainders by lot."""
    lot = secrets.SystemRandom()
    while left:
        room = {v: most - after.get(v, 0) for v, n in source.items() if n and after.get(v, 0) < most}
        if not room:
            return
        total = sum(source[value] for value in room)
        given = {value: min(free, left * source[value] // total) for value, free in room.items()}
        if not any(given.values()):
            given = dict.fromkeys(lot.sample(list(room), min(left, len(room))), 1)
        for value, count in given.items():
            after[value] = after.get(value, 0) + count
        left -= sum(given.values())


def _row(histogram: Histogram, number: int) -> Counts:
    part = slice(int(histogram.offsets[number]), int(histogram.offsets[number + 1]))
    return dict(zip(histogram.values[part].tolist(), histogram.counts[part].tolist(), strict=True))


def _histogram(before: Histogram, rows: Sequence[Counts]) -> Histogram:
    ordered = [sorted(row.items()) for row in rows]
    values = [value for row in ordered for value, _ in row]
    counts: Ints = np.array([count for row in ordered for _, count in row], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in ordered])]).astype(np.int64)
    return Histogram(offsets, np.array(values, dtype=np.int32), counts, before.domain)

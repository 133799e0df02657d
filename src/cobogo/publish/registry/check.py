"""What a release would expose together with earlier ones: attacks are simulated before it is written.

The history of a data set says the same of every registered release: what each added to those before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.hierarchy import SUPPRESSED
from cobogo.data.policy import Policy
from cobogo.data.table.frequency import number_tuples
from cobogo.errors import CobogoError, Exposed
from cobogo.examine.attacks.base import SLACK
from cobogo.examine.attacks.crossing import ClassStructure, Crossing
from cobogo.examine.attacks.pairing import link_by_values
from cobogo.examine.attacks.several_releases import (
    Complementary,
    CrossingAttack,
    Differencing,
    DistinguishedRows,
    Intersection,
    Temporal,
)
from cobogo.floor.arrays import Ints, Mask
from cobogo.floor.language import Text, join, tr, trn
from cobogo.promises import models
from cobogo.promises.models import Model, Scope
from cobogo.publish.registry.store import RegistryEntry, Transaction
from cobogo.publish.registry.structure import RecordedRelease

LEAST_SHARED = 0.1
"""Two releases of one data set that share less than this part of the smaller one are reported: their identifiers may
have changed in between. A tenth is a convention: the warning costs little, and a population rarely changes faster."""

LEAST_DISTINCT = 0.5
"""The least share of records that must be distinct by the columns that both releases have; below it, records are not
recognized, and the comparison is reported as unreliable. Half is a convention, not a measurement."""

BASED, SPECIFIC = "previous", "more specific"
REMEDIES = {
    "complementary": tr(
        'Set registry.base = "previous", so that no value is more specific than in the earlier release, or '
        '"quasi-identifiers".'
    ),
    "temporal": tr('Set registry.base = "previous", or wait until enough people of each class stay.'),
    "intersection": tr('Ask for m-invariance with registry.base = "m-invariance", or set registry.base = "previous".'),
    "differencing": tr(
        "Hold the change back until enough people have joined or left each class; `cobogo apply` does so."
    ),
    SPECIFIC: tr("Use the hierarchies of the earlier release, or coarser ones."),
}
EXPOSED = {
    "in both": tr("in both releases"),
    "who came or changed": tr("who joined or changed"),
    "who left or changed": tr("who left or changed"),
}


@dataclass(frozen=True, eq=False, repr=False)
class Breach:
    """One attack that would succeed, the people that it exposes, and what it breaks."""

    attack: str
    who: str  # the people exposed: those in both, those who came, those who left
    earlier: str  # the id of the release that it is crossed with
    people: int
    against: str  # what no longer holds
    rows: Ints  # of the new release, whose suppression would help

    @property
    def sentence(self) -> Text:
        """The breach in words."""
        return trn(
            "{attack} with {earlier}: exposes {n:,} person ({who}); broken: {against}",
            "{attack} with {earlier}: exposes {n:,} people ({who}); broken: {against}",
            n=self.people,
            attack=self.attack,
            earlier=self.earlier,
            who=EXPOSED[self.who],
            against=self.against,
        )

    def as_dict(self) -> dict[str, Any]:
        """For ``--json`` and the evidence."""
        return {
            "attack": self.attack,
            "with": self.earlier,
            "who": self.who,
            "people": self.people,
            "against": self.against,
        }


def breaches(
    earlier: dict[str, RecordedRelease], new: RecordedRelease, models: Sequence[Model], base: str | None
) -> list[Breach]:
    """Every attack that would succeed on the new release, together with each earlier one and with all of them."""
    asked = _askable(models)
    found = []
    for identity, before in earlier.items():
        crossing = before.cross(new)
        for attack, crossed in _attacks(crossing, before, new, base):
            for distinguished in attack.distinguish(crossed):
                breach = _judge(attack, identity, crossed, distinguished, asked)
                found += [] if breach is None else [breach]
        if base == BASED:
            found += _more_specific_rows(identity, crossing)
    if len(earlier) > 1 and base not in ("quasi-identifiers", "m-invariance"):
        crossings = [before.cross(new) for before in earlier.values()]
        together = _cross_all(crossings)
        attack = Complementary() if all(crossing.same_people for crossing in crossings) else Temporal()
        if together is not None:
            breach = _judge(attack, ", ".join(earlier), crossings[-1], together, asked)
            found += [] if breach is None else [breach]
    return found


def stranger_warnings(
    earlier: Mapping[str, RecordedRelease], new: RecordedRelease, models: Sequence[Model]
) -> list[str]:
    """Warnings about earlier releases that share almost no record with the new one, or whose records are not distinct.

    They may be about other people. Or people are identified by another column now, and records that are the same were
    not recognized. So the attacks are run on the released values, and the warning reports what they would find if the
    people were the same.
    """
    found: list[str] = []
    for identity, before in earlier.items():
        shared, least = len(before.cross(new).before), min(len(before.classes), len(new.classes))
        words: Text | None = None
        if before.cells.keys() != new.cells.keys() and before.tells_apart(new) < LEAST_DISTINCT:
            words = tr(
                "the columns that this release and {identity} have in common do not identify people", identity=identity
            )
        elif shared < LEAST_SHARED * least:
            words = tr(
                "this release and {identity} have only {shared:,} of {least:,} records in common",
                identity=identity,
                shared=shared,
                least=least,
            )
        if words is None:
            continue
        what = tr(
            "{words}; if they are about the same people, it was not checked what the two releases reveal together: see "
            "data.unit",
            words=words,
        )
        shown = [tr("- {sentence}", sentence=one) for one in _breaches_by_values(identity, before, new, models)]
        found.append(join([tr("{what}. By the released values:", what=what), *shown], by="\n") if shown else what)
    return found


def _breaches_by_values(
    identity: str, before: RecordedRelease, new: RecordedRelease, models: Sequence[Model]
) -> list[Text]:
    """The breaches that attacks find when they link rows by released values, in words."""
    crossing = link_by_values(before.classes, new.classes).crossing
    asked = _askable(models)
    breaches = [
        breach
        for attack in (Temporal(), Intersection(), Differencing())
        for distinguished in attack.distinguish(crossing)
        if (breach := _judge(attack, identity, crossing, distinguished, asked)) is not None
    ]
    return list(dict.fromkeys(breach.sentence for breach in breaches))


def refuse(found: Sequence[Breach], where: str) -> None:
    """Raise an error that explains the breaches of a release and their remedies, if there are any."""
    if not found:
        return
    attacks = list(dict.fromkeys(breach.attack for breach in found))
    most = max(breach.people for breach in found)
    raise Exposed(
        trn(
            "together with earlier releases, this release would expose {n:,} person; nothing was written:",
            "together with earlier releases, this release would expose {n:,} people; nothing was written:",
            n=most,
        ),
        where=f"{where}, registry",
        remedy=join(
            [*(tr("- {sentence}", sentence=breach.sentence) for breach in found), *(REMEDIES[one] for one in attacks)],
            by="\n",
        ),
    )


def _cross_all(crossings: Sequence[Crossing]) -> DistinguishedRows | None:
    """The rows that are in every release, grouped by what all releases together show of them."""
    later = crossings[0].later
    everywhere = np.ones(len(later), dtype=np.bool_)
    numbers, most = [], np.full(len(later), len(later), dtype=np.int64)
    for crossing in crossings:
        joined, count = crossing.joint_groups
        number = np.full(len(later), -1, dtype=np.int64)
        number[crossing.after] = joined
        everywhere &= number >= 0
        sizes = later.group_rows(crossing.after, joined, count).sizes
        most[crossing.after] = np.minimum(most[crossing.after], sizes[joined])
        numbers.append(number)
    rows = np.flatnonzero(everywhere)
    if not len(rows):
        return None
    columns = [number[rows] for number in numbers]
    owners, first = number_tuples(columns, [int(column.max()) + 1 for column in columns], len(rows))
    groups = later.group_rows(rows, owners, len(first))
    return DistinguishedRows("later", rows, owners, groups, 1 / groups.sizes[owners], 1 / most[rows])


def _askable(models: Sequence[Model]) -> tuple[Model, ...]:
    """The models that can be checked on any group of records: conditions on single classes that need nothing else."""
    on_classes = [model for model in models if model.scope is Scope.CLASS and not model.needs_every_class]
    return tuple(model.alone for model in on_classes if not model.populations and not model.needs_members)


def _attacks(
    crossing: Crossing, before: RecordedRelease, new: RecordedRelease, base: str | None
) -> Iterator[tuple[CrossingAttack, Crossing]]:
    """The attacks to simulate, each with the crossing of releases that it uses.

    Rows are linked by whose they are, as the strongest attacker would. Where earlier attributes are quasi-identifiers,
    the models already bound what they link. m-invariance holds against attackers who know everything but the sensitive
    value: in the releases of one series, intersection must find nothing; with any other release, only visible
    differences count. A changed sensitive value counts as one person who left and one who came.
    """
    if base == "m-invariance" and before.shares_series(new):
        yield Intersection(), crossing
        return
    if base == "m-invariance":
        yield Differencing(), before.cross_by_values(new)
        return
    if base != "quasi-identifiers":
        yield (Complementary() if crossing.same_people else Temporal()), crossing
    yield Intersection(), crossing
    yield Differencing(), before.cross_unchanged(new)


def _judge(
    attack: CrossingAttack, identity: str, crossing: Crossing, distinguished: DistinguishedRows, asked: Sequence[Model]
) -> Breach | None:
    """The breach of an attack, if it exposes people more than either release does: in groups that break a model, or
    with certainty."""
    more = distinguished.confidence > distinguished.baseline + SLACK
    broken = np.zeros(len(distinguished.groups), dtype=np.bool_)
    names: list[str] = []
    for model in asked:
        if set(model.attributes) <= set(distinguished.groups.histograms):
            fails = ~model.holds(distinguished.groups, model.measure(distinguished.groups))
            if (fails[distinguished.owners] & more).any():
                names.append(str(model))
            broken |= fails
    exposed = more & broken[distinguished.owners]
    if isinstance(attack, Intersection):
        certain = more & (distinguished.confidence >= 1 - SLACK) & ~exposed
        names += (
            [tr("{attribute} is certain", attribute=name) for name in distinguished.groups.histograms]
            if certain.any()
            else []
        )
        exposed |= certain
    if not exposed.any():
        return None
    rows = distinguished.rows[exposed]
    side = crossing.earlier if distinguished.side == "earlier" else crossing.later
    people = len(rows) if side.people is None else len(np.unique(side.people[rows]))
    who = "in both"
    if isinstance(attack, Differencing):
        who = "who came or changed" if distinguished.side == "later" else "who left or changed"
    return Breach(
        attack.name, who, identity, people, join(names, by=", "), _rows_to_suppress(crossing, distinguished, exposed)
    )


def _rows_to_suppress(crossing: Crossing, distinguished: DistinguishedRows, exposed: Mask) -> Ints:
    """The rows of the new release whose suppression stops the attack: the exposed ones or, where people left a class,
    the rest of that class."""
    if distinguished.side == "later":
        return distinguished.rows[exposed]
    left = np.unique(crossing.earlier.owners[distinguished.rows[exposed]])
    return crossing.after[np.isin(crossing.earlier.owners[crossing.before], left)]


def _more_specific_rows(identity: str, crossing: Crossing) -> Iterator[Breach]:
    """The breach by rows whose values are more specific than before; a starred row counts as not released."""
    silent = starred_classes(crossing.earlier)[crossing.earlier.owners[crossing.before]]
    rows = crossing.after[crossing.later_adds & ~silent]
    if len(rows):
        yield Breach(SPECIFIC, "in both", identity, len(rows), 'base = "previous"', rows)


def starred_classes(classes: ClassStructure) -> Mask:
    """The classes in which every quasi-identifier is a star."""
    stars = [
        np.array([label == SUPPRESSED for label in classes.labels[name]])[classes.codes[:, column]]
        for column, name in enumerate(classes.quasi_identifiers)
    ]
    return np.asarray(np.logical_and.reduce(stars))


@dataclass(frozen=True, eq=False, repr=False)
class Chapter:
    """One release, compared with the one before it.

    ``stayed``, ``came`` and ``left`` count records, linked by person; None for the first release. ``new`` are columns
    that no earlier release had. ``breaches`` are the attacks that succeed on it together with the earlier ones (an
    adopted release may have some); None where its models can no longer be checked.
    """

    entry: RegistryEntry
    new: tuple[str, ...]
    base: str | None
    series: bool  # whether it is one of a series that m-invariance is asked of
    stayed: int | None = None
    came: int | None = None
    left: int | None = None
    breaches: tuple[Breach, ...] | None = ()

    def as_dict(self) -> dict[str, Any]:
        """The figures for ``--json``, without any value."""
        found = None if self.breaches is None else [one.as_dict() for one in self.breaches]
        return {
            **self.entry.as_dict(),
            "new columns": list(self.new),
            "base": self.base,
            "series": self.series,
            "stayed": self.stayed,
            "came": self.came,
            "left": self.left,
            "breaches": found,
        }


def history(book: Transaction, dataset: str) -> list[Chapter]:
    """The releases of a data set in their order. Each is checked again against those before it."""
    chapters: list[Chapter] = []
    earlier: dict[str, RecordedRelease] = {}
    for entry in book.entries(dataset):
        recorded = RecordedRelease.from_bytes(book.structure(entry.id))
        known = {name for one in earlier.values() for name in one.columns}
        asked = entry.summary["policy"].get("registry") or {}
        crossing = next(reversed(earlier.values())).cross(recorded) if earlier else None
        invented = [chapter.entry.summary.get("counterfeits", 0) for chapter in chapters[-1:]]
        chapters.append(
            Chapter(
                entry,
                tuple(name for name in recorded.columns if name not in known),
                asked.get("base"),
                recorded.series is not None,
                None if crossing is None else len(crossing.before),
                None if crossing is None else len(crossing.added) - entry.summary.get("counterfeits", 0),
                None if crossing is None else len(crossing.removed) - sum(invented),
                _check_again(entry, earlier, recorded, asked.get("base")),
            )
        )
        earlier[entry.id] = recorded
    return chapters


def _check_again(
    entry: RegistryEntry, earlier: dict[str, RecordedRelease], recorded: RecordedRelease, base: str | None
) -> tuple[Breach, ...] | None:
    if not earlier:
        return ()
    try:
        policy = Policy.of(entry.summary["policy"], home=entry.summary["home"], name=entry.id)
        return tuple(breaches(earlier, recorded, _models(policy), base))
    except CobogoError:
        return None


def _models(policy: Policy) -> Sequence[models.Model]:
    return models.build(policy.models, policy.sensitive)

"""The study behind `cobogo kinds`: one table, released by several families, with the same measures and one chart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from cobogo.data.engines.engine import connect
from cobogo.data.files.settle import settle_policy
from cobogo.data.hierarchy import Label
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import AttributePolicy, CsvHierarchy, Policy, Role
from cobogo.data.table.read import open_source, read
from cobogo.errors import DataError, InputError, PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import Speech, tr
from cobogo.floor.progress import Progress, show_in_notebook
from cobogo.studies.families.measures import ATTACKS, TARGETS, measure_attacks, measure_use
from cobogo.studies.families.releases import MAKERS, CodedOriginal, ReleaseView, original_release, texts_of
from cobogo.studies.release_trial import no_release
from cobogo.studies.study import Study, Trial, timestamp
from cobogo.tell.report.page import Field, PageSection, Row, origin, page, pairs, paragraph, picture, strong, table

if TYPE_CHECKING:
    from cobogo.tell.report.canvas import Sheet
    from cobogo.tell.report.curves import Box, Plane

RELEASES = {
    "original": tr("original"),
    "records": tr("records"),
    "one-way": tr("one-way distance"),
    "two-way": tr("two-way distance"),
    "query-error": tr("error of counts"),
    "accuracy": tr("accuracy of a classifier"),
    "re-identification": tr("re-identification"),
    "membership": tr("membership"),
    "inference": tr("inference"),
    "recoding": tr("k-anonymous"),
    "randomization": tr("randomized"),
    "sampling": tr("private sample"),
    "synthesis": tr("private synthetic data"),
    "local": tr("local reports"),
}

KINDS_PROMISE = {
    "original": tr("Nothing."),
    "recoding": tr(
        "An attacker who knows only the quasi-identifiers cannot distinguish a person’s record from k − 1 "
        "others. This promises nothing about sensitive values, about who is in the table, about attackers with "
        "other knowledge, or about a second release."
    ),
    "randomization": tr(
        "A sensitive value is kept with probability p, and otherwise drawn uniformly: what an attacker believes "
        "about it changes by a bounded factor. Quasi-identifiers are released unchanged, so every person can be "
        "found in the table, but the value found there may be untrue."
    ),
    "sampling": tr(
        "(ε, δ)-differential privacy: whether a record is in the data changes the probability of any release by "
        "a factor of at most e^ε. Rows are true and coarse; rare ones are missing."
    ),
    "synthesis": tr(
        "(ε, δ)-differential privacy, by noise on some frequencies: no row belongs to a person. A row that "
        "resembles a person’s record was drawn at random, so attackers “find” as many people outside the data as "
        "members."
    ),
    "local": tr(
        "ε-differential privacy against the collector as well: no party ever has the records. The same ε costs "
        "much more utility here, because noise is added to every answer and not to the sum."
    ),
}

LEAST_RECORDS = 200
MOST_RECORDS = 20_000
MOST_VALUES = 2000
MISSING = "(missing)"
"""The label of a missing sensitive value: one more that may be guessed."""

TALL = 4.2  # inches of the chart
DOT = 0.14
TICKS = (0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1)
"""Ticks of the vertical axis, which has square roots: what matters is near zero."""

SYMBOLS = {"k": "k", "retention": "p", "epsilon": "ε"}


@dataclass(frozen=True, kw_only=True, repr=False)
class FamilyTrial(Trial):
    """One release: its utility and what attackers find in it, or why there is none."""

    records: int
    use: Mapping[str, float]
    attacks: Mapping[str, Mapping[str, float]]

    @property
    def loss(self) -> float:
        """The chart's horizontal axis: the mean total variation of two-way frequencies."""
        return self.use["two-way"]

    @property
    def exposed(self) -> float:
        """The chart's vertical axis: the largest excess of an attack."""
        return max(self.attacks[name]["excess"] for name in ATTACKS)

    def as_dict(self) -> dict[str, Any]:
        """What ``kinds.json`` holds of it."""
        return {
            "kind": self.name,
            "given": dict(self.given),
            "records": self.records,
            "use": dict(self.use),
            "attacks": {name: dict(found) for name, found in self.attacks.items()},
            "lost": self.loss,
            "exposed": self.exposed,
            "note": self.why or "",
        }


@dataclass(frozen=True, repr=False)
class Families(Study):
    """All releases, the table itself first."""

    source: str
    created: str
    attributes: tuple[str, ...]
    members: int
    others: int
    trials: tuple[FamilyTrial, ...]
    skipped: Mapping[str, str]

    stem: ClassVar[str] = "kinds"

    def summary(self) -> tuple[str, ...]:
        """How many releases of which kinds."""
        return f"{len(self.trials)} releases", *dict.fromkeys(trial.name for trial in self.trials)

    @property
    def chance(self) -> float:
        """The excess that random variation stays below 99 times in 100: the Kolmogorov–Smirnov bound for the best
        threshold, which is larger than those of the other two attacks."""
        return 1.628 * math.sqrt(2 / min(TARGETS, self.members, self.others))

    def as_dict(self) -> dict[str, Any]:
        """What ``kinds.json`` holds."""
        return {
            "source": self.source,
            "created": self.created,
            "attributes": list(self.attributes),
            "members": self.members,
            "others": self.others,
            "chance": self.chance,
            "releases": [trial.as_dict() for trial in self.trials],
            "skipped": dict(self.skipped),
        }

    def render(self, svg: str, *, say: Speech) -> str:
        """The picture, a table of every release, and why the axes are not the promises."""
        fields = [
            Field(say("kind"), "row"),
            Field(say("parameter")),
            *(
                Field(say(RELEASES[name]), "num")
                for name in ("records", "one-way", "two-way", "query-error", "accuracy", *ATTACKS)
            ),
        ]
        skipped = [
            say("{kind}: left out ({why}).", kind=say(RELEASES[kind]), why=why) for kind, why in self.skipped.items()
        ]
        promises = [(say(RELEASES[kind]), say(KINDS_PROMISE[kind])) for kind in self._names()]
        sections = [
            PageSection(
                lead=say(
                    "{members} records were released in different ways; {others} records of other people were "
                    "not released. Every release is measured in the same way, by what can be estimated from it, "
                    "and attacked in the same way.",
                    members=self.members,
                    others=self.others,
                ),
                parts=[picture(svg, self._fact(say)), *map(paragraph, skipped)],
            ),
            PageSection(
                say("Every release"),
                say(
                    "Attacks: success against people in the data, and in brackets against other people. Only the "
                    "difference reveals something about a person."
                ),
                [table(fields, [_row(trial, say) for trial in self.trials])],
            ),
            PageSection(
                say("Why the axes are not promises"),
                say(
                    "k, p and ε are not three scales of the same thing. Each promises something different, to "
                    "different people, against different attackers. The chart shows what three attackers did, "
                    "not what any attacker could do. A low point is not a promise; a release with a small ε "
                    "keeps its promise even against attackers that were not considered here."
                ),
                [pairs(promises)],
            ),
        ]
        return page(
            say,
            say("Kinds of release, side by side"),
            sections,
            created=self.created,
            source=self.source,
            about=origin(say, self.source, self.members + self.others),
            note=say("Measured on the true data: keep it with the data holder."),
        )

    def _names(self) -> list[str]:
        return list(dict.fromkeys(trial.name for trial in self.trials))

    def _fact(self, say: Speech) -> str:
        """The headline: the release of the least loss among those whose exposure is no more than random variation."""
        safe = [one for one in self.trials if one.records and one.given and one.exposed <= self.chance]
        if not safe:
            return say("In every release, these attackers find more than a random guess explains")
        best = min(safe, key=lambda one: one.loss)
        return say(
            "The smallest loss ({lost}) for which these attackers find no more than by random guesses: {kind}, {given}",
            kind=say(RELEASES[best.name]),
            given=parameter_text(best, say),
            lost=say.percent(best.loss),
        )

    def draw(self, path: Path, *, say: Speech) -> str:
        """Draw one chart: loss to the right, exposure upwards, a line for each family."""
        from cobogo.tell.report.canvas import BLUE, GREY, INK, MARGIN, MUTED, ORANGE, PALE, TINT, WIDTH, Sheet
        from cobogo.tell.report.curves import Axis, Curve, axes, legend, scatter

        colors = {
            "original": MUTED, "recoding": BLUE, "randomization": ORANGE, "sampling": PALE, "synthesis": INK,
            "local": GREY,
        }  # fmt: skip
        there = [one for one in self.trials if one.records]
        curves = [
            Curve(
                say(RELEASES[name]),
                [(one.loss, math.sqrt(one.exposed)) for one in there if one.name == name],
                colors[name],
            )
            for name in dict.fromkeys(one.name for one in there)
        ]
        sheet = Sheet(
            self._fact(say),
            say(
                "Releases of the same records. To the right: what was lost. Upwards: how much more attackers "
                "find about people in the data than about others."
            ),
        )
        left, wide = MARGIN + 0.62, WIDTH - 2 * MARGIN - 0.8
        legend(sheet, curves, left, wide, dots=True)
        sheet.text(
            MARGIN,
            sheet.top,
            say("success of the best attack against people in the data, minus its success against others"),
            size=9.5,
            color=MUTED,
        )
        sheet.top += 0.24
        most_lost = _ceiling(max(one.loss for one in there))
        most_found = _ceiling(max(*(one.exposed for one in there), self.chance))
        steps = [round(most_lost * step / 5, 4) for step in range(6)]
        ticks = [tick for tick in TICKS if tick <= most_found]
        across = Axis(
            say("loss: mean total variation of the frequencies of pairs of attributes"),
            steps,
            texts=[say.percent(step) for step in steps],
        )
        up = Axis(
            "",
            [math.sqrt(tick) for tick in ticks],
            texts=[say.percent(tick) for tick in ticks],
            bounds=(0, math.sqrt(most_found)),
        )
        tint = TALL * up.place(math.sqrt(self.chance))
        sheet.bars([(left, sheet.top + TALL - tint, wide, tint)], TINT)
        plane = axes(sheet, across, up, left=left, wide=wide, tall=TALL)
        text = say("random guesses explain this much")
        sheet.text(left + wide - 0.06, plane.floor - 0.13, text, size=8.5, color=MUTED, align="right")
        long = sheet.measure(text, 8.5)
        taken: list[Box] = [(left + wide - 0.06 - long, plane.floor - 0.2, long, 0.14)]
        taken += scatter(sheet, plane, curves, dot=DOT)
        for one in there:
            dot = plane.position(one.loss, math.sqrt(one.exposed))
            _write_label(sheet, parameter_text(one, say) or say("original"), dot, taken, plane)
        return sheet.save(path, sheet.top)


def _row(trial: FamilyTrial, say: Speech) -> Row:
    head = [say(RELEASES[trial.name]), parameter_text(trial, say).replace(" ", "\u00a0"), say.number(trial.records)]
    if not trial.records:
        return [*head, *no_release(say, 7)]
    use = [say.percent(trial.use[name]) for name in ("one-way", "two-way", "query-error", "accuracy")]
    use[1] = strong(use[1])
    found = [trial.attacks[name] for name in ATTACKS]
    return [*head, *use, *(f"{say.percent(one['members'])} ({say.percent(one['others'])})" for one in found)]


def parameter_text(trial: FamilyTrial, say: Speech) -> str:
    """The parameter of a release, as people write it."""
    return ", ".join(f"{SYMBOLS[name]} = {say.number(value)}" for name, value in trial.given.items())


def _write_label(sheet: Sheet, text: str, dot: tuple[float, float], taken: list[Box], plane: Plane) -> None:
    """Write a dot's label at the first free side of it, if there is one."""
    long, (x, y) = sheet.measure(text, 8.5), dot
    right, beside = x + DOT, x - DOT - long
    for a, b in ((right, y), (x - long / 2, y - 0.19), (beside, y), (x - long / 2, y + 0.19)):
        box = (a, b - 0.07, long, 0.14)
        inside = plane.left <= a and a + long <= plane.left + plane.wide + 0.25 and b < plane.floor - 0.05
        if inside and not any(_overlap(box, other) for other in taken):
            sheet.text(a, b, text, size=8.5)
            taken.append(box)
            return


def _overlap(one: Box, other: Box) -> bool:
    return (
        one[0] < other[0] + other[2] and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3] and other[1] < one[1] + one[3]
    )  # fmt: skip


def _ceiling(value: float) -> float:
    """The next multiple of a twentieth: an axis of five steps that reads well.

    >>> _ceiling(0.27), _ceiling(0.31)
    (0.3, 0.35)
    """
    return round(max(0.05, math.ceil(value * 20 - 1e-9) / 20), 2)


def families(
    data: Any,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    *,
    kind: Mapping[str, Sequence[float] | None] | None = None,
    records: int = MOST_RECORDS,
    seed: int = 0,
    engine: str | None = None,
    progress: Progress = show_in_notebook,
) -> Families:
    """Release one table by several families, and measure all alike.

    ``kind`` names families, each with the values of its parameter or None for the usual ones; all unless given. Half of
    the records, drawn by the ``seed``, are released; the other half are people who are not in the data. The results are
    measured on the true table, and stay with the data holder.
    """
    if policy is None:
        data, policy = None, data
    rules = settle_policy(Policy.from_any(policy), data)
    asked = dict.fromkeys(MAKERS) if kind is None else dict(kind)
    for name in asked:
        if name not in MAKERS:
            raise PolicyError(
                tr("there is no kind of release {name!r}", name=name),
                where="--kind",
                remedy=tr("Choose from: {makers}.", makers=", ".join(MAKERS)),
            )
    skipped: dict[str, str] = {}
    if "synthesis" in asked and find_spec("mbi") is None:
        del asked["synthesis"]
        skipped["synthesis"] = tr("mbi is not installed: pip install 'cobogo[synth]'")
    progress("read", 0, 0)
    source, original, table, own = _open_table(data, rules, records, seed, engine)
    plan = [(name, value) for name, values in asked.items() for value in (values or MAKERS[name][2])]
    found = [_measure(original, original_release(original), seed)]
    for number, (name, value) in enumerate(plan):
        progress("release", number, len(plan))
        try:
            found.append(_measure(original, MAKERS[name][1](original, own, table, value), seed))
        except InputError as error:
            if kind is not None:
                raise
            skipped[name] = error.what  # a family that was not named, and that the policy does not allow for
    return Families(
        source,
        timestamp(),
        original.names,
        len(original.members[0]),
        len(original.others[0]),
        tuple(found),
        skipped,
    )


def _measure(original: CodedOriginal, view: ReleaseView, seed: int) -> FamilyTrial:
    use, attacks = measure_use(original, view, seed), measure_attacks(original, view, seed)
    return FamilyTrial(
        name=view.kind, given=view.given, why=view.note or None, records=view.records, use=use, attacks=attacks
    )


def _open_table(
    data: Any, policy: Policy, records: int, seed: int, engine: str | None
) -> tuple[str, CodedOriginal, Any, Policy]:
    """The name of the table, the table in codes, the records to be released, and the policy of the columns used."""
    if not policy.sensitive or not policy.quasi_identifiers:
        raise PolicyError(
            tr(
                "the comparison needs quasi-identifiers, which attackers know, and a sensitive attribute, which "
                "they want to know"
            ),
            where=f"{policy.name}, attributes",
            remedy=tr("Give at least one column each of these roles."),
        )
    table = open_source(policy, engine) if data is None else read(data, policy.data, connect(engine))
    names = (*policy.quasi_identifiers, policy.sensitive[0])
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise DataError(
            tr('has no column "{name}"', name=absent[0]),
            where=table.name,
            remedy=tr("Its columns: {names}.", names=", ".join(table.columns)),
        )
    texts = {name: table.text(name) for name in names}
    texts[names[-1]] = texts[names[-1]].fill_null(MISSING)
    rows = table.engine.fetch(table.expression.select(**texts))
    if rows.num_rows < LEAST_RECORDS:
        raise DataError(
            tr("has fewer than {least_records} records", least_records=LEAST_RECORDS),
            where=table.name,
            remedy=tr("Give a larger table: with so few records, kinds of release cannot be compared."),
        )
    order = np.random.default_rng(seed).permutation(rows.num_rows)[: 2 * records]
    half = len(order) // 2
    released, others = rows.take(order[:half]), rows.take(order[half:])
    leaves: list[tuple[Label, ...]] = []
    members: list[Ints] = []
    beside: list[Ints] = []
    for name in names:
        known = sorted({*texts_of(rows.column(name))}, key=lambda text: (text is None, text))
        if len(known) > MOST_VALUES:
            raise DataError(
                tr('"{name}" has more than {most_values:,} values', name=name, most_values=MOST_VALUES),
                where=table.name,
                remedy=tr("Group the values, or leave the column out."),
            )
        index = {text: code for code, text in enumerate(known)}
        leaves.append(tuple(known))
        for part, into in ((released, members), (others, beside)):
            into.append(np.array([index[text] for text in texts_of(part.column(name))], dtype=np.int64))
    hierarchies = {
        name: build(name, policy.attributes[name].hierarchy, known, policy=policy)
        for name, known in zip(names[:-1], leaves, strict=False)
    }
    original = CodedOriginal(names, tuple(leaves), tuple(members), tuple(beside), hierarchies)
    return Path(table.name).name, original, released, _own(policy, names)


def _own(policy: Policy, names: Sequence[str]) -> Policy:
    """The policy of these columns alone; paths of hierarchies are made absolute."""
    attributes = {name: policy.attributes[name] for name in names}
    for name in names[:-1]:
        spec = attributes[name].hierarchy
        if isinstance(spec, CsvHierarchy):
            separator = spec.separator or policy.data.separator
            placed = spec.model_copy(update={"csv": str(policy.resolve(spec.csv).absolute()), "separator": separator})
            attributes[name] = attributes[name].model_copy(update={"hierarchy": placed})
    attributes[names[-1]] = AttributePolicy(role=Role.SENSITIVE)
    return policy.model_copy(update={"attributes": attributes})

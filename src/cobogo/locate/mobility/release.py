"""A mobility model and its made-up calls as a release, and how `cobogo verify` checks them from their own files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.policy import Role
from cobogo.data.table.read import Table
from cobogo.floor.language import Text, join, tr
from cobogo.floor.untrusted import fraction
from cobogo.locate.maps.layers import Layer
from cobogo.locate.mobility.counts import SHARES, Space
from cobogo.locate.mobility.fidelity import draw_fidelity, fidelity
from cobogo.locate.mobility.model import MobilityModel, mechanism
from cobogo.locate.mobility.sample import ModelAndCalls, dp_where
from cobogo.locate.places.cells import Calls
from cobogo.locate.release import judge_privacy, original_table, read_beside, write_json
from cobogo.promises.accounting import PrivacyLoss
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.models.promise import parameters
from cobogo.promises.payer import Payer
from cobogo.release.contract import ENTROPY, OUR_FAULT, CheckResult, Json, Meaning, Origin, ReadBack, Release, Written
from cobogo.release.drawn import DrawnRows, Story

MODEL = "model.json"

ROLES = {"user": Role.IDENTIFIER, "time": Role.SENSITIVE, "cell": Role.SENSITIVE}
"""What the columns of call records tell of people."""

MEANINGS = {
    "user": tr("the number of an invented person"),
    "time": tr("when the invented call was made, in UTC"),
    "cell": tr("the cell of the call, one of those listed in {file}", file=MODEL),
}

ON_TRUST = tr("the model does not show whether the stated noise was really drawn, and the guarantee depends on it")


class MadeUpCalls(DrawnRows):
    """A release by DP-WHERE: a model with noise, and calls of made-up people drawn from it; it is paid for when
    drawn."""

    kind = "mobility"
    reporter = "cobogo.locate.mobility.release:write_report"
    remedy = OUR_FAULT
    new_columns = True

    def __init__(
        self, true: Calls, space: Space, epsilon: Fraction, people: int | None, seed: int | None,
        paying: Payer | None, base: Sequence[Layer],
    ) -> None:  # fmt: skip
        self.true, self.base, self._space, self._epsilon = true, base, space, epsilon
        self._people, self._seed, self._paying = people, seed, paying

    @cached_property
    def result(self) -> ModelAndCalls:
        """The model and its calls; computed, and paid for, once."""
        space = self._space
        if self._paying is not None:
            self._paying.pay(
                PrivacyLoss("epsilon", self._epsilon), f"locate where, {space.days} days from {space.first}"
            )
        return dp_where(self.true, space, self._epsilon, people=self._people, seed=self._seed)

    @cached_property
    def fidelity(self) -> dict[str, Any]:
        """How near the made-up calls are to the truth: for the data holder only."""
        return fidelity(self.true, self.result.calls, self.result.model.space)

    def columns(self, kept: Sequence[str]) -> tuple[str, ...]:  # noqa: ARG002
        """The columns of call records."""
        return tuple(MEANINGS)

    def batches(self, table: Table, columns: Sequence[str]) -> Iterator[Any]:  # noqa: ARG002
        """The made-up calls."""
        import pyarrow as pa
        import pyarrow.compute as pc

        calls = self.result.calls.to_arrow()
        seconds = calls.column("time").cast(pa.timestamp("s"), safe=False)
        calls = calls.set_column(1, "time", pc.strftime(seconds, "%Y-%m-%d %H:%M:%S"))
        yield from calls.select(list(columns)).combine_chunks().to_batches() or [_nothing(columns)]

    def write_beside(self, public: Path) -> None:
        """Write the model."""
        write_json(self.result.model.as_dict(), public / MODEL)

    @property
    def meanings(self) -> Mapping[str, Meaning]:
        """What each column means: nobody in the table exists."""
        return {name: Meaning(text) for name, text in MEANINGS.items()}

    def statement(self) -> Json:
        """The parts of the model, and what each cost."""
        model = self.result.model
        return {"entropy": ENTROPY, "epsilon": str(model.epsilon), "unit": "a person with all records",
                "neighbours": "with one person more or less", "parts": model.costs()}  # fmt: skip

    def explanation(self) -> str:
        """How the model was made."""
        return _explanation(self.result)

    def private_statement(self) -> Json:
        """The seed of the made-up people, and the payer."""
        paying = self._paying
        paid = None if paying is None else {"dataset": paying.dataset, "analyst": paying.analyst}
        return {"seed": self._seed, "paid": paid}

    @property
    def model_entries(self) -> tuple[Json, ...]:
        """ε of each person."""
        return (parameters(DifferentialPrivacy(float(self.result.model.epsilon or 0))),)

    def story(self, before: Table, after: Table, say: Any) -> Story:  # noqa: ARG002
        """What it cost, and how near it is to the truth."""
        made = self.result
        summary = {"epsilon": float(made.model.epsilon or 0), "people": made.calls.users, "records": len(made.calls),
                   "parts": made.model.costs(), "fidelity": self.fidelity}  # fmt: skip
        return Story(summary, self.kind)


def release_of(
    true: Calls, space: Space, epsilon: Fraction, *, source: str, people: int | None = None,
    seed: int | None = None, paying: Payer | None = None, base: Sequence[Layer] = (),
) -> Release:  # fmt: skip
    """A release of a model of calls, which lie at ``source``; nothing is paid, drawn or written yet. ``base`` are the
    base layers of the evidence's map."""
    made = MadeUpCalls(true, space, epsilon, people, seed, paying, base)
    return Release(Origin(source, ROLES), original_table(true.to_arrow(), source), made)


def write_report(release: Release, read_back: ReadBack, evidence: Path) -> None:  # noqa: ARG001
    """Write ``report.json``, and pictures of how near made-up movement is to the true."""
    made = release.transformation
    assert isinstance(made, MadeUpCalls)
    write_json(made.story(release.table, release.drawn_table, None).summary, evidence / "report.json")
    space, language = made.result.model.space, release.origin.language
    draw_fidelity(made.true, made.result.calls, space, evidence, base=made.base, language=language)


def _nothing(columns: Sequence[str]) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({name: pa.array([], pa.string()) for name in columns})


def _explanation(made: ModelAndCalls) -> Text:
    """What recipients must know to use the release."""
    about = tr(
        "No person in this table exists. `{file}` holds counts of people with noise (discrete Laplace, in fine and in "
        "coarse bins); the calls were drawn from it. What one real person did on all of the days changes the "
        "probability of anything here by a factor of at most e^{epsilon:g}.",
        file=MODEL,
        epsilon=float(made.model.epsilon or 0),
    )
    rows = [
        join([f"| {row['part']}", row["about"], row["epsilon"], f"{row['scale']:.6g} |"], " | ")
        for row in made.model.costs()
    ]
    table = join([tr("| part | counts | ε | scale of the noise |"), "|---|---|---|---|", *rows], "\n")
    return join([tr("## How it was made"), about, table], "\n\n")


def check(written: Written) -> CheckResult:
    """Check that the parts cost what is stated, that their noise is enough for what a person can change, and every
    call."""
    model = MobilityModel.from_dict(read_beside(written, MODEL))
    problems = [*_costs(written.statement, model), *_calls(written, model)]
    spent = sum((part.epsilon or Fraction(0) for part in model.parts.values()), Fraction(0))
    return judge_privacy(written, spent, problems, ON_TRUST)


def _costs(stated: dict[str, Any], model: MobilityModel) -> Iterator[str]:
    """Problems with the stated costs, and with noise that is too small for them."""
    if stated.get("entropy") != ENTROPY:
        yield tr("the manifest does not say that the noise came from the operating system")
    if model.epsilon is None or any(part.epsilon is None for part in model.parts.values()):
        yield tr("the model has parts without noise: it must not be given away")
        return
    if sum((part.epsilon or Fraction(0) for part in model.parts.values()), Fraction(0)) != model.epsilon:
        yield tr("the costs of the parts do not sum to the cost that the model states")
    if str(model.epsilon) != stated["epsilon"] or {row["part"] for row in stated["parts"]} != SHARES.keys():
        yield tr("the manifest states another cost, or other parts, than the model")
    for row in stated["parts"]:
        part, shape = model.parts[row["part"]], model.shapes[row["part"]]
        assert part.epsilon is not None
        if fraction(row["epsilon"]) != part.epsilon or int(row["sensitivity"]) < shape.sensitivity:
            yield tr("the part {part} states a smaller sensitivity or another cost than the model", part=row["part"])
        elif float(row["scale"]) < mechanism(shape, part.epsilon).scale * (1 - 1e-12):
            yield tr("the part {part} states less noise than its cost requires", part=row["part"])


def _calls(written: Written, model: MobilityModel) -> Iterator[str]:
    """Problems with the released calls: each must be at a declared cell on a declared day."""
    from cobogo.errors import DataError

    table = written.rows.engine.fetch(written.rows.expression)
    try:
        calls = Calls.from_columns(table["user"], table["time"], table["cell"], model.space.cells, where="release.csv")
    except DataError as error:
        yield tr("the model cannot have produced the released calls: {reason}", reason=error.what)
        return
    since = calls.time - model.space.start
    if not np.all((since >= 0) & (since < model.space.days * 86_400)):
        yield tr("some released calls are on days that were not declared")

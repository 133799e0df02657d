"""A model and its made-up calls as a release, all or nothing: ``public/`` may leave the house, ``evidence/`` not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.policy import Policy, Role
from cobogo.errors import VerificationFailed
from cobogo.floor import place
from cobogo.floor.randomness import keys
from cobogo.locate.maps.layers import Layer
from cobogo.locate.mobility.check import MODEL
from cobogo.locate.mobility.fidelity import draw_fidelity, fidelity
from cobogo.locate.mobility.fit import ModelAndCalls, where
from cobogo.locate.mobility.space import Space
from cobogo.locate.places.cells import Calls
from cobogo.promises.accounting import Loss
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.promises.models.promise import parameters
from cobogo.promises.paying import Payer
from cobogo.release import dictionary, kinds
from cobogo.release.contract import ENTROPY
from cobogo.release.contract import Written as Released
from cobogo.release.evidence import is_output, seal
from cobogo.release.manifest import Column, DataEntry, Manifest
from cobogo.release.readback import opened
from cobogo.release.verdict import Verdict
from cobogo.release.write import OUR_FAULT
from cobogo.release.write import seal as seal_public

KIND = "mobility"
ROWS = "release.csv"

MEANINGS = {
    "user": "the number of a person who never was",
    "time": "when the made-up call was made, in UTC",
    "cell": f"the cell it was made from, one of those listed in {MODEL}",
}


@dataclass(frozen=True, eq=False)
class Written:
    """What was written: the model and its calls, the verdict on them, and how near they are to the truth, which is for
    the data holder alone."""

    made: ModelAndCalls
    verdict: Verdict
    fidelity: dict[str, Any]


def write(
    true: Calls, space: Space, epsilon: Fraction, directory: Path, *, source: str, people: int | None = None,
    seed: int | None = None, paying: Payer | None = None, base: Sequence[Layer] = (),
) -> Written:  # fmt: skip
    """Pay, make a model and calls, write them under a temporary name, read them back, verify them, compare them with
    the truth for the evidence, and put all in place at once. What cannot be written is not paid for. ``base`` are the
    layers below the map of the evidence."""
    kept = {"seed": seed, "paid": None if paying is None else {"dataset": paying.dataset, "analyst": paying.analyst}}
    with place.staged(directory, replaceable=is_output) as stage:
        if paying is not None:
            paying.pay(Loss("epsilon", epsilon), f"location where, {space.days} days from {space.first}")
        made = where(true, space, epsilon, people=people, seed=seed)
        public, evidence = stage / "public", stage / "evidence"
        public.mkdir()
        evidence.mkdir(mode=0o700)
        _write_rows(made.calls, public / ROWS)
        _write_json(made.model.as_dict(), public / MODEL)
        unsigned = _draft(made, len(made.calls))
        asked = [parameters(DifferentialPrivacy(float(made.model.epsilon or 0)))]
        after = opened(public / ROWS, unsigned)
        found = kinds.check(Released(unsigned, after, asked, kept, public))
        if found.problems or after.rows() != len(made.calls):
            raise VerificationFailed("; ".join(found.problems) or "rows were lost in writing", remedy=OUR_FAULT)
        for verdict in found.verdicts:
            if not verdict.satisfied:
                raise VerificationFailed(f"the parts cost more than {verdict.model} allows for", remedy=OUR_FAULT)
        measured = tuple(verdict.as_dict() for verdict in found.verdicts)
        text = dictionary.render(
            unsigned.columns,
            measured,
            star=False,
            drawn=dictionary.about_drawing(found.verdicts),
            explained=_explained(made),
        )
        seal_public(unsigned.model_copy(update={"models": measured}), text, public)
        compared = fidelity(true, made.calls, made.model.space)
        report = {"epsilon": float(made.model.epsilon or 0), "people": made.calls.users, "records": len(made.calls),
                  "parts": made.model.costs(), "fidelity": compared}  # fmt: skip
        _write_json(report, evidence / "report.json")
        draw_fidelity(true, made.calls, made.model.space, evidence, base=base)
        content = {"transformation": kept, "input": {"records": len(true)}}
        seal(content, _policy(source), "", public, evidence)
    return Written(made, Verdict(found.verdicts, found.problems, len(made.calls), None, found.notes), compared)


def _write_rows(calls: Calls, path: Path) -> None:
    """The calls in a random order: the order of rows is no information of a release."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv

    table = calls.take(np.argsort(keys(len(calls)))).to_arrow()
    seconds = table.column("time").cast(pa.timestamp("s"), safe=False)
    table = table.set_column(1, "time", pc.strftime(seconds, "%Y-%m-%d %H:%M:%S"))
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="needed", quoting_header="none"))


def _write_json(content: Any, path: Path) -> None:
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _draft(made: ModelAndCalls, records: int) -> Manifest:
    columns = tuple(
        Column(name=name, role=Role.NON_SENSITIVE, meaning=text, truthful=False, added=True)
        for name, text in MEANINGS.items()
    )
    stated = {"entropy": ENTROPY, "epsilon": str(made.model.epsilon), "unit": "a person with all records",
              "neighbours": "with one person more or less", "parts": made.model.costs()}  # fmt: skip
    data = DataEntry(file=ROWS, format="csv", separator=",", records=records)
    return Manifest(
        format="cobogo-release/1", kind=KIND, data=data, columns=columns, models=(), files={}, transformation=stated
    )


def _explained(made: ModelAndCalls) -> str:
    """What whoever receives the release must know to use it."""
    rows = [f"| {row['part']} | {row['about']} | {row['epsilon']} | {row['scale']:.6g} |" for row in made.model.costs()]
    return "\n".join(
        [
            "## How it was made",
            "",
            f"Nobody in this table exists. `{MODEL}` holds counts of people with noise (discrete Laplace, in fine and "
            "in coarse bins); the calls were drawn from it. What one real person did in all of the days changes the "
            f"chances of everything here by a factor of e^{float(made.model.epsilon or 0):g} at most.",
            "",
            "| part | counts | ε | scale of the noise |",
            "|---|---|---|---|",
            *rows,
        ]
    )


def _policy(source: str) -> Policy:
    """What the evidence keeps of where the records came from."""
    roles = {"user": Role.IDENTIFIER, "time": Role.SENSITIVE, "cell": Role.SENSITIVE}
    attributes = {name: {"role": role.value} for name, role in roles.items()}
    return Policy.of({"data": {"path": source}, "attributes": attributes})

"""Verifying a mobility model and the calls drawn from it: all that can be seen in the files themselves."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from cobogo.errors import VerificationFailed
from cobogo.floor.outside import fraction
from cobogo.locate.mobility.counts import SHARES
from cobogo.locate.mobility.model import MobilityModel, mechanism
from cobogo.locate.places.cells import Calls
from cobogo.promises.models.differential_privacy import DifferentialPrivacy
from cobogo.release.contract import ENTROPY, Findings, Written

MODEL = "model.json"

ON_TRUST = "that the noise stated was really drawn cannot be seen in the model; the guarantee follows from it"


def check(written: Written) -> Findings:
    """Add up again what the parts cost, by noise that fits what a person can change; look at every released call."""
    if written.directory is None:
        raise VerificationFailed("the model cannot be found beside its calls")
    model = MobilityModel.of(_read(written))
    problems = [*_costs(written.stated, model), *_calls(written, model)]
    spent = sum((part.epsilon or Fraction(0) for part in model.parts.values()), Fraction(0))
    verdicts = []
    for entry in written.asked:
        if entry.get("model") != DifferentialPrivacy.name:
            problems.append(f"{entry.get('model')} is asked for, and does not follow from differential privacy")
        else:
            wanted = DifferentialPrivacy(float(entry["epsilon"]), float(entry.get("delta", 0)))
            verdicts.append(wanted.verdict(float(spent), 0.0))
    if not verdicts:
        problems.append("the manifest promises nothing")
    return Findings(tuple(verdicts), tuple(problems), (ON_TRUST,))


def _read(written: Written) -> Any:
    assert written.directory is not None
    try:
        return json.loads((written.directory / MODEL).read_bytes())
    except (OSError, ValueError):
        raise VerificationFailed("is damaged", where=MODEL) from None


def _costs(stated: dict[str, Any], model: MobilityModel) -> Iterator[str]:
    """What the parts of the model cost must be what the manifest says, and their noise large enough for it."""
    if stated.get("entropy") != ENTROPY:
        yield "the manifest does not say that the noise came from the operating system"
    if model.epsilon is None or any(part.epsilon is None for part in model.parts.values()):
        yield "the model has parts without noise: it must not leave the house"
        return
    if sum((part.epsilon or Fraction(0) for part in model.parts.values()), Fraction(0)) != model.epsilon:
        yield "the parts do not cost what the model says that it costs"
    if str(model.epsilon) != stated["epsilon"] or {row["part"] for row in stated["parts"]} != SHARES.keys():
        yield "the manifest states another cost, or other parts, than the model"
    for row in stated["parts"]:
        part, shape = model.parts[row["part"]], model.shapes[row["part"]]
        assert part.epsilon is not None
        if fraction(row["epsilon"]) != part.epsilon or int(row["sensitivity"]) < shape.sensitivity:
            yield f"the part {row['part']} takes a person to change less than a person can, or to cost less"
        elif float(row["scale"]) < mechanism(shape, part.epsilon).scale * (1 - 1e-12):
            yield f"the part {row['part']} states less noise than its cost allows for"


def _calls(written: Written, model: MobilityModel) -> Iterator[str]:
    """Every call must be at a declared cell on a declared day."""
    from cobogo.errors import DataError

    table = written.rows.engine.fetch(written.rows.expression)
    try:
        calls = Calls.of(table["user"], table["time"], table["cell"], model.space.cells, where="release.csv")
    except DataError as error:
        yield f"the released calls are not such as the model can give: {error.what}"
        return
    since = calls.time - model.space.start
    if not np.all((since >= 0) & (since < model.space.days * 86_400)):
        yield "some of the released calls are on other days than those declared"

"""What the released rows alone tell of the models: all that may be published of them, and all that a receiver can
check.

A figure is published only if it follows from the released bytes and the models' parameters. One that compares with the
table before suppression gives suppressed people away to whoever has the release, and stays in the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cobogo.data.classes import Classes
from cobogo.data.hierarchy import Hierarchy
from cobogo.data.table.frequency import FrequencyTable
from cobogo.floor.language import Text, tr
from cobogo.promises.models import Model
from cobogo.promises.models.base import Records
from cobogo.promises.models.check import ModelVerdict, check
from cobogo.promises.models.promise import parameters
from cobogo.release.manifest import Manifest
from cobogo.release.reference import Baseline

PEOPLE = tr("records were counted instead of people, because only the evidence identifies people")
"""What is said where a model counts people."""


def may_be_published(model: Model, manifest: Manifest) -> bool:
    """Whether what a model measures on the released rows follows from them, so that it may be published."""
    if not model.follows_from_release or not _is_released(model, manifest):
        return False
    return not manifest.data.people or model.records_tell is Records.ALL


def public_entries(
    verdicts: Sequence[ModelVerdict], released: FrequencyTable, manifest: Manifest, reference: Baseline
) -> tuple[dict[str, Any], ...]:
    """The models that hold, as the manifest states them: each with what the released rows alone measure, or with no
    figure where nothing follows from them."""
    models = [verdict.model for verdict in verdicts if isinstance(verdict.model, Model)]
    shown = [model for model in models if may_be_published(model, manifest)]
    figures = {found.model: found for found in _measure(shown, released, manifest, reference.populations)}
    return tuple(
        _public(figures[model].as_dict() | {"satisfied": True})
        if model in figures
        else _public({**parameters(model), "satisfied": True})
        for model in models
    )


def misstatements(
    manifest: Manifest,
    asked: Sequence[Model],
    released: FrequencyTable,
    populations: Mapping[str, FrequencyTable],
) -> list[str]:
    """Where the manifest states another figure than the released rows have, or one that does not follow from them."""
    known = {model_key(parameters(model)): model for model in asked}
    shown = [
        model
        for model in known.values()
        if may_be_published(model, manifest) and set(model.populations) <= {*populations}
    ]
    figures = {model_key(parameters(found.model)): found for found in _measure(shown, released, manifest, populations)}
    problems: list[str] = []
    for entry in manifest.models:
        name, found = entry.get("model"), figures.get(model_key(entry))
        if entry.get("satisfied") is not True:
            problems.append(tr("the manifest does not say that {model} holds", model=name))
        elif found is not None and not agree(entry.get("measured"), found.as_dict()["measured"]):
            problems.append(other_measure(name))
        elif (
            "measured" in entry
            and model_key(entry) in known
            and not may_be_published(known[model_key(entry)], manifest)
        ):
            what = tr(
                "the manifest states a measure of {model} that does not follow from the released rows", model=name
            )
            problems.append(what)
    return problems


def other_measure(model: object) -> Text:
    """The problem of a manifest that states another figure than was measured."""
    return tr("the manifest states a measure of {model} that differs from the one found", model=model)


def judge(
    asked: Sequence[Model],
    released: FrequencyTable,
    manifest: Manifest,
    populations: Mapping[str, FrequencyTable],
) -> tuple[tuple[ModelVerdict, ...], tuple[str, ...]]:
    """The verdicts that the released rows allow, without the evidence; and what could not be decided, and why."""
    shown = [model for model in asked if model.follows_from_release and _is_released(model, manifest)]
    found = {verdict.model: verdict for verdict in _measure(shown, released, manifest, populations)}
    verdicts: list[ModelVerdict] = []
    notes: list[str] = []
    for model in asked:
        broken = None if model in found else _refutation(model, released, manifest)
        if broken is not None:
            verdicts.append(broken)
            continue
        if model not in found:
            verdicts.append(ModelVerdict(model, False, None, None, 0, undecided=True))
            elsewhere = tr(
                "{model} needs data that are not in the release, and only the evidence can decide it", model=str(model)
            )
            notes.append(elsewhere)
            continue
        verdict, why = _decide(found[model], manifest)
        verdicts.append(verdict)
        notes += [] if why is None else [why]
    return tuple(verdicts), tuple(dict.fromkeys(notes))


def _refutation(model: Model, released: FrequencyTable, manifest: Manifest) -> ModelVerdict | None:
    """The verdict on a model that compares with earlier releases, if the rows of this one already break it."""
    if not model.series or not _is_released(model, manifest):
        return None
    (found,) = _measure([model.alone], released, manifest, {})
    return None if found.satisfied else replace(found, model=model)


def agree(one: Any, other: Any) -> bool:
    """Whether two figures agree, but for the rounding of floats."""
    if isinstance(one, int | float) and isinstance(other, int | float):
        return abs(one - other) <= 1e-9 * max(1.0, abs(one))
    return bool(one == other)


def model_key(entry: Mapping[str, Any]) -> str:
    """A model as stated, without what was found and without where other tables and releases lie."""
    aside = ("satisfied", "measured", "population", "previous")
    return repr(sorted((name, _comparable(value)) for name, value in entry.items() if name not in aside))


def _comparable(value: Any) -> Any:
    """A parameter as it is compared: one number has one form, whether a file or a policy gave it."""
    if isinstance(value, Mapping):
        return sorted((name, _comparable(inner)) for name, inner in value.items())
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


def _is_released(model: Model, manifest: Manifest) -> bool:
    names = {column.name for column in manifest.columns}
    return set(model.attributes) <= names


def _decide(found: ModelVerdict, manifest: Manifest) -> tuple[ModelVerdict, str | None]:
    """A verdict on the released rows as far as it is one on the release; and why it is none, where it is none."""
    model = found.model
    assert isinstance(model, Model)
    if manifest.data.people and model.records_tell is not Records.ALL:
        refuted = model.records_tell is Records.TOO_MANY and not found.satisfied
        return (found, None) if refuted else (replace(found, satisfied=False, undecided=True), PEOPLE)
    if model.compares and not found.satisfied:
        return replace(found, undecided=True), tr(
            "{model} exceeds its bound against the released rows; only the evidence can show that it holds before "
            "suppression",
            model=str(model),
        )
    return found, None


def _measure(
    models: Sequence[Model],
    released: FrequencyTable,
    manifest: Manifest,
    populations: Mapping[str, FrequencyTable],
) -> tuple[ModelVerdict, ...]:
    """Models on the classes of the released rows, whose distribution is taken for that of the table."""
    needed = {name for model in models for name in model.populations}
    return check(models, classes(released, manifest, {name: populations[name] for name in needed}))


def classes(
    released: FrequencyTable, manifest: Manifest, populations: Mapping[str, FrequencyTable] | None = None
) -> Classes:
    """The released classes as whoever has nothing but the release sees them."""
    trees = {name: Hierarchy.from_columns(name, columns) for name, columns in manifest.trees.items()}
    table = released.with_trees(trees, manifest.data.decimal)
    return Baseline(dict(table.domains), populations=populations or {}).classes(table)


def _public(entry: dict[str, Any]) -> dict[str, Any]:
    """A model's entry without what only the data holder may know: where other tables and releases lie."""
    return {name: name if name in ("population", "previous") else value for name, value in entry.items()}

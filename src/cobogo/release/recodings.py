"""Verifying a recoding: every model checked again from the published values, on classes that the engine counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cobogo.data.classes import Classes, Domain, Earlier, Histogram
from cobogo.data.files.settle import settle_policy
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy, Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, open_source
from cobogo.data.table.spelling import normalize
from cobogo.errors import DataError, HierarchyError, OutputError, PolicyError, VerificationFailed
from cobogo.floor.language import Text, tr, trn
from cobogo.promises import models
from cobogo.promises.models import Model
from cobogo.promises.models.check import check, models_given_away, withheld_refusal
from cobogo.promises.models.promise import parameters
from cobogo.promises.population import open_population, recode_population
from cobogo.release import manifest as manifests
from cobogo.release import public_models
from cobogo.release.buckets import IN_GROUPS, NO_IDENTITY
from cobogo.release.contract import Verdict, problem_of
from cobogo.release.evidence import NAME as EVIDENCE
from cobogo.release.manifest import Manifest
from cobogo.release.margins import NO_RECORDS
from cobogo.release.readback import count_released_rows, engine_in_evidence, locate_released_rows
from cobogo.release.reference import (
    Baseline,
    Json,
    OriginalTable,
    counterfeit_note,
    counterfeit_problems,
    domain_from_json,
    histogram_from_json,
    people_from_json,
)
from cobogo.release.series import load_series

RESTORE = tr("Restore the evidence from a copy, or verify public/ alone.")
"""What to do about evidence that cannot be read."""


def verify_recoding(
    public: Path, manifest: Manifest, kept: Json | None, rules: Policy | None, engine: str | None, problems: list[str]
) -> Verdict:
    """The verdict on a recoding: its classes must satisfy the manifest's models, the evidence's and the policy's."""
    asked, contradictions = _models(manifest, kept, rules)
    problems += contradictions
    quasi = manifest.with_role(Role.QUASI_IDENTIFIER)
    if kept is not None:
        problems += _evidence_contradictions(manifest, kept)
    if rules is not None:
        problems += role_problems(manifest, rules)
        quasi = tuple(dict.fromkeys((*quasi, *rules.quasi_identifiers)))
    names = {column.name for column in manifest.columns}
    if not {*quasi} <= names:
        missing = ", ".join(sorted({*quasi} - names))
        return Verdict((), (*problems, tr("the release does not have the columns {columns}", columns=missing)), 0, 0)
    sensitive = [name for name in dict.fromkeys(name for model in asked for name in model.attributes) if name in names]
    try:
        rows = locate_released_rows(public, manifest, kept, engine)
        table = count_released_rows(rows, manifest, quasi, sensitive)
        if isinstance(rows, Table) and rows.digest(manifest.data.separator) != manifest.data.sha256:
            problems.append(tr("the table {table} does not contain the rows that were released", table=rows.name))
        made_by = None if kept is None else _policy_in_evidence(kept)
        known_people: Classes | None = None
        populations = _populations(asked, manifest, rules or made_by)
        if kept is None or made_by is None:
            known = [model for model in asked if rules is not None and model.needs_members]
            verdicts, notes = public_models.judge([m for m in asked if m not in known], table, manifest, populations)
            if known:
                verdicts = (*verdicts, *check(known, _classes_with_members(table, manifest, rules, engine)))
        else:
            reference = _reference(manifest, kept, rules or made_by, asked, engine, populations)
            classes = reference.classes(table)
            verdicts, notes = check(asked, classes), ()
            known_people = reference.people
            if any(column.withheld for column in manifest.columns):
                problems += [withheld_refusal(model) for model in models_given_away(asked, classes)]
        own = [
            model
            for model in asked
            if public_models.model_key(parameters(model)) in {public_models.model_key(e) for e in manifest.models}
        ]
        problems += public_models.misstatements(manifest, own, table, populations)
        problems += counterfeit_problems(table, manifest.counterfeits, known_people)
    except (DataError, VerificationFailed) as error:
        return Verdict((), (*problems, problem_of(error)), 0, 0)
    if table.records != manifest.data.records:
        problems.append(other_number(table.records, manifest))
    if not table.records:
        problems.append(tr("the release has no records, so no model can hold"))
    return Verdict(verdicts, tuple(problems), table.records, len(table.counts), (*notes, *_kind_notes(manifest)))


def other_number(records: int, manifest: Manifest) -> Text:
    """The problem of a release that has not as many records as its manifest says."""
    return trn(
        "the release has {n:,} record; its manifest says {stated:,}",
        "the release has {n:,} records; its manifest says {stated:,}",
        n=records,
        stated=manifest.data.records,
    )


def _kind_notes(manifest: Manifest) -> tuple[str, ...]:
    """What the models were measured on, where it is not one released table."""
    if manifest.marginals:
        return (NO_RECORDS,)
    if manifest.counterfeits is not None and manifest.counterfeits.records:
        return (counterfeit_note(manifest.counterfeits),)
    if manifest.buckets is None:
        return ()
    return (IN_GROUPS if manifest.buckets.condensed else NO_IDENTITY,)


def _models(manifest: Manifest, kept: Json | None, rules: Policy | None) -> tuple[tuple[Model, ...], list[str]]:
    """The models to check: those of the manifest and of the evidence, which must be the same, and the policy's.

    The evidence tells where populations and earlier releases lie, and the manifest does not.
    """
    found = ("satisfied", "measured")
    stated = [{name: value for name, value in entry.items() if name not in found} for entry in manifest.models]
    sensitive = manifest.with_role(Role.SENSITIVE)
    problems: list[str] = []
    asked = _build_models(stated, sensitive)
    if kept is not None:
        made_for = _build_models(_models_in_evidence(kept), sensitive)
        promised, kept_to = (
            {public_models.model_key(parameters(model)) for model in some} for some in (asked, made_for)
        )
        problems += [
            tr("the manifest names {model}, and the evidence does not", model=str(model))
            for model in asked
            if public_models.model_key(parameters(model)) not in kept_to
        ]
        problems += [
            tr("the release was made for {model}, and its manifest does not name it", model=str(model))
            for model in made_for
            if public_models.model_key(parameters(model)) not in promised
        ]
        extra = [m for m in asked if public_models.model_key(parameters(m)) not in kept_to and m.follows_from_release]
        asked = (*made_for, *(model for model in extra if not model.populations))
    if rules is not None:
        own = models.build(rules.models, rules.sensitive, where=rules.name)
        if any(model.populations for model in own):  # the policy knows where the population lies
            asked = tuple(model for model in asked if not model.populations)
        asked = tuple(dict.fromkeys((*asked, *own)))
    return asked, problems


def _build_models(stated: Sequence[Mapping[str, Any]], sensitive: Sequence[str]) -> tuple[Model, ...]:
    try:
        return models.build(stated, sensitive, where=manifests.NAME)
    except PolicyError as error:
        what = tr("the manifest names a model that cannot be checked: {what}", what=error.what)
        raise VerificationFailed(what, where=manifests.NAME) from None


def _models_in_evidence(kept: Json) -> list[Json]:
    try:
        stated = kept["policy"]["privacy"]["models"]
        return [dict(entry) for entry in stated]
    except (KeyError, TypeError, ValueError):
        raise VerificationFailed(tr("evidence/{evidence} is damaged", evidence=EVIDENCE), remedy=RESTORE) from None


def _policy_in_evidence(kept: Json) -> Policy:
    return Policy.of(kept["policy"], home=kept["home"], name=f"evidence/{EVIDENCE}")


def _evidence_contradictions(manifest: Manifest, kept: Json) -> list[str]:
    """Where the manifest says something else of the columns than the evidence, whatever their hashes."""
    attributes = _policy_in_evidence(kept).attributes
    problems: list[str] = []
    for column in manifest.columns:
        attribute = attributes.get(column.name)
        if attribute is not None and attribute.role is not column.role:
            problems.append(tr('the manifest and the evidence give different roles to "{column}"', column=column.name))
    levels = {c.name: c.level for c in manifest.columns if c.level is not None and c.role is Role.QUASI_IDENTIFIER}
    if kept.get("levels", levels) != levels:
        problems.append(tr("the manifest and the evidence give different levels to the columns"))
    return problems


def _reference(
    manifest: Manifest,
    kept: Json,
    policy: Policy,
    asked: Sequence[Model],
    engine: str | None,
    populations: Mapping[str, FrequencyTable],
) -> Baseline:
    """What the released classes are compared with, from the evidence."""
    domains, people, withheld = _reference_in_evidence(kept)
    uncounted = {name for model in asked for name in model.attributes} - set(domains)
    if uncounted:
        raise VerificationFailed(
            tr("the evidence does not contain the columns {columns}", columns=", ".join(sorted(uncounted)))
        )
    if people is not None and any(model.series for model in asked):
        people = replace(people, earlier=_earlier(kept, _policy_in_evidence(kept), asked))
    original = None
    if any(model.needs_members for model in asked):
        original = _original(manifest, policy, engine or engine_in_evidence(kept), star=bool(kept.get("star")))
    return Baseline(domains, people, withheld, populations, original)


def _classes_with_members(
    table: FrequencyTable, manifest: Manifest, policy: Policy | None, engine: str | None
) -> Classes:
    """The released classes with the original tuples behind them, from where a policy says that they lie."""
    original = _original(manifest, policy, engine, star=False)
    return replace(public_models.classes(table, manifest), members=original.members(table))


def _populations(asked: Sequence[Model], manifest: Manifest, policy: Policy | None) -> dict[str, FrequencyTable]:
    names = dict.fromkeys(name for model in asked for name in model.populations)
    return {name: _population(name, manifest, policy) for name in names}


def _reference_in_evidence(kept: Json) -> tuple[dict[str, Domain], Classes | None, dict[str, Histogram]]:
    """The distributions, the people and the withheld columns that the evidence keeps."""
    try:
        domains = {name: domain_from_json(name, content) for name, content in kept["reference"].items()}
        withheld = {name: histogram_from_json(content, domains[name]) for name, content in kept["withheld"].items()}
        return domains, None if kept["people"] is None else people_from_json(kept["people"], domains), withheld
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, HierarchyError):
        raise VerificationFailed(tr("evidence/{evidence} is damaged", evidence=EVIDENCE), remedy=RESTORE) from None


def _earlier(kept: Json, policy: Policy, asked: Sequence[Model]) -> dict[tuple[str, str], Earlier]:
    """What the previous release, which must still be there, told of the people."""
    try:
        pseudonyms, key = kept["people"]["who"]["pseudonyms"], kept["series"]["key"]
    except (KeyError, TypeError):
        raise VerificationFailed(tr("evidence/{evidence} is damaged", evidence=EVIDENCE), remedy=RESTORE) from None
    found = {}
    for name, attribute in dict.fromkeys(pair for model in asked for pair in model.series):
        previous = load_series(name, policy)
        if previous.key.hex() != key:
            raise VerificationFailed(tr("the previous release at {name} belongs to another series", name=name))
        found[name, attribute] = previous.earlier(attribute, pseudonyms)
    return found


def _original(manifest: Manifest, policy: Policy | None, engine: str | None, *, star: bool) -> OriginalTable:
    """The original table, counted again from where the policy says it lies."""
    if policy is None or (policy.data.path is None and policy.data.table is None):
        raise OutputError(
            tr("a model of the release can be measured only with the original data"),
            where=manifests.NAME,
            remedy=tr("Give the policy that names the original data: --policy."),
        )
    policy = settle_policy(policy)
    table = normalize(open_source(policy, engine if policy.data.path is None else None), policy)
    counted = frequency_table(table, policy.quasi_identifiers, policy.sensitive, unit=policy.data.unit)
    hierarchies = tuple(
        build(name, policy.attributes[name].hierarchy, counted.values[name], policy=policy)
        for name in policy.quasi_identifiers
    )
    trees = {
        name: build(name, spec, counted.domains[name].labels, policy=policy)
        for name in policy.sensitive
        if (spec := policy.attributes[name].hierarchy) is not None
    }
    levels = {column.name: column.level or 0 for column in manifest.columns}
    return OriginalTable(counted.with_trees(trees, policy.data.decimal), hierarchies, levels, star)


def _population(name: str, manifest: Manifest, policy: Policy | None) -> FrequencyTable:
    """A population table, recoded as the release was."""
    if policy is None:
        raise OutputError(
            tr("the release was made against a population table, which is needed to verify it"),
            where=manifests.NAME,
            remedy=tr("Give the policy that names the population table: --policy."),
        )
    if any(column.level is None for column in manifest.columns if column.role is Role.QUASI_IDENTIFIER):
        raise VerificationFailed(
            tr("each record was recoded on its own, so it is unknown how the records of a population would be recoded")
        )
    population = open_population(name, policy)
    counted = frequency_table(population, policy.quasi_identifiers, [])
    levels = {column.name: column.level or 0 for column in manifest.columns}
    return recode_population(counted, policy, levels)


def role_problems(manifest: Manifest, policy: Policy) -> list[str]:
    """Released columns that a policy does not allow."""
    problems: list[str] = []
    ours = () if manifest.buckets is None else (manifest.buckets.group, manifest.buckets.count)
    ours = (*ours, *(entry.count for entry in manifest.marginals))
    for column in manifest.columns:
        if column.added or column.name in ours:
            continue
        attribute = policy.attributes.get(column.name)
        if attribute is None:
            raise PolicyError(
                tr('does not give a role to the released column "{name}"', name=column.name),
                where=policy.name,
                remedy=tr("Add the column to [attributes], or give the policy of this release."),
            )
        if attribute.role is Role.IDENTIFIER:
            problems.append(tr('the identifier "{column}" is in the release', column=column.name))
        if column.level is not None and column.level < attribute.min_level:
            problems.append(
                tr(
                    '"{column}" is released at level {level}, and the policy allows no level below {least}',
                    column=column.name,
                    level=column.level,
                    least=attribute.min_level,
                )
            )
    return problems

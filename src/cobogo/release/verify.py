"""Verification: every model checked again from the published values, on classes that the engine counts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from cobogo.data.classes import Classes, Domain, Earlier, Histogram
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy, Role
from cobogo.data.table.frequency import FrequencyTable, frequency_table
from cobogo.data.table.read import Table, open_source
from cobogo.data.table.spelling import normalized
from cobogo.errors import DataError, HierarchyError, OutputError, PolicyError, VerificationFailed
from cobogo.promises import models
from cobogo.promises.models import Model
from cobogo.promises.models.check import ModelVerdict, check
from cobogo.promises.models.promise import parameters
from cobogo.promises.population import open_population, recoded
from cobogo.publish import series
from cobogo.publish.recode.withhold import follows, given_away
from cobogo.release import alone, kinds
from cobogo.release import manifest as manifests
from cobogo.release.buckets import IN_GROUPS, NO_IDENTITY
from cobogo.release.contract import Written
from cobogo.release.evidence import NAME as EVIDENCE
from cobogo.release.evidence import OWN_HASH, own_hash
from cobogo.release.manifest import FileEntry, Manifest
from cobogo.release.marginals import NO_RECORDS
from cobogo.release.readback import kept_engine, opened, parts, released_rows, released_table
from cobogo.release.reference import (
    Json,
    Original,
    Reference,
    domain_from_json,
    histogram_from_json,
    people_from_json,
)
from cobogo.release.verdict import Verdict

KEPT = {"home", "policy", "manifest-sha256", OWN_HASH}
"""What verification asks of any evidence."""

RECODED = {"reference", "withheld", "people", "series"}
"""And of that of a recoding."""


def verify(
    release: str | Path,
    *,
    policy: str | Path | Policy | Mapping[str, Any] | None = None,
    engine: str | None = None,
) -> Verdict:
    """Check a release directory (or its ``public`` alone) against its manifest and, if given, a policy.

    ``engine`` is the URL of the database that holds the rows of a release that is a table.
    """
    public, evidence = parts(Path(release))
    manifest = manifests.load(public)
    if manifest.contradiction:
        raise VerificationFailed(manifest.contradiction, where=str(public / manifests.NAME))
    problems = manifests.disagreements(public, manifest.files, also=[manifests.NAME])
    if any(f"{name} is not a regular file" in problems for name in manifest.data_files):
        return Verdict((), tuple(problems), 0, 0)
    kept = None
    if evidence is not None:
        kept = _evidence(evidence, KEPT | (RECODED if manifest.kind == manifests.RECODING else {"transformation"}))
        problems += _evidence_problems(evidence, kept, public)
    rules = Policy.given(policy) if policy is not None else None
    if manifest.kind != manifests.RECODING:
        return _transformed(public, manifest, kept, rules, engine, problems)
    return _recoded(public, manifest, kept, rules, engine, problems)


def _recoded(
    public: Path, manifest: Manifest, kept: Json | None, rules: Policy | None, engine: str | None, problems: list[str]
) -> Verdict:
    """The verdict on a recoding: its classes must satisfy the manifest's models, the evidence's and the policy's."""
    asked, contradictions = _models(manifest, kept, rules)
    problems += contradictions
    quasi = manifest.with_role(Role.QUASI_IDENTIFIER)
    if kept is not None:
        problems += _evidence_contradictions(manifest, kept)
    if rules is not None:
        problems += _role_problems(manifest, rules)
        quasi = tuple(dict.fromkeys((*quasi, *rules.quasi_identifiers)))
    names = {column.name for column in manifest.columns}
    if not {*quasi} <= names:
        missing = ", ".join(sorted({*quasi} - names))
        return Verdict((), (*problems, f"the release lacks the columns {missing}"), 0, 0)
    sensitive = [name for name in dict.fromkeys(name for model in asked for name in model.attributes) if name in names]
    try:
        rows = released_rows(public, manifest, kept, engine)
        table = released_table(rows, manifest, quasi, sensitive)
        if isinstance(rows, Table) and rows.digest(manifest.data.separator) != manifest.data.sha256:
            problems.append(f"the table {rows.name} does not hold the rows that were released")
        made_by = None if kept is None else _made_by(kept)
        populations = _populations(asked, manifest, rules or made_by)
        if kept is None or made_by is None:
            known = [model for model in asked if rules is not None and model.needs_members]
            verdicts, notes = alone.judged([m for m in asked if m not in known], table, manifest, populations)
            if known:
                verdicts = (*verdicts, *check(known, _beside_original(table, manifest, rules, engine)))
        else:
            reference = _reference(manifest, kept, rules or made_by, asked, engine, populations)
            classes = reference.classes(table)
            verdicts, notes = check(asked, classes), ()
            if any(column.withheld for column in manifest.columns):
                problems += [follows(model) for model in given_away(asked, classes)]
        own = [model for model in asked if alone.key(parameters(model)) in {alone.key(e) for e in manifest.models}]
        problems += alone.misstatements(manifest, own, table, populations)
    except (DataError, VerificationFailed) as error:
        return Verdict((), (*problems, str(error)), 0, 0)
    if table.records != manifest.data.records:
        problems.append(f"the release has {table.records:,} records; its manifest says {manifest.data.records:,}")
    if not table.records:
        problems.append("the release has no records, so that no model holds of anything")
    return Verdict(verdicts, tuple(problems), table.records, len(table.counts), (*notes, *_kind_notes(manifest)))


def _transformed(
    public: Path, manifest: Manifest, kept: Json | None, rules: Policy | None, engine: str | None, problems: list[str]
) -> Verdict:
    """The verdict on a release that is not a recoding: its rows must be such as the manifest says they were made."""
    asked: list[Json] = [dict(entry) for entry in manifest.models]
    if rules is not None:
        problems += _role_problems(manifest, rules)
        asked += [] if rules.privacy is None else rules.privacy.models
    try:
        rows = released_rows(public, manifest, kept, engine)
        table = opened(rows, manifest)
        if isinstance(rows, Table) and rows.digest(manifest.data.separator) != manifest.data.sha256:
            problems.append(f"the table {rows.name} does not hold the rows that were released")
        records = table.rows()
        found = kinds.check(Written(manifest, table, asked, None if kept is None else kept["transformation"], public))
    except (DataError, VerificationFailed) as error:
        return Verdict((), (*problems, str(error)), 0, None)
    if records != manifest.data.records:
        problems.append(f"the release has {records:,} records; its manifest says {manifest.data.records:,}")
    problems += [*found.problems, *_misstatements(manifest, found.verdicts)]
    return Verdict(found.verdicts, tuple(problems), records, None, found.notes)


def _kind_notes(manifest: Manifest) -> tuple[str, ...]:
    """What the models were measured on, where it is not one released table."""
    if manifest.marginals:
        return (NO_RECORDS,)
    if manifest.buckets is None:
        return ()
    return (IN_GROUPS if manifest.buckets.condensed else NO_IDENTITY,)


def _misstatements(manifest: Manifest, verdicts: Sequence[ModelVerdict]) -> list[str]:
    """Where the manifest says that something else was measured, or that a model holds that does not."""
    found = {alone.key(verdict.as_dict()): verdict for verdict in verdicts}
    problems = []
    for entry in manifest.models:
        verdict = found.get(alone.key(entry))
        if verdict is None or verdict.undecided:
            continue
        stated = "measured" not in entry or alone.same(entry["measured"], verdict.as_dict()["measured"])
        if not stated or entry.get("satisfied") is not True:
            problems.append(f"the manifest states another measure of {entry.get('model')} than was found")
    return problems


def _models(manifest: Manifest, kept: Json | None, rules: Policy | None) -> tuple[tuple[Model, ...], list[str]]:
    """The models to check: those of the manifest and of the evidence, which must be the same, and the policy's.

    The evidence tells where populations and earlier releases lie, and the manifest does not.
    """
    found = ("satisfied", "measured")
    stated = [{name: value for name, value in entry.items() if name not in found} for entry in manifest.models]
    sensitive, problems = manifest.with_role(Role.SENSITIVE), []
    asked = _built(stated, sensitive)
    if kept is not None:
        made_for = _built(_stated_in(kept), sensitive)
        promised, kept_to = ({alone.key(parameters(model)) for model in some} for some in (asked, made_for))
        problems += [
            f"the manifest states {model}, and the evidence does not"
            for model in asked
            if alone.key(parameters(model)) not in kept_to
        ]
        problems += [
            f"the release was made for {model}, and its manifest does not state it"
            for model in made_for
            if alone.key(parameters(model)) not in promised
        ]
        extra = [m for m in asked if alone.key(parameters(m)) not in kept_to and m.follows_from_release]
        asked = (*made_for, *(model for model in extra if not model.populations))
    if rules is not None:
        own = models.build(rules.models, rules.sensitive, where=rules.name)
        if any(model.populations for model in own):  # the policy knows where the population lies
            asked = tuple(model for model in asked if not model.populations)
        asked = tuple(dict.fromkeys((*asked, *own)))
    return asked, problems


def _built(stated: Sequence[Mapping[str, Any]], sensitive: Sequence[str]) -> tuple[Model, ...]:
    try:
        return models.build(stated, sensitive, where=manifests.NAME)
    except PolicyError as error:
        what = f"the manifest states a model that cannot be checked: {error.what}"
        raise VerificationFailed(what, where=manifests.NAME) from None


def _stated_in(kept: Json) -> list[Json]:
    try:
        stated = kept["policy"]["privacy"]["models"]
        return [dict(entry) for entry in stated]
    except (KeyError, TypeError, ValueError):
        raise VerificationFailed(f"evidence/{EVIDENCE} is damaged") from None


def _made_by(kept: Json) -> Policy:
    return Policy.of(kept["policy"], home=kept["home"], name=f"evidence/{EVIDENCE}")


def _evidence_contradictions(manifest: Manifest, kept: Json) -> list[str]:
    """Where the manifest says something else of the columns than the evidence, whatever their hashes."""
    attributes, problems = _made_by(kept).attributes, []
    for column in manifest.columns:
        attribute = attributes.get(column.name)
        if attribute is not None and attribute.role is not column.role:
            problems.append(f'the manifest and the evidence give other roles to "{column.name}"')
    levels = {c.name: c.level for c in manifest.columns if c.level is not None and c.role is Role.QUASI_IDENTIFIER}
    if kept.get("levels", levels) != levels:
        problems.append("the manifest and the evidence give other levels to the columns")
    return problems


def _reference(
    manifest: Manifest,
    kept: Json,
    policy: Policy,
    asked: Sequence[Model],
    engine: str | None,
    populations: Mapping[str, FrequencyTable],
) -> Reference:
    """What the released classes are compared with, from the evidence."""
    domains, people, withheld = _kept_reference(kept)
    uncounted = {name for model in asked for name in model.attributes} - set(domains)
    if uncounted:
        raise VerificationFailed(f"the evidence says nothing of {', '.join(sorted(uncounted))}")
    if people is not None and any(model.series for model in asked):
        people = replace(people, earlier=_earlier(kept, _made_by(kept), asked))
    original = None
    if any(model.needs_members for model in asked):
        original = _original(manifest, policy, engine or kept_engine(kept), star=bool(kept.get("star")))
    return Reference(domains, people, withheld, populations, original)


def _beside_original(table: FrequencyTable, manifest: Manifest, policy: Policy | None, engine: str | None) -> Classes:
    """The released classes with the original tuples behind them, from where a policy says that they lie."""
    original = _original(manifest, policy, engine, star=False)
    return replace(alone.classes(table, manifest), members=original.members(table))


def _populations(asked: Sequence[Model], manifest: Manifest, policy: Policy | None) -> dict[str, FrequencyTable]:
    names = dict.fromkeys(name for model in asked for name in model.populations)
    return {name: _population(name, manifest, policy) for name in names}


def _kept_reference(kept: Json) -> tuple[dict[str, Domain], Classes | None, dict[str, Histogram]]:
    """The distributions, the people and the withheld columns that the evidence keeps."""
    try:
        domains = {name: domain_from_json(name, content) for name, content in kept["reference"].items()}
        withheld = {name: histogram_from_json(content, domains[name]) for name, content in kept["withheld"].items()}
        return domains, None if kept["people"] is None else people_from_json(kept["people"], domains), withheld
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, HierarchyError):
        raise VerificationFailed(f"evidence/{EVIDENCE} is damaged") from None


def _earlier(kept: Json, policy: Policy, asked: Sequence[Model]) -> dict[tuple[str, str], Earlier]:
    """What the previous release, which must still be there, told of the people."""
    try:
        pseudonyms, key = kept["people"]["who"]["pseudonyms"], kept["series"]["key"]
    except (KeyError, TypeError):
        raise VerificationFailed(f"evidence/{EVIDENCE} is damaged") from None
    found = {}
    for name, attribute in dict.fromkeys(pair for model in asked for pair in model.series):
        previous = series.load(name, policy)
        if previous.key.hex() != key:
            raise VerificationFailed(f"the previous release at {name} is not of the same series")
        found[name, attribute] = previous.earlier(attribute, pseudonyms)
    return found


def _original(manifest: Manifest, policy: Policy | None, engine: str | None, *, star: bool) -> Original:
    """The original table, counted again from where the policy says it lies."""
    if policy is None or (policy.data.path is None and policy.data.table is None):
        raise OutputError(
            "the release holds a model that can be measured with the original data only",
            where=manifests.NAME,
            remedy="Give the policy that names them: --policy.",
        )
    table = normalized(open_source(policy, engine if policy.data.path is None else None), policy)
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
    return Original(counted.with_trees(trees, policy.data.decimal), hierarchies, levels, star)


def _population(name: str, manifest: Manifest, policy: Policy | None) -> FrequencyTable:
    """A population table, recoded as the release was."""
    if policy is None:
        raise OutputError(
            "the release was made against a population table, which is needed to verify it",
            where=manifests.NAME,
            remedy="Give the policy that names it: --policy.",
        )
    if any(column.level is None for column in manifest.columns if column.role is Role.QUASI_IDENTIFIER):
        raise VerificationFailed(
            "each record was recoded on its own: what becomes of a population's records cannot be told"
        )
    population = open_population(name, policy)
    counted = frequency_table(population, policy.quasi_identifiers, [])
    levels = {column.name: column.level or 0 for column in manifest.columns}
    return recoded(counted, policy, levels)


def _evidence(evidence: Path, needed: set[str]) -> Json | None:
    """What the evidence holds; nothing where it is damaged."""
    try:
        content = json.loads((evidence / EVIDENCE).read_bytes())
        TypeAdapter(dict[str, FileEntry]).validate_python(content["files"])
        return dict(content) if set(content) >= needed else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError, ValidationError):
        return None


def _evidence_problems(evidence: Path, kept: Json | None, public: Path) -> list[str]:
    """What differs between the evidence and its own list of hashes, the manifest's among them."""
    if kept is None:
        return [f"evidence/{EVIDENCE} is missing or damaged"]
    files = TypeAdapter(dict[str, FileEntry]).validate_python(kept["files"])
    problems = [] if kept[OWN_HASH] == own_hash(kept) else [f"evidence/{EVIDENCE} was changed (its own hash differs)"]
    problems += [f"evidence/{problem}" for problem in manifests.disagreements(evidence, files, also=[EVIDENCE])]
    if manifests.sha256(public / manifests.NAME) != kept["manifest-sha256"]:
        problems.append(f"{manifests.NAME} is not the file that was released (its hash differs)")
    return problems


def _role_problems(manifest: Manifest, policy: Policy) -> list[str]:
    """Released columns that a policy does not allow."""
    problems = []
    ours = () if manifest.buckets is None else (manifest.buckets.group, manifest.buckets.count)
    ours = (*ours, *(entry.count for entry in manifest.marginals))
    for column in manifest.columns:
        if column.added or column.name in ours:
            continue
        attribute = policy.attributes.get(column.name)
        if attribute is None:
            raise PolicyError(f'gives no role to the released column "{column.name}"', where=policy.name)
        if attribute.role is Role.IDENTIFIER:
            problems.append(f'the identifier "{column.name}" is in the release')
        if column.level is not None and column.level < attribute.min_level:
            problems.append(
                f'"{column.name}" is released at level {column.level}, and the policy allows none below '
                f"{attribute.min_level}"
            )
    return problems

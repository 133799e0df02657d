"""What a job begins with: its data opened, and its policy checked against the columns that they have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cobogo.data.classes import Domain
from cobogo.data.engines.engine import Engine, connect
from cobogo.data.files.labelled import check_names
from cobogo.data.files.settle import settle_policy
from cobogo.data.hierarchy import SUPPRESSED, Label
from cobogo.data.hierarchy.codes import unknown_codes
from cobogo.data.hierarchy.dates import odd_dates
from cobogo.data.hierarchy.texts import odd_paths
from cobogo.data.policy import LAKES, AnyHierarchy, CodesHierarchy, DatesHierarchy, PathHierarchy, Policy, Role
from cobogo.data.policy.columns import check_roles, quote_names
from cobogo.data.table.frequency import FrequencyTable
from cobogo.data.table.read import Table, open_source, read
from cobogo.data.table.spelling import spelling_warnings
from cobogo.errors import DataError, PolicyError
from cobogo.examine.risk.population import check_population
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr, trn
from cobogo.promises.models import Model, Scope

FEW = 100
"""Below so many records a column that singles them out is a warning, not an error."""


def split_arguments(data: Any, policy: str | Path | Policy | Mapping[str, Any] | None) -> tuple[Any, Policy]:
    """The data and the policy that a job was given: of ``job(policy)`` the data are None, and the policy's own.

    What the policy leaves out of how they are read is detected.
    """
    source, asked = (None, Policy.from_any(data)) if policy is None else (data, Policy.from_any(policy))
    released = [name for name, attribute in asked.attributes.items() if attribute.role is not Role.IDENTIFIER]
    check_names(asked.output.format, released, f"{asked.name}, output.format")
    return source, settle_policy(asked, source)


def open_data(data: Any, policy: Policy, engine: str | None) -> Table:
    """The table of the data given, or of the policy's own where they are None."""
    if isinstance(data, Table):
        return data
    if data is None:
        return open_source(policy, engine)
    policy.engine.apply()
    url = engine or (None if policy.data.engine is None else policy.resolve_url(policy.data.engine))
    return read(data, policy.data, connect(url, writable=policy.output.format == "table"))


def check_new_table(policy: Policy, engine: Engine) -> None:
    """Refuse early what may not be written: a release that is a table takes no foreign table's place."""
    output = policy.output
    if output.format in LAKES:
        from cobogo.data.lakes.sources import output_lake

        output_lake(policy).check_new()
    elif output.table is not None:
        engine.check_new_table(output.table)


def admit_table(
    policy: Policy, table: Table, models: Sequence[Model], *, bucketized: bool, invents: bool
) -> tuple[str, ...]:
    """Refuse a table that a recoding by the policy cannot release, whatever its records are.

    Returns the columns whose values models look at: the sensitive ones, and those that are counted and left out.
    """
    check_roles(policy, table)
    check_new_table(policy, table.engine)
    looked_at = (*policy.sensitive, *check_withheld(policy, models))
    check_blind(policy, models)
    check_withholding(policy, models)
    check_marginals(policy)
    if bucketized:
        check_buckets(policy, models)
    if invents:
        check_inventions(policy)
    return looked_at


def admit_records(policy: Policy, table: Table, counted: FrequencyTable) -> tuple[str, ...]:
    """Refuse records that cannot be released; what the data holder should know of the rest."""
    if not counted.records:
        raise DataError(tr("has no records"), where=table.name, remedy=tr("Give a table that has at least one record."))
    check_population(policy, counted.classes().total)
    check_free_text(policy, counted)
    warnings = (*check_unique(policy, table, counted.records), *_spellings(policy, counted))
    warnings = (*warnings, *_odd_values(policy, counted))
    if policy.recoding.suppress == "sensitive":
        check_no_stars(policy, counted)
    return warnings


def _odd_values(policy: Policy, counted: FrequencyTable) -> Iterator[str]:
    """A warning for each lenient hierarchy that has no place for some values: they stay as they are."""
    for place, name in enumerate(counted.quasi_identifiers):
        known, records = counted.values[name], counted.marginal(place)
        yield from _odd_warning(name, policy.attributes[name].hierarchy, known, records)
    for name in policy.sensitive:
        domain = counted.domains[name]
        yield from _odd_warning(name, policy.attributes[name].hierarchy, domain.labels, domain.total)


def _odd_warning(name: str, spec: AnyHierarchy | None, known: Sequence[Label], counts: Ints) -> Iterator[str]:
    texts = [value for value in known if value is not None]
    match spec:
        case PathHierarchy(lenient=True):
            odd = odd_paths(texts, spec.path)[1]
        case CodesHierarchy(lenient=True):
            odd = unknown_codes(spec.codes, texts)
        case DatesHierarchy(lenient=True):
            odd = odd_dates(spec, texts)
        case _:
            return
    if odd:
        strange = set(odd)
        records = counts[[value in strange for value in known]].sum()
        yield trn(
            '{n:,} value of "{name}" does not have the form of the others and stays as it is ({records})',
            '{n:,} values of "{name}" do not have the form of the others and stay as they are ({records})',
            n=len(odd),
            name=name,
            records=trn("{n:,} record", "{n:,} records", n=int(records)),
        )


def check_recoding(policy: Policy) -> None:
    """A policy for a recoding asks for no guarantee: that is about how values were drawn, and a recoding draws none."""
    from cobogo.promises.guarantees import GUARANTEES
    from cobogo.promises.models.differential_privacy import DifferentialPrivacy

    if policy.sampling is not None or any(entry.get("model") == DifferentialPrivacy.name for entry in policy.models):
        raise PolicyError(
            tr("differential privacy is a guarantee about how rows are drawn, and a recoding draws no rows"),
            where=f"{policy.name}, privacy.models",
            remedy=tr("Run `cobogo sample`."),
        )
    asked = [entry["model"] for entry in policy.models if entry.get("model") in GUARANTEES]
    if asked or policy.randomization is not None:
        raise PolicyError(
            tr("{asked} is a guarantee of randomization, not of recoding", asked=asked[0])
            if asked
            else tr("asks for a randomization, not for a recoding"),
            where=f"{policy.name}, {'privacy.models' if asked else 'randomization'}",
            remedy=tr("Run `cobogo perturb`."),
        )


def check_withheld(policy: Policy, models: Sequence[Model]) -> tuple[str, ...]:
    """The columns that models look at and that are left out of the release: counted, and known to the evidence only."""
    hidden = dict.fromkeys(n for model in models for n in model.attributes if n not in policy.sensitive)
    for name in hidden:
        if name not in policy.with_role(Role.IDENTIFIER):
            raise PolicyError(
                tr('a model needs the column "{name}", which is neither sensitive nor an identifier', name=name),
                where=f"{policy.name}, attributes.{name}",
                remedy=tr(
                    'Give it the role "identifier" (it is counted, and not released) or "sensitive" (it is released).'
                ),
            )
    return tuple(hidden)


def check_blind(policy: Policy, models: Sequence[Model]) -> None:
    """Nothing that steers the search looks at an attribute that a blind model protects."""
    for model in models:
        if not model.blind:
            continue
        looks = [str(m) for m in models if not m.blind and set(m.attributes) & set(model.attributes)]
        if policy.recoding.label in model.attributes:
            looks.append("recoding.label")
        if looks:
            raise PolicyError(
                tr(
                    "{model} requires that the recoding be chosen without using {attributes}, and {other} uses it",
                    model=model,
                    attributes=", ".join(model.attributes),
                    other=looks[0],
                ),
                where=f"{policy.name}, privacy.models",
                remedy=tr(
                    "Keep one of the two models: the choice of a recoding can reveal the values that it depends on."
                ),
            )


def check_buckets(policy: Policy, models: Sequence[Model]) -> None:
    """Buckets part one sensitive attribute, which is released, from the rest; they are files, and measured as such."""
    where = f"{policy.name}, recoding.algorithm"
    name = policy.recoding.algorithm
    if len(policy.sensitive) != 1 or any(set(model.attributes) - set(policy.sensitive) for model in models):
        raise PolicyError(
            tr("{name} separates one sensitive attribute from the rest, and models may use only that one", name=name),
            where=where,
            remedy=tr('Give one column the role "sensitive", or choose another algorithm.'),
        )
    if policy.output.table is not None:
        raise PolicyError(
            tr("{name} releases several tables, which are written as files", name=name),
            where=f"{policy.name}, output.format",
            remedy=tr('Set format = "csv" or "parquet".'),
        )
    if policy.utility is not None:
        raise PolicyError(
            tr(
                "[utility] compares one released table with the original, and {name} releases several tables", name=name
            ),
            where=where,
            remedy=tr("Leave out [utility]; the report states what was lost."),
        )


def check_inventions(policy: Policy) -> None:
    """Invented records have quasi-identifiers and one sensitive value: nothing else that could give them away."""
    others = policy.with_role(Role.NON_SENSITIVE)
    if len(policy.sensitive) == 1 and not others:
        return
    raise PolicyError(
        tr(
            "{name} may add counterfeit records, which only quasi-identifiers and one sensitive attribute hide among "
            "the others; the policy releases {columns}, too",
            name=policy.recoding.algorithm,
            columns=", ".join(f'"{column}"' for column in (*policy.sensitive[1:], *others)),
        )
        if policy.sensitive
        else tr("{name} needs a sensitive attribute", name=policy.recoding.algorithm),
        where=f"{policy.name}, attributes",
        remedy=tr('Give one column the role "sensitive", and the others "quasi-identifier" or "identifier".'),
    )


def check_marginals(policy: Policy) -> None:
    """Marginals asked for are sets of quasi-identifiers and the sensitive attribute."""
    asked, where = policy.recoding.marginals, f"{policy.name}, recoding.marginals"
    if policy.recoding.algorithm == "marginals" and policy.registry is not None:
        raise PolicyError(
            tr("marginals have no records, and a registry needs records to compare releases"),
            where=f"{policy.name}, registry",
            remedy=tr("Leave out [registry], or choose another algorithm."),
        )
    if not asked:
        return
    if policy.recoding.algorithm != "marginals":
        raise PolicyError(
            tr("{algorithm} does not make marginals", algorithm=policy.recoding.algorithm),
            where=where,
            remedy=tr('Leave out marginals, or set algorithm = "marginals".'),
        )
    known = (*policy.quasi_identifiers, *policy.sensitive)
    for one in asked:
        unknown = [name for name in one if name not in known]
        if unknown or len(set(one)) < len(one):
            what = (
                tr("{names}: neither a quasi-identifier nor a sensitive attribute", names=quote_names(unknown))
                if unknown
                else tr("an attribute appears twice")
            )
            raise PolicyError(
                what, where=where, remedy=tr("A marginal may have these attributes: {known}.", known=", ".join(known))
            )


def check_withholding(policy: Policy, models: Sequence[Model]) -> None:
    """Sensitive values can be withheld class by class for models that look at one attribute in one class at a time."""
    if policy.recoding.suppress != "sensitive":
        return
    where = f"{policy.name}, recoding.suppress"
    if not any(model.attributes for model in models):
        raise PolicyError(
            tr("no model uses a sensitive attribute, so there are no values to withhold"),
            where=where,
            remedy=tr('Ask for such a model, for example l-diversity, or set suppress = "records".'),
        )
    for model in models:
        beyond = model.populations or model.needs_members or model.series or model.blind or model.needs_every_class
        of_class = (
            len(model.attributes) == 1
            and model.scope is Scope.CLASS
            and not set(model.attributes) - set(policy.sensitive)
        )
        if beyond or (model.attributes and not of_class):
            raise PolicyError(
                tr(
                    "{model} uses more than one attribute of one class, and cannot be measured on classes "
                    "whose values are withheld",
                    model=model,
                ),
                where=where,
                remedy=tr('Leave out the model, or set suppress = "records".'),
            )
    for key, given in (("data.unit", policy.data.unit), ("recoding.label", policy.recoding.label),
                       ("utility", policy.utility), ("registry", policy.registry)):  # fmt: skip
        if given is not None:
            raise PolicyError(
                tr(
                    "{key} counts the sensitive value of each record, and cannot be used where some values "
                    "are withheld",
                    key=key,
                ),
                where=where,
                remedy=tr('Leave out {key}, or set suppress = "records".', key=key),
            )


def check_no_stars(policy: Policy, counted: FrequencyTable) -> None:
    """A value that looks like one withheld could not be told from it."""
    for name in policy.sensitive:
        if SUPPRESSED in counted.domains[name].labels:
            raise DataError(
                tr(
                    '"{name}" has the value {suppressed}, which the release uses for withheld values',
                    name=name,
                    suppressed=SUPPRESSED,
                ),
                where=f"{policy.name}, recoding.suppress",
                remedy=tr("Change this value in the data, or list it under missing."),
            )


def check_unique(policy: Policy, table: Table, records: int) -> tuple[str, ...]:
    """Refuse non-sensitive columns that single out most records: they are identifiers by another name.

    Returns warnings instead where there are few records.
    """
    warnings: list[str] = []
    asked = [name for name in policy.with_role(Role.NON_SENSITIVE) if not policy.attributes[name].publish_unique]
    for name, unique in table.values_that_occur_once(asked).items():
        if 2 * unique <= records:
            continue
        what = tr(
            'the non-sensitive column "{name}" has a unique value in {unique:,} of {records:,} records',
            name=name,
            unique=unique,
            records=records,
        )
        if records >= FEW:
            raise PolicyError(
                tr("{what}: it identifies people", what=what),
                where=f"{policy.name}, attributes.{name}",
                remedy=tr(
                    'Give it the role "identifier" (it is then left out) or "quasi-identifier". If it must '
                    "be released unchanged, set publish-unique = true."
                ),
            )
        warnings.append(what)
    return tuple(warnings)


def check_free_text(policy: Policy, counted: FrequencyTable) -> None:
    """Refuse sensitive free text: it is released as it is, and may contain names, numbers and addresses of people.

    Non-sensitive text is refused where most of its values are unique.
    """
    for name in policy.sensitive:
        if policy.attributes[name].publish_text or not _reads_like_text(counted.domains[name]):
            continue
        raise PolicyError(
            tr('"{name}" reads like free text, which may contain names, numbers and addresses of people', name=name),
            where=f"{policy.name}, attributes.{name}",
            remedy=tr(
                'Give it the role "identifier" (it is then left out), or replace what points at people first with '
                "`cobogo mask` and text = true, which does not find everything and gives no guarantee. To release it "
                "as it is, set publish-text = true."
            ),
            code="COBOGO-POLICY-ROLE",
        )


def _reads_like_text(domain: Domain) -> bool:
    from cobogo.data.schema.detect import is_free_text
    from cobogo.data.schema.profile import profile

    pairs = [(label, int(count)) for label, count in zip(domain.labels, domain.total, strict=True) if label is not None]
    pairs.sort(key=lambda pair: -pair[1])
    records, present = int(domain.total.sum()), sum(count for _, count in pairs)
    unique = sum(count == 1 for _, count in pairs)
    return is_free_text(profile(domain.attribute, records, records - present, len(pairs), unique, pairs))


def _spellings(policy: Policy, counted: FrequencyTable) -> tuple[str, ...]:
    """Warnings of values that are counted as different and may be one: of sensitive attributes and of people."""
    found = [text for name, domain in counted.domains.items() for text in spelling_warnings(name, domain.labels)]
    unit = policy.data.unit
    if unit is not None:
        found += spelling_warnings(unit, counted.people.names if counted.people is not None else counted.units)
    return tuple(found)

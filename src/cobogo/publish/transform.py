"""The jobs that draw rows: perturb, mask, sample, synthesize. A policy in, a release out that is not yet written.

Each has a maker of its own that decides what is done to a table; reading and checking the table is the same for all.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.data.policy import Policy
from cobogo.data.policy.columns import check_roles
from cobogo.data.policy.several import lists_tables, load_several
from cobogo.data.table.columns import refuse_apart
from cobogo.data.table.read import Table
from cobogo.data.table.spelling import normalize
from cobogo.errors import DataError, PolicyError
from cobogo.floor.catalogue import import_object
from cobogo.floor.language import tr
from cobogo.floor.progress import Progress, show_in_notebook, silent
from cobogo.publish.admission import check_new_table, check_unique, open_data, split_arguments
from cobogo.release.contract import Origin, Release
from cobogo.release.drawn import DrawnRows

if TYPE_CHECKING:
    from cobogo.publish.mask.tables import MaskedTables

AnyPolicy = str | Path | Policy | Mapping[str, Any]

Maker = Callable[[Policy, Table], DrawnRows]
"""Decides what is done to a table, by a policy: checks what can be checked, and draws nothing."""

PERTURBING: dict[str, str] = {
    "perturbation": "cobogo.publish.perturb.release:make",
    "randomization": "cobogo.publish.randomize.make:make",
}
"""The tables of a policy that `perturb` serves, and the maker of what each asks for."""


def perturb(
    data: Any, policy: AnyPolicy | None = None, *, engine: str | None = None, progress: Progress = show_in_notebook
) -> Release:
    """Settle how the values of a table are randomized or perturbed, by a policy. Writes nothing.

    ``perturb(policy)`` reads the policy's own data; ``perturb(data, policy)`` takes the data given: a path, or a frame
    of pandas, polars, Arrow or Ibis.
    """
    data, rules = split_arguments(data, policy)
    asked = [name for name in PERTURBING if getattr(rules, name) is not None]
    if len(asked) != 1:
        known = ", ".join(f"[{name}]" for name in PERTURBING)
        raise PolicyError(
            tr("asks for {asked} together", asked=", ".join(asked)) if asked else tr("does not say what to do"),
            where=rules.name,
            remedy=tr("Give exactly one of the tables {known}, as the documentation shows.", known=known),
        )
    return transform(data, rules, import_object(PERTURBING[asked[0]]), engine=engine, progress=progress)


def mask(
    data: Any, policy: AnyPolicy | None = None, *, engine: str | None = None, progress: Progress = show_in_notebook
) -> Release | MaskedTables:
    """Settle how the columns of a table are masked, by a policy. Writes nothing, and gives no formal guarantee.

    ``mask(policy)`` reads the policy's own data; ``mask(data, policy)`` takes the data given: a path, or a frame of
    pandas, polars, Arrow or Ibis. A policy that lists several tables gives `MaskedTables`.
    """
    from cobogo.publish.mask.build import Shared
    from cobogo.publish.mask.release import make
    from cobogo.publish.mask.tables import mask_tables

    asked = data if policy is None else policy
    if lists_tables(asked):
        assert not isinstance(asked, Policy)
        if policy is not None and data is not None:
            raise PolicyError(
                tr("the policy lists its tables, and data were given too"),
                where="tables",
                remedy=tr("Give either the tables of the policy or the data."),
            )
        return mask_tables(load_several(asked), engine=engine, progress=progress)
    data, rules = split_arguments(data, policy)
    if rules.masking is None:
        raise PolicyError(
            tr("does not name a column to mask"),
            where=f"{rules.name}, masking",
            remedy=tr("Name the columns, for example: {example}.", example='columns = { name = { fake = "name" } }'),
        )
    return transform(data, rules, make(Shared()), engine=engine, progress=progress)


def sample(
    data: Any, policy: AnyPolicy | None = None, *, engine: str | None = None, progress: Progress = show_in_notebook
) -> Release:
    """Settle a differentially private sample of a table, by a policy. Writes nothing.

    ``sample(policy)`` reads the policy's own data; ``sample(data, policy)`` takes the data given: a path, or a frame of
    pandas, polars, Arrow or Ibis.
    """
    from cobogo.publish.sample.release import make

    data, rules = split_arguments(data, policy)
    return transform(data, rules, make, engine=engine, progress=progress)


def synthesize(
    data: Any, policy: AnyPolicy | None = None, *, engine: str | None = None, progress: Progress = show_in_notebook
) -> Release:
    """Settle how synthetic records are made, by a policy. Looks at no row and spends nothing: that is done when the
    records are first asked for, or written.

    ``synthesize(policy)`` reads the policy's own data; ``synthesize(data, policy)`` takes the data given: a path, or a
    frame of pandas, polars, Arrow or Ibis.
    """
    from cobogo.publish.synthesize.release import make

    data, rules = split_arguments(data, policy)
    if rules.synthesis is None:
        raise PolicyError(
            tr("this key is required and is not there"),
            where=f"{rules.name}, synthesis",
            remedy=tr('Add [synthesis], for example with: method = "mst", epsilon = 1.0, delta = 1e-9.'),
        )
    return transform(data, rules, make, engine=engine, progress=progress, blind=True)


def transform(
    data: Any,
    policy: Policy,
    make: Maker,
    *,
    engine: str | None = None,
    progress: Progress = silent,
    blind: bool = False,
) -> Release:
    """Read the data of a policy (or the ``data`` given, where that is not None) and prepare its transformation.

    Draws nothing and writes nothing. ``blind``: no row is read, not even to see whether there are any, because what
    that reveals is paid for when the rows are drawn.
    """
    if policy.registry is not None:
        raise PolicyError(
            tr("a registry keeps only recodings, and this release is not a recoding"),
            where=f"{policy.name}, registry",
            remedy=tr("Leave out [registry]: this release will not be checked against others."),
        )
    start = time.perf_counter()
    progress("read", 0, 0)
    table = open_data(data, policy, engine)
    with table.engine.guard("reading and counting"):
        if blind or policy.sampling is not None:
            _refuse_normalizing(policy)
        table = normalize(table, policy)
        check_roles(policy, table, recoded=False)
        check_new_table(policy, table.engine)
        warnings = () if blind else _admit_rows(policy, table)
        made = make(policy, table)
        if made.together:
            refuse_apart(table)
    origin = Origin.from_policy(policy, table.name)
    return Release(origin, table, made, (*warnings, *made.warnings), {"read": time.perf_counter() - start})


def _refuse_normalizing(policy: Policy) -> None:
    """Refuse ``normalize``: it chooses the most frequent spelling, which differential privacy does not account for."""
    for name, attribute in policy.attributes.items():
        if attribute.normalize:
            raise PolicyError(
                tr(
                    "normalize uses how often each value occurs, and differential privacy does not allow "
                    "that without a cost"
                ),
                where=f"{policy.name}, attributes.{name}",
                remedy=tr("Make the spelling of its values uniform before, and leave out normalize."),
            )


def _admit_rows(policy: Policy, table: Table) -> tuple[str, ...]:
    """Refuse data that cannot be released whatever is done to them; return warnings for the data holder."""
    records = table.rows()
    if not records:
        raise DataError(tr("has no records"), where=table.name, remedy=tr("Give a table that has at least one record."))
    return check_unique(policy, table, records)

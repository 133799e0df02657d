"""Releases of the same records by each family, in one form: coded rows, and what each value says about the original."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import Policy
from cobogo.errors import NoSolution
from cobogo.floor.arrays import Floats, Ints
from cobogo.floor.randomness import Entropy


@dataclass(frozen=True, eq=False, repr=False)
class CodedOriginal:
    """The table in codes: people whose records are released, and others whose records are not."""

    names: tuple[str, ...]  # quasi-identifiers, then the attribute that is sensitive
    leaves: tuple[tuple[Label, ...], ...]  # the values of each
    members: tuple[Ints, ...]
    others: tuple[Ints, ...]
    hierarchies: Mapping[str, Hierarchy]

    @property
    def known(self) -> range:
        """The columns that an attacker knows of a person: all but the last."""
        return range(len(self.names) - 1)


@dataclass(frozen=True, eq=False, repr=False)
class ReleasedColumn:
    """A released column: ``codes`` of its rows into labels, and for each label, by leaf, what it says.

    ``counts`` turns counts of labels into estimated counts of leaves: a coarser value is spread evenly over its leaves,
    and known randomization is inverted. ``fits`` is how likely a released value belongs to a person with a leaf: one
    over the number of its leaves, or 0.
    """

    codes: Ints
    counts: Floats  # labels × leaves
    fits: Floats  # labels × leaves


@dataclass(frozen=True, eq=False, repr=False)
class ReleaseView:
    """A release: its kind, what was asked of it, and its columns in the order of the original's."""

    kind: str
    given: Mapping[str, float]
    columns: tuple[ReleasedColumn, ...]
    note: str = ""

    @property
    def records(self) -> int:
        """How many rows it has."""
        return len(self.columns[0].codes)


def unchanged_column(codes: Ints, leaves: int) -> ReleasedColumn:
    """A column released as it is."""
    same = np.eye(leaves)
    return ReleasedColumn(codes, same, same)


def generalized_column(
    texts: Sequence[Label], leaves: Sequence[Label], hierarchy: Hierarchy, level: int
) -> ReleasedColumn:
    """A column at a level of its hierarchy."""
    labels = hierarchy.labels[level]
    of = hierarchy.maps[level][hierarchy.encode(leaves)]
    under = (np.arange(len(labels))[:, None] == of[None, :]).astype(np.float64)
    share = under / np.maximum(under.sum(axis=1, keepdims=True), 1.0)
    index = {label: code for code, label in enumerate(labels)}
    return ReleasedColumn(np.array([index[text] for text in texts], dtype=np.int64), share, share)


def randomized_column(codes: Ints, leaves: int, retention: float) -> ReleasedColumn:
    """A column whose values were kept with a probability and otherwise drawn uniformly; ``counts`` inverts it."""
    matrix = retention * np.eye(leaves) + (1 - retention) / leaves
    return ReleasedColumn(codes, np.asarray(np.linalg.inv(matrix), dtype=np.float64), np.eye(leaves))


def codes_of(texts: Sequence[Label], leaves: Sequence[Label]) -> Ints:
    """Texts that are leaves, as codes."""
    index = {label: code for code, label in enumerate(leaves)}
    return np.array([index[text] for text in texts], dtype=np.int64)


def texts_of(column: Any) -> list[Label]:
    """An Arrow column as texts."""
    import pyarrow as pa

    return list(column.cast(pa.string()).to_pylist())


Maker = Callable[[CodedOriginal, Policy, Any, float], ReleaseView]
"""Makes the release of a table for one value of the family's parameter."""


def release_recoded(original: CodedOriginal, policy: Policy, table: Any, k: float) -> ReleaseView:
    """A recoding until every quasi-identifier tuple is shared by k records."""
    from cobogo.publish.anonymize import anonymize

    rules = _policy_with(policy, privacy={"models": [{"model": "k-anonymity", "k": int(k)}]})
    try:
        release = anonymize(table, rules)
    except NoSolution as error:
        return ReleaseView("recoding", {"k": k}, _nothing(original), error.what)
    return ReleaseView("recoding", {"k": k}, _columns(original, release.to_arrow(), release.levels))


def release_randomized(original: CodedOriginal, policy: Policy, table: Any, retention: float) -> ReleaseView:
    """Sensitive values kept with a probability and otherwise drawn uniformly; quasi-identifiers unchanged."""
    from cobogo.publish.transform import perturb

    secret, values = original.names[-1], original.leaves[-1]
    asked = {"method": "uniform", "attributes": [secret], "retention": retention, "domains": {secret: list(values)}}
    release = perturb(table, _policy_with(policy, randomization=asked)).to_arrow()
    columns = list(_columns(original, release, {}))
    columns[-1] = randomized_column(columns[-1].codes, len(values), retention)
    return ReleaseView("randomization", {"retention": retention}, tuple(columns))


def release_sample(original: CodedOriginal, policy: Policy, table: Any, epsilon: float) -> ReleaseView:
    """A differentially private sample of true rows, its levels chosen for a tenth of ε."""
    from cobogo.publish.transform import sample
    from cobogo.release.drawn import DrawnRows

    model = {"model": "differential-privacy", "epsilon": epsilon, "delta": DELTA}
    rules = _policy_with(policy, privacy={"models": [model]}, sampling={"search-epsilon": epsilon / 10})
    release = sample(table, rules)
    assert isinstance(release.transformation, DrawnRows)
    levels = release.transformation.statement()["levels"]
    return ReleaseView("sampling", {"epsilon": epsilon}, _columns(original, release.to_arrow(), levels))


def release_synthetic(original: CodedOriginal, policy: Policy, table: Any, epsilon: float) -> ReleaseView:
    """Records drawn from a differentially private model (MST)."""
    from cobogo.publish.transform import synthesize

    domains = {
        name: {"values": [label for label in leaves if label is not None], "null": None in leaves}
        for name, leaves in zip(original.names, original.leaves, strict=True)
    }
    asked = {"method": "mst", "epsilon": epsilon, "delta": DELTA, "domains": domains}
    release = synthesize(table, _policy_with(policy, synthesis=asked)).to_arrow()
    return ReleaseView("synthesis", {"epsilon": epsilon}, _columns(original, release, {}))


def release_from_reports(original: CodedOriginal, policy: Policy, table: Any, epsilon: float) -> ReleaseView:  # noqa: ARG001
    """Records rebuilt from local reports: each person answers once, about one quasi-identifier together with the
    sensitive value; quasi-identifiers are drawn given that value, independently of each other."""
    from cobogo.collect.randomized_response import Direct, Optimized

    source, random = Entropy(), np.random.default_rng()
    records, secret = len(original.members[0]), original.members[-1]
    values, known = len(original.leaves[-1]), list(original.known)
    groups = random.integers(0, len(known), records)
    shares = []
    for place in known:
        size = len(original.leaves[place]) * values
        kind = Direct if size < 3 * np.exp(epsilon) + 2 else Optimized
        oracle = kind(size, epsilon)
        held = (original.members[place] * values + secret)[groups == place]
        found = oracle.estimate(oracle.support(oracle.encode(held, source)), len(held)).shares
        shares.append(np.maximum(found, 0.0).reshape(-1, values))
    of_secret = np.sum([one.sum(axis=0) for one in shares], axis=0) + 1e-12
    drawn = random.choice(values, records, p=of_secret / of_secret.sum())
    columns = []
    for place in known:
        given = shares[place] + 1e-12
        upto = np.cumsum(given / given.sum(axis=0), axis=0)
        chance = random.random(records)
        columns.append((chance[None, :] >= upto[:-1, drawn]).sum(axis=0))
    made = [
        unchanged_column(codes, len(leaves)) for codes, leaves in zip([*columns, drawn], original.leaves, strict=True)
    ]
    return ReleaseView("local", {"epsilon": epsilon}, tuple(made))


DELTA = 1e-6
MAKERS: dict[str, tuple[str, Maker, tuple[float, ...]]] = {
    "recoding": ("k", release_recoded, (2, 5, 10, 25, 100)),
    "randomization": ("retention", release_randomized, (0.9, 0.7, 0.5, 0.3, 0.1)),
    "sampling": ("epsilon", release_sample, (0.5, 1, 2, 4)),
    "synthesis": ("epsilon", release_synthetic, (0.1, 0.5, 1, 4)),
    "local": ("epsilon", release_from_reports, (0.5, 1, 2, 4, 8)),
}
"""For each family its parameter, its maker, and the values that are tried unless given."""


def original_release(original: CodedOriginal) -> ReleaseView:
    """The table as it is: what all are compared with."""
    columns = zip(original.members, original.leaves, strict=True)
    return ReleaseView("original", {}, tuple(unchanged_column(codes, len(leaves)) for codes, leaves in columns))


def _policy_with(policy: Policy, **tables: Any) -> dict[str, Any]:
    """The policy's roles, hierarchies and suppression limit, with other tables for the rest."""
    content = policy.as_dict()
    data = {key: value for key, value in content.get("data", {}).items() if key == "decimal"}
    limit = {"suppression-limit": policy.recoding.suppression_limit}
    return {"attributes": content["attributes"], "recoding": limit, "data": data, **tables}


def _columns(original: CodedOriginal, release: Any, levels: Mapping[str, int]) -> tuple[ReleasedColumn, ...]:
    made = []
    for name, leaves in zip(original.names, original.leaves, strict=True):
        texts: Sequence[Label] = texts_of(release.column(name))
        level = levels.get(name, 0)
        if level:
            made.append(generalized_column(texts, leaves, original.hierarchies[name], level))
        else:
            made.append(unchanged_column(codes_of(texts, leaves), len(leaves)))
    return tuple(made)


def _nothing(original: CodedOriginal) -> tuple[ReleasedColumn, ...]:
    return tuple(unchanged_column(np.zeros(0, dtype=np.int64), len(leaves)) for leaves in original.leaves)

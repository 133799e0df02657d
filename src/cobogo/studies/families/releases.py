"""Releases of the same records, one kind after the other, each for some choices of its own parameter."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Label
from cobogo.data.policy import Policy
from cobogo.errors import NoSolution
from cobogo.floor.randomness import Entropy
from cobogo.studies.families.view import Column, Original, View, coarser, coded, exchanged, texts_of, told

Maker = Callable[[Original, Policy, Any, float], View]
"""Makes the release of a table of records for one value of the kind's parameter."""


def recoded(original: Original, policy: Policy, table: Any, k: float) -> View:
    """A recoding until every quasi-identifier tuple is shared by k records."""
    from cobogo.publish.anonymize import anonymize

    rules = _without(policy, privacy={"models": [{"model": "k-anonymity", "k": int(k)}]})
    try:
        release = anonymize(table, rules)
    except NoSolution as error:
        return View("recoding", {"k": k}, _nothing(original), error.what)
    return View("recoding", {"k": k}, _columns(original, release.to_arrow(), release.levels))


def randomized(original: Original, policy: Policy, table: Any, retention: float) -> View:
    """Sensitive values kept with a probability, else drawn evenly; quasi-identifiers as they are."""
    from cobogo.publish.transform import perturb

    secret, values = original.names[-1], original.leaves[-1]
    asked = {"method": "uniform", "attributes": [secret], "retention": retention, "domains": {secret: list(values)}}
    release = perturb(table, _without(policy, randomization=asked)).to_arrow()
    columns = list(_columns(original, release, {}))
    columns[-1] = exchanged(columns[-1].codes, len(values), retention)
    return View("randomization", {"retention": retention}, tuple(columns))


def sampled(original: Original, policy: Policy, table: Any, epsilon: float) -> View:
    """A differentially private sample of true rows, its levels chosen for a tenth of ε."""
    from cobogo.publish.transform import sample

    model = {"model": "differential-privacy", "epsilon": epsilon, "delta": DELTA}
    rules = _without(policy, privacy={"models": [model]}, sampling={"search-epsilon": epsilon / 10})
    release = sample(table, rules)
    levels = release.stated()["levels"]
    return View("sampling", {"epsilon": epsilon}, _columns(original, release.to_arrow(), levels))


def synthesized(original: Original, policy: Policy, table: Any, epsilon: float) -> View:
    """Records drawn from a differentially private model (MST)."""
    from cobogo.publish.transform import synthesize

    domains = {
        name: {"values": [label for label in leaves if label is not None], "null": None in leaves}
        for name, leaves in zip(original.names, original.leaves, strict=True)
    }
    asked = {"method": "mst", "epsilon": epsilon, "delta": DELTA, "domains": domains}
    release = synthesize(table, _without(policy, synthesis=asked)).to_arrow()
    return View("synthesis", {"epsilon": epsilon}, _columns(original, release, {}))


def collected(original: Original, policy: Policy, table: Any, epsilon: float) -> View:  # noqa: ARG001
    """Records rebuilt from local reports: everybody answers once, about one quasi-identifier together with the
    sensitive value; quasi-identifiers are drawn by what they have to do with that value, and with nothing else."""
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
    made = [told(codes, len(leaves)) for codes, leaves in zip([*columns, drawn], original.leaves, strict=True)]
    return View("local", {"epsilon": epsilon}, tuple(made))


DELTA = 1e-6
MAKERS: dict[str, tuple[str, Maker, tuple[float, ...]]] = {
    "recoding": ("k", recoded, (2, 5, 10, 25, 100)),
    "randomization": ("retention", randomized, (0.9, 0.7, 0.5, 0.3, 0.1)),
    "sampling": ("epsilon", sampled, (0.5, 1, 2, 4)),
    "synthesis": ("epsilon", synthesized, (0.1, 0.5, 1, 4)),
    "local": ("epsilon", collected, (0.5, 1, 2, 4, 8)),
}
"""Of each kind its parameter, what makes it, and the values that are tried if none are named."""


def untouched(original: Original) -> View:
    """The table as it is: what all are compared with."""
    columns = zip(original.members, original.leaves, strict=True)
    return View("original", {}, tuple(told(codes, len(leaves)) for codes, leaves in columns))


def _without(policy: Policy, **tables: Any) -> dict[str, Any]:
    """The policy with its roles, hierarchies and suppression limit, and other tables for the rest."""
    content = policy.model_dump(mode="json", by_alias=True, exclude_unset=True)
    data = {key: value for key, value in content.get("data", {}).items() if key == "decimal"}
    limit = {"suppression-limit": policy.recoding.suppression_limit}
    return {"attributes": content["attributes"], "recoding": limit, "data": data, **tables}


def _columns(original: Original, release: Any, levels: Mapping[str, int]) -> tuple[Column, ...]:
    made = []
    for name, leaves in zip(original.names, original.leaves, strict=True):
        texts: Sequence[Label] = texts_of(release.column(name))
        level = levels.get(name, 0)
        if level:
            made.append(coarser(texts, leaves, original.hierarchies[name], level))
        else:
            made.append(told(coded(texts, leaves), len(leaves)))
    return tuple(made)


def _nothing(original: Original) -> tuple[Column, ...]:
    return tuple(told(np.zeros(0, dtype=np.int64), len(leaves)) for leaves in original.leaves)

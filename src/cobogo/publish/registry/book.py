"""A data set's book: its earlier releases in the registry, and how a new one is checked and recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from cobogo.data.hierarchy import Hierarchy, Label
from cobogo.data.policy import AttributePolicy, Policy, Privacy, RegistryPolicy, Role
from cobogo.errors import PolicyError, RegistryError
from cobogo.floor.language import tr
from cobogo.floor.urls import is_url
from cobogo.promises.models import Model
from cobogo.publish.recode.contract.problem import Levels
from cobogo.publish.recoding import AnonymizedRelease
from cobogo.publish.registry import check, store
from cobogo.publish.registry.store import ReleaseRegistry, Transaction
from cobogo.publish.registry.structure import RecordedRelease, Traced, build_structure, trace_rows
from cobogo.release.evidence import digest, strip_passwords
from cobogo.release.series import REGISTERED, ReleaseSeries


@dataclass(frozen=True, eq=False, repr=False)
class RegistryBook:
    """The registry that a policy names, and the data set's releases when it was opened."""

    registry: ReleaseRegistry
    settings: RegistryPolicy
    earlier: Mapping[str, RecordedRelease] = field(default_factory=dict)

    def bind_policy(self, policy: Policy) -> Policy:
        """Extend the policy by what earlier releases demand: more quasi-identifiers, or a series to continue."""
        if policy.recoding.suppress == "sensitive":
            raise PolicyError(
                tr("a registry needs the sensitive value of every record, and this release withholds some"),
                where=f"{policy.name}, recoding.suppress",
                remedy=tr("Leave out suppress, or [registry]."),
            )
        if self.settings.base == "quasi-identifiers":
            return _extend_quasi_identifiers(
                policy, {name for recorded in self.earlier.values() for name in recorded.columns}
            )
        if self.settings.base == "m-invariance":
            return self._continue_series(policy)
        return policy

    def _continue_series(self, policy: Policy) -> Policy:
        if not any(model.get("model") == "m-invariance" for model in policy.models):
            raise PolicyError(
                tr("the policy does not ask for the model m-invariance"),
                where=f"{policy.name}, registry.base",
                remedy=tr("Add {model} to privacy.models.", model='{ model = "m-invariance", m = … }'),
            )
        last = next(
            (name for name, recorded in reversed(list(self.earlier.items())) if recorded.series is not None), None
        )
        if last is None:
            return policy
        models = tuple(
            {**model, "previous": f"{REGISTERED}{last}"} if model.get("model") == "m-invariance" else model
            for model in policy.models
        )
        return policy.model_copy(update={"privacy": Privacy(models=models)})

    def lowest_levels(self, hierarchies: Sequence[Hierarchy], lowest: Levels, highest: Levels, where: str) -> Levels:
        """Raise the lowest levels, so that no value is more specific than what was released."""
        if self.settings.base != check.BASED:
            return lowest
        raised = []
        for tree, low, high in zip(hierarchies, lowest, highest, strict=True):
            level = max([low, *(_least_level(recorded, tree) for recorded in self.earlier.values())])
            if level > high:
                raise PolicyError(
                    tr(
                        '"{attribute}" must be at level {level} or above to reveal no more than the earlier '
                        "release, and the highest allowed level is {high}",
                        attribute=tree.attribute,
                        level=level,
                        high=high,
                    ),
                    where=f"{where}, registry.base",
                    remedy=tr(
                        "Raise its max-level, give its hierarchy a higher level, or do not base the release on the "
                        "previous one."
                    ),
                )
            raised.append(level)
        return tuple(raised)

    def enter(self, release: AnonymizedRelease, series: ReleaseSeries | None, manifest: str, directory: Path) -> str:
        """Check a release against the recorded ones, record it as unfinished, and return its id.

        The same release of the same records is recorded once.
        """
        recorded = self._structure(release, trace_rows(release))
        recorded = recorded.sort_rows()
        if series is not None:
            recorded = replace(recorded, series=series.to_json())
        with self.registry.transaction() as book:
            check.refuse(self._breaches(book, recorded, release.problem.promised), release.policy.name)
            return self._add(book, release, recorded, manifest, directory)

    def adopt(self, release: AnonymizedRelease, manifest: str, directory: Path) -> str:
        """Record a release that is public already, whatever it exposes; return its id."""
        recorded = replace(self._structure(release, trace_rows(release)).sort_rows(), series=None)
        with self.registry.transaction() as book:
            identity = self._add(book, release, recorded, manifest, directory)
            book.finish(identity)
        return identity

    def _add(
        self, book: Transaction, release: AnonymizedRelease, recorded: RecordedRelease, manifest: str, directory: Path
    ) -> str:
        content = recorded.to_bytes()
        summary = self._summary(release, manifest, directory, content)
        summary["warnings"] = self._warn(release, recorded, _read_releases(book, self.settings.dataset, self.earlier))
        for entry in book.entries(self.settings.dataset):
            if entry.summary["structure-digest"] == summary["structure-digest"]:
                return entry.id
        return book.add(self.settings.dataset, summary, content)

    def _warn(
        self, release: AnonymizedRelease, recorded: RecordedRelease, earlier: Mapping[str, RecordedRelease]
    ) -> list[str]:
        """Add warnings about earlier releases that share almost no record with this one; return them."""
        found = check.stranger_warnings(earlier, recorded, release.problem.promised)
        release.warnings = tuple(dict.fromkeys((*release.warnings, *found)))
        return found

    def _breaches(self, book: Transaction, recorded: RecordedRelease, models: Sequence[Model]) -> list[check.Breach]:
        earlier = _read_releases(book, self.settings.dataset, self.earlier)
        return check.breaches(earlier, recorded, models, self.settings.base)

    def breaches(self, release: AnonymizedRelease) -> list[check.Breach]:
        """The attacks that would succeed on a release."""
        recorded = self._structure(release, trace_rows(release))
        with self.registry.transaction() as book:
            self._warn(release, recorded, _read_releases(book, self.settings.dataset, self.earlier))
            return self._breaches(book, recorded, release.problem.promised)

    def exposing_records(self, release: AnonymizedRelease) -> list[Label]:
        """The marks of the records without which a release would expose nobody."""
        columns = trace_rows(release)
        with self.registry.transaction() as book:
            found = self._breaches(book, self._structure(release, columns), release.problem.promised)
        codes, labels = columns[release.transformation.mark]
        rows = [breach.rows for breach in found]
        if found and not any(map(len, rows)):
            check.refuse(found, release.policy.name)
        return [labels[code] for code in np.unique(codes[np.concatenate(rows)]).tolist()] if rows else []

    def _structure(self, release: AnonymizedRelease, columns: Traced) -> RecordedRelease:
        found = build_structure(release, columns, self.registry.key.digests(self.settings.dataset))
        series = release.transformation.series
        return found if series is None else replace(found, series=series.to_json())

    def finish(self, identity: str) -> None:
        """Record that a release was put in place."""
        with self.registry.transaction() as book:
            book.finish(identity)

    def withdraw(self, identity: str) -> None:
        """Remove a release that was not put in place."""
        with self.registry.transaction() as book:
            if book.entry(identity).state == store.UNFINISHED:
                book.remove(identity)

    def _summary(self, release: AnonymizedRelease, manifest: str, directory: Path, structure: bytes) -> dict[str, Any]:
        key = self.registry.key.digests(self.settings.dataset)
        policy = release.policy
        return {
            "policy": strip_passwords(policy.as_dict()),
            "home": str(policy.home.absolute()),
            "plan": release.plan.to_json(),
            "models": [str(model) for model in release.problem.promised],
            "records": release.plan.records,
            "classes": release.plan.classes,
            "suppressed": release.suppressed,
            "counterfeits": release.plan.counterfeits,
            "columns": list(release.columns),
            "directory": str(directory.absolute()),
            "manifest-sha256": manifest,
            "input-digest": digest(key, release.problem.table),
            "structure-digest": blake2b(structure, key=key, digest_size=32).hexdigest(),
        }


def locate_registry(policy: Policy) -> tuple[str, Path | None]:
    """The location of a policy's registry, and the file of its key if the policy names one."""
    asked = policy.registry
    assert asked is not None
    path = asked.path.removeprefix("sqlite:///")
    location = path if is_url(path) else str(policy.resolve(path))
    return location, None if asked.key is None else policy.resolve(asked.key)


def open_book(policy: Policy) -> RegistryBook | None:
    """Open the book of a policy; None if it names no registry."""
    if policy.registry is None:
        return None
    store.check_name(policy.registry.dataset)
    registry = store.open_registry(*locate_registry(policy))
    with registry.transaction() as book:
        return RegistryBook(registry, policy.registry, _read_releases(book, policy.registry.dataset))


def read_series(policy: Policy, identity: str) -> Mapping[str, Any]:
    """The state of a series after a registered release."""
    book = open_book(policy)
    if book is None or identity not in book.earlier:
        raise RegistryError(
            tr('the registry does not contain the release "{identity}"', identity=identity),
            where=policy.name,
            remedy=tr("`cobogo registry list` shows the releases."),
        )
    series = book.earlier[identity].series
    if series is None:
        raise RegistryError(
            tr("the release {identity} does not belong to a series", identity=identity),
            where=policy.name,
            remedy=tr("`cobogo registry list` shows the releases."),
        )
    return series


def _read_releases(
    book: Transaction, dataset: str, known: Mapping[str, RecordedRelease] | None = None
) -> dict[str, RecordedRelease]:
    """Read the releases of a data set, except those that are ``known``."""
    known = known or {}
    return {
        entry.id: known[entry.id] if entry.id in known else RecordedRelease.from_bytes(book.structure(entry.id))
        for entry in book.entries(dataset)
    }


def _extend_quasi_identifiers(policy: Policy, released: set[str]) -> Policy:
    """Make every attribute that was released before a quasi-identifier: its values could link rows."""
    changed = {
        name: AttributePolicy(role=Role.QUASI_IDENTIFIER, hierarchy=attribute.hierarchy)
        for name, attribute in policy.attributes.items()
        if name in released and attribute.role in (Role.SENSITIVE, Role.NON_SENSITIVE)
    }
    if not changed:
        return policy
    left = [name for name in policy.sensitive if name not in changed]
    for place, model in enumerate(policy.models):
        if model.get("attribute") in changed or (not left and _needs_sensitive(model)):
            names = ", ".join(f'"{name}"' for name in changed)
            raise PolicyError(
                tr(
                    "{model} protects sensitive attributes, but these were released before and are now "
                    "quasi-identifiers: {names}",
                    model=model["model"],
                    names=names,
                ),
                where=f"{policy.name}, privacy.models[{place}]",
                remedy=tr('Remove the model, or set registry.base = "previous" or "m-invariance" instead.'),
            )
    return policy.model_copy(update={"attributes": {**policy.attributes, **changed}})


def _needs_sensitive(model: Mapping[str, Any]) -> bool:
    from dataclasses import fields

    from cobogo.promises.models import MODELS

    kind = MODELS.get(str(model.get("model")))
    return kind is not None and any(f.name == "attribute" for f in fields(kind))  # type: ignore[arg-type]


def _least_level(recorded: RecordedRelease, tree: Hierarchy) -> int:
    """The lowest level of a hierarchy at which no value is more specific than the values that were released.

    A starred class revealed nothing and sets no bound; the top of a hierarchy has the same label and does.
    """
    before = recorded.classes.trees.get(tree.attribute)
    if before is None or tree.attribute not in recorded.classes.quasi_identifiers:
        return 0
    column = recorded.classes.quasi_identifiers.index(tree.attribute)
    said = recorded.classes.codes[~check.starred_classes(recorded.classes)]
    used = {recorded.classes.labels[tree.attribute][code] for code in set(said[:, column].tolist())}
    for level in range(tree.height + 1):
        if all(_within_one(label, before, tree, level) for label in used):
            return level
    return tree.height + 1


def _within_one(label: Any, before: Hierarchy, tree: Hierarchy, level: int) -> bool:
    """Whether all leaves under a released value have the same value at a level of another hierarchy."""
    values = set()
    for at, labels in enumerate(before.labels):
        if label in labels:
            code = labels.index(label)
            under = [leaf for leaf, node in zip(before.leaves, before.maps[at].tolist(), strict=True) if node == code]
            values |= {tree.generalize(leaf, level) for leaf in under if leaf in tree.index}
    return len(values) <= 1

"""From a policy's ``[masking]`` to operators: the operator of each column, and what columns share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from cobogo.data.hierarchy.csv_file import read_regular
from cobogo.data.policy import Policy
from cobogo.data.policy import masking as specs
from cobogo.data.table.columns import load_coded_columns
from cobogo.data.table.read import Table
from cobogo.errors import DataError, PolicyError, VaultError
from cobogo.floor.language import Text, tr, trn
from cobogo.floor.language.errors import reason
from cobogo.floor.urls import is_url
from cobogo.publish.mask.digits import canonical
from cobogo.publish.mask.fakes import Fake, ListedFake, fake, substitutes
from cobogo.publish.mask.free_text import FINDERS, mask_text
from cobogo.publish.mask.operators import (
    Blurred,
    Changed,
    Dictionary,
    DrawnForEach,
    Encrypted,
    MaskingOperator,
    Shifted,
    Shuffled,
    Substituted,
    distinct,
    mask_characters,
    nulls,
    truncate,
)
from cobogo.publish.mask.secret import Secret, pseudonyms
from cobogo.release.contract import Json


@dataclass(frozen=True, repr=False)
class Member:
    """A column of a group: its table, its name, and its place in the policy for messages."""

    table: Table
    column: str
    where: str


@dataclass(repr=False)
class Group:
    """Columns whose equal values have equal substitutes."""

    spec: specs.Substitution
    kind: Fake
    members: list[Member] = field(default_factory=list)
    unique: bool = False
    dictionary: Dictionary | None = None


class Shared:
    """What the tables of one job share: the secret, and the groups of columns.

    A group's dictionary is built from the values of all its columns, when the first of them is released.
    """

    def __init__(self) -> None:
        self._secrets: dict[str, Secret] = {}
        self._groups: dict[str, Group] = {}

    def secret(self, policy: Policy, wanted: specs.Masking) -> Secret:
        """The secret that a policy names, or one drawn for this job."""
        path = "" if wanted.secret is None else str(policy.resolve(wanted.secret))
        if path not in self._secrets:
            self._secrets[path] = Secret.load(policy.resolve(wanted.secret)) if wanted.secret else Secret.draw()
        return self._secrets[path]

    def add_member(self, name: str, spec: specs.Substitution, kind: Fake, member: Member) -> None:
        """Add a column to a group."""
        group = self._groups.setdefault(name, Group(spec, kind))
        if _essence(group.spec) != _essence(spec):
            raise PolicyError(
                tr('the other columns of the group "{name}" are masked in another way', name=name),
                where=member.where,
                remedy=tr("Use the same operator for all columns of a group, or give this column another group."),
            )
        group.members.append(member)
        group.unique |= spec.unique

    def dictionary(self, name: str, secret: Secret) -> Dictionary:
        """The substitutes of a group's values."""
        group = self._groups[name]
        if group.dictionary is None:
            known = sorted({value for member in group.members for value in distinct(member.table, member.column)})
            where = group.members[0].where
            made = substitutes(known, group.kind, secret, name, unique=group.unique, where=where) if known else ()
            group.dictionary = Dictionary(known, list(made))
        return group.dictionary


def operators(policy: Policy, table: Table, shared: Shared) -> tuple[MaskingOperator, ...]:
    """Build the operator of each column that a policy masks."""
    wanted = policy.masking
    made: list[MaskingOperator] = []
    if wanted is None:
        return ()
    for name, spec in wanted.columns.items():
        where = f"{policy.name}, masking.columns.{name}"
        if name not in table.columns:
            raise PolicyError(
                tr("the data do not have this column"), where=where, remedy=tr("Name a column of the data.")
            )
        made.append(_operator(name, spec, policy, wanted, table, shared, where))
        _refuse_apart(made[-1], table, where)
    return tuple(made)


def _refuse_apart(operator: MaskingOperator, table: Table, where: str) -> None:
    """Refuse an operator that cannot be applied where an engine keeps its records."""
    if table.engine.keeps_records and operator.apart is not None:
        raise PolicyError(
            tr("{engine} cannot do this: {why}", engine=table.engine.name, why=operator.apart),
            where=where,
            remedy=tr("Choose another operator, or use DuckDB."),
            code="COBOGO-ENGINE",
        )


def _operator(
    name: str, spec: Any, policy: Policy, wanted: specs.Masking, table: Table, shared: Shared, where: str
) -> MaskingOperator:
    secret = shared.secret(policy, wanted)
    match spec:
        case specs.FakeSpec() | specs.ListSpec():
            return _substitution(name, spec, policy, table, shared, secret, where)
        case specs.ShuffleSpec():
            meaning = tr("shuffled: each value belongs to another record")
            return Shuffled(name, meaning, {"operator": "shuffle"}, lambda: _read_column(table, name))
        case specs.BlurSpec():
            stated = {"operator": "blur", "share": spec.blur}
            meaning = tr("blurred: each number changed by up to a share of {share:.3g} of itself", share=spec.blur)
            strict = spec.invalid == "error"
            return Blurred(
                name, meaning, stated, share=spec.blur, decimal=policy.data.decimal, strict=strict, where=where
            )
        case specs.ShiftSpec():
            return _shift(name, spec, table, secret, where)
        case specs.NullSpec():
            return Changed(name, tr("left out"), {"operator": "null"}, nulls)
        case specs.TruncateSpec():
            stated = {"operator": "truncate", "characters": spec.truncate}
            first = trn("only the first character", "only the first {n:,} characters", n=spec.truncate)
            last = trn("only the last character", "only the last {n:,} characters", n=spec.truncate)
            return Changed(
                name,
                first if spec.end == "right" else last,
                stated,
                lambda values: truncate(values, spec.truncate, spec.end),
            )
        case specs.CharactersSpec():
            kept = spec.keep_first + spec.keep_last
            stated = {"operator": "mask", "character": spec.mask, "kept": kept}
            meaning = tr('letters and digits masked with "{mask}", all but {kept}', mask=spec.mask, kept=kept)
            return Changed(name, meaning, stated, partial(_mask_characters, spec))
        case specs.TextSpec():
            kinds = () if spec.text is True else spec.text
            stated = {"operator": "text", "kinds": list(kinds) or sorted(FINDERS)}
            meaning = tr("free text in which names, numbers and dates that were found are replaced by their kind")
            return Changed(name, meaning, stated, lambda values: [mask_text(value, kinds) for value in values])
        case specs.PseudonymSpec():
            stated = {"operator": "pseudonym", "length": spec.length}
            meaning = tr("a pseudonym that replaces the value, computed with a secret key (HMAC-SHA256)")

            def change(values: Sequence[str]) -> Sequence[str]:
                return pseudonyms(canonical(values).tolist(), secret, spec.group, spec.length)

            if table.engine.keeps_records:  # the secret stays here
                return Substituted(name, meaning, stated, lambda: _dictionary(table, name, change))
            return Changed(name, meaning, stated, change)
        case specs.EncryptSpec():
            meaning = tr("encrypted (AES-256-GCM)")
            return Encrypted(name, meaning, {"operator": "encrypt"}, secret)
        case specs.TokenSpec():
            return _tokens(name, spec, policy, wanted, table, where)
    raise AssertionError(spec)


def _substitution(
    name: str, spec: Any, policy: Policy, table: Table, shared: Shared, secret: Secret, where: str
) -> MaskingOperator:
    stated: Json
    if isinstance(spec, specs.FakeSpec):
        kind, group, what = fake(spec.fake, spec.locale), str(spec.fake), _fake_meaning(spec)
        stated = {"operator": "fake", "fake": spec.fake, "locale": spec.locale}
    else:
        words = spec.list if isinstance(spec.list, tuple) else _read_list(policy, spec.list, where)
        kind, group, what = ListedFake(words), f"list {' '.join(words)}", _list_meaning(spec)
        stated = {"operator": "list"}
    if not spec.consistent:
        return DrawnForEach(name, what, stated, kind)
    group = spec.group or group
    shared.add_member(group, spec, kind, Member(table, name, where))
    return Substituted(name, what, stated, lambda: shared.dictionary(group, secret), kind)


def _fake_meaning(spec: specs.FakeSpec) -> Text:
    if spec.consistent:
        return tr("invented ({kind}), the same for the same value", kind=spec.fake)
    return tr("invented ({kind}), drawn for each record", kind=spec.fake)


def _list_meaning(spec: specs.ListSpec) -> Text:
    if spec.consistent:
        return tr("a word of a list, the same for the same value")
    return tr("a word of a list, drawn for each record")


def _shift(name: str, spec: specs.ShiftSpec, table: Table, secret: Secret, where: str) -> MaskingOperator:
    if spec.per is not None and spec.per not in table.columns:
        raise PolicyError(
            tr('there is no column "{name}"', name=spec.per),
            where=f"{where}.per",
            remedy=tr("Name a column of the data."),
        )
    meaning = tr("moved by 1 to {days} days, forward or back", days=spec.days)
    if spec.per is not None:
        meaning = tr(
            "moved by 1 to {days} days, forward or back; all dates of a person by the same number", days=spec.days
        )
    return Shifted(
        name,
        meaning,
        {"operator": "days", "days": spec.days, "format": spec.format},
        days=spec.days,
        form=spec.format,
        per=spec.per,
        secret=None if spec.per is None else secret,
        strict=spec.invalid == "error",
        where=where,
    )


def _tokens(
    name: str, spec: specs.TokenSpec, policy: Policy, wanted: specs.Masking, table: Table, where: str
) -> MaskingOperator:
    from cobogo.publish.mask.vault import Vault, VaultRole

    place, key = str(wanted.vault), policy.resolve(str(wanted.key))
    vault = Vault.open(place if is_url(place) else policy.resolve(place), key)
    vault.require(spec.token, VaultRole.TOKENIZE)

    def dictionary() -> Dictionary:
        try:
            return _dictionary(table, name, lambda values: vault.tokenize(spec.token, values))
        except VaultError as error:
            raise VaultError(error.what, where=error.where or where, remedy=error.remedy) from None

    return Substituted(name, tr("a token that replaces the value"), {"operator": "token"}, dictionary)


def _dictionary(table: Table, name: str, change: Callable[[Sequence[str]], Sequence[str]]) -> Dictionary:
    """What a function makes of each value of a column."""
    values = distinct(table, name)
    return Dictionary(values, change(values))


def _essence(spec: specs.Substitution) -> Json:
    return spec.model_dump(exclude={"group", "unique", "consistent"})


def _read_column(table: Table, name: str) -> tuple[Any, Sequence[str | None]]:
    found, labels = load_coded_columns(table, [name])
    return found[name].astype("int64"), labels[name]


def _mask_characters(spec: specs.CharactersSpec, values: Sequence[str]) -> list[str]:
    return [mask_characters(value, spec.mask, spec.keep_first, spec.keep_last) for value in values]


def _read_list(policy: Policy, path: str, where: str) -> tuple[str, ...]:
    """Read the distinct lines of a list."""
    file = policy.resolve(path)
    try:
        raw = read_regular(file)
    except OSError as error:
        raise PolicyError(
            tr("the list cannot be read: {reason}", reason=reason(error)),
            where=f"{where}, {file}",
            remedy=tr("Check the path and the permission to read the file."),
        ) from None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    words = tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))
    if len(words) < 2:
        raise DataError(
            tr("the list has fewer than two words"), where=f"{where}, {file}", remedy=tr("Write one word on each line.")
        )
    return words

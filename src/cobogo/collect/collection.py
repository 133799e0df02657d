"""A collection: one question to many clients, as the steward publishes it to clients and server. It has no secrets.

Everything that clients must agree on enters its fingerprint, which every report carries: a report of another question,
or of the same question under other parameters, is never counted. Candidates, which only the server needs, do not.
"""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field, PrivateAttr, ValidationError

from cobogo.collect.protocol import Protocol
from cobogo.data.policy.complaints import list_errors
from cobogo.data.policy.toml_file import PolicyTable, read_toml
from cobogo.errors import PolicyError
from cobogo.floor.arrays import Ints
from cobogo.floor.language import tr
from cobogo.floor.language.errors import gather_errors, reason

FINGERPRINT = 8
"""Bytes of a collection's fingerprint."""

NAMES = frozenset({"name", "version", "lifetime_values"})
"""Keys that change nothing in what a client answers."""

MOST_CELLS = 1 << 25
"""Counts of a collection, at most: 256 MB, which is 32 times the largest default. More would exhaust the server."""

TABLE = "collection"

Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f]+$")]


class Collection(PolicyTable):
    """The description of a question: its name, question, version and mechanism, and the number of different values that
    a client answers for. Each further value costs a client as much as the first."""

    name: Name
    question: Name
    version: Annotated[int, Field(ge=1, le=2**31)] = 1
    mechanism: str
    lifetime_values: Annotated[int, Field(ge=1, le=10_000)] = 1

    randomizers: ClassVar[Mapping[str, Any]] = {}
    """The mechanisms of such questions, by name."""

    server_only: ClassVar[frozenset[str]] = frozenset()
    """Keys that clients need not know."""

    later: ClassVar[frozenset[str]] = frozenset()
    """Keys that came later. With their defaults they are not in the fingerprint: earlier reports still count."""

    _where: str = PrivateAttr(default="collection.toml")

    @classmethod
    def load(cls, path: str | Path) -> Collection:
        """Read a TOML file; its paths are relative to it."""
        path = Path(path)
        return cls.of(read_toml(path, "collecting"), home=path.parent, name=str(path))

    @classmethod
    def of(cls, content: Mapping[str, Any], *, home: str | Path = ".", name: str = "collection.toml") -> Collection:
        """Validate a mapping with the structure of the file.

        >>> content = {"name": "pets", "question": "pet", "mechanism": "grr", "epsilon": 1, "values": ["cat", "dog"]}
        >>> Collection.of({"collection": content}).protocol.layout.width
        1
        """
        from cobogo.collect.mechanisms import MECHANISMS, family_of

        table = content.get(TABLE)
        if not isinstance(table, Mapping) or len(content) != 1:
            others = sorted(set(content) - {TABLE})
            what = (
                tr("unknown table {others!r}", others=others[0])
                if others
                else tr("there is no table [{table}]", table=TABLE)
            )
            raise PolicyError(what, where=name, remedy=tr("Put all keys under [{table}].", table=TABLE))
        mechanism = table.get("mechanism")
        if mechanism is None:
            remedy = tr("`cobogo list {listed}` shows all.", listed=MECHANISMS.listed)
            raise PolicyError(tr("this key is required and missing"), where=f"{name}, {TABLE}.mechanism", remedy=remedy)
        MECHANISMS.find(mechanism, f"{name}, {TABLE}.mechanism")
        family = family_of(mechanism)
        where = f"{name}, {TABLE}"
        try:
            found = family.model_validate(_read_files(table, Path(home), where))
        except ValidationError as error:
            raise gather_errors([_name_table(one) for one in list_errors(error, family)], name) from None
        found._where = where
        assert found.protocol.layout.width  # the protocol is built now, so that what it refuses is refused here
        cells = prod(found.protocol.shape)
        if cells > MOST_CELLS:
            raise PolicyError(
                tr(
                    "the reports would be counted in {cells:,} cells, and at most {most:,} are possible",
                    cells=cells,
                    most=MOST_CELLS,
                ),
                where=where,
                remedy=tr("Give fewer rows, or a smaller width."),
            )
        return found

    @property
    def where(self) -> str:
        """Its place, as errors name it."""
        return self._where

    @abstractmethod
    def build(self) -> Protocol:
        """Build the protocol that is described."""

    @cached_property
    def protocol(self) -> Protocol:
        """What clients and server do."""
        return self.build()

    @cached_property
    def fingerprint(self) -> bytes:
        """A digest of everything that clients must agree on."""
        agreed = self._agreed()
        text = json.dumps(agreed, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(f"cobogo collection 1 {text}".encode()).digest()[:FINGERPRINT]

    @cached_property
    def identity(self) -> bytes:
        """A digest of the question and of how it is answered, without the collection's name and version: a client that
        is asked the same question again gives the same answer again, and spends nothing."""
        agreed = self._agreed(NAMES)
        text = json.dumps(agreed, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(f"cobogo question 1 {text}".encode()).digest()[:FINGERPRINT]

    def _agreed(self, without: frozenset[str] = frozenset()) -> dict[str, Any]:
        """What clients must agree on."""
        default = {key for key in self.later if getattr(self, key) == type(self).model_fields[key].default}
        return self.model_dump(mode="json", by_alias=True, exclude=set(self.server_only | without | default))

    def count_foreign(self, path: Path) -> tuple[Ints, bool] | None:  # noqa: ARG002
        """The counts of a file that another program wrote, and whether its noise came from a seed; None where it is no
        such file, or where the mechanism knows none."""
        return None

    def as_dict(self) -> dict[str, Any]:
        """What clients get, with the content of files in it; `Collection.of` reads it again."""
        return {TABLE: self.model_dump(mode="json", by_alias=True, exclude=set(self.server_only))}

    def with_candidates(self, path: Path) -> Collection:
        """The same collection with the lines of a file as its candidates."""
        if "candidates" not in type(self).model_fields:
            raise PolicyError(
                tr("{mechanism} asks about listed values, and takes no candidates", mechanism=self.mechanism),
                where="--candidates",
                remedy=tr("Leave --candidates out."),
            )
        found = self.as_dict()
        found[TABLE]["candidates"] = read_lines(path, "--candidates")
        return type(self).of(found, name=self.where.removesuffix(f", {TABLE}"))

    def refusal(self, key: str, what: str, remedy: str | None = None) -> PolicyError:
        """An error about a key."""
        return PolicyError(what, where=f"{self.where}.{key}", remedy=remedy)

    def refuse_parameter(self, error: ValueError, keys: Iterable[str]) -> PolicyError:
        """The error of a mechanism about one of its parameters, at the key that has it."""
        what = error.args[0]
        key = next((key for key in keys if f"'{key}'" in what), "mechanism")
        return self.refusal(key, what, tr("Change this key in the collection."))


def check_values(values: Sequence[str]) -> tuple[str, ...]:
    """Check that the values of a list differ and that none is empty."""
    if "" in values:
        raise ValueError(tr("a value must not be empty"), tr("Remove it."))
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(tr("{value!r} appears twice", value=value), tr("List each value once."))
        seen.add(value)
    return tuple(values)


def read_lines(path: Path, where: str) -> list[str]:
    """The lines of a text file, without those that are empty."""
    try:
        text = path.expanduser().read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PolicyError(
            tr("{name} is not UTF-8 text (byte {start:,})", name=path.name, start=error.start),
            where=where,
            remedy=tr("Save the file as UTF-8."),
        ) from None
    except OSError as error:
        raise PolicyError(
            tr("{name} cannot be read: {reason}", name=path.name, reason=reason(error)),
            where=where,
            remedy=tr("Check the path."),
        ) from None
    except (ValueError, RuntimeError):  # a NUL in it, or the home of nobody
        raise PolicyError(
            tr("{path!r} is not a path", path=str(path)), where=where, remedy=tr("Check the path.")
        ) from None
    return [line for line in text.replace("\r\n", "\n").split("\n") if line]


def _read_files(table: Mapping[str, Any], home: Path, where: str) -> dict[str, Any]:
    """Read the lists that are given as ``{ file = "…" }``, one value a line."""
    found = dict(table)
    for key in ("values", "candidates"):
        given = found.get(key)
        if isinstance(given, Mapping):
            if set(given) != {"file"} or not isinstance(given["file"], str):
                raise PolicyError(
                    tr("must be a list of values, or the name of a file"),
                    where=f"{where}.{key}",
                    remedy=tr(
                        "Write {example}, with one value in each line of the file.",
                        example=f'{key} = {{ file = "values.txt" }}',
                    ),
                )
            path = Path(given["file"])
            found[key] = read_lines(path if given["file"].startswith("~") else home / path, f"{where}.{key}")
    return found


def _name_table(error: PolicyError) -> PolicyError:
    """An error about a key of the table, with the table's name before the key."""
    where = f"{TABLE}.{error.where}" if error.where else TABLE
    return PolicyError(error.what, where=where, remedy=error.remedy, code=error.code)

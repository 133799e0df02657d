"""Hierarchies of codes whose groups are public facts, which ship in ``classifications/``.

``municipalities.csv`` has IBGE's micro-regions of 2022, each with its meso-region and the codes of its municipalities
without the two digits of the state; ``states.csv`` the states, their regions and the first three digits of their postal
codes (CEP); ``icd10.csv`` the chapters of the World Health Organization's ICD-10 (CID-10) and their finest blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.policy import CodesHierarchy
from cobogo.errors import UnfitValues
from cobogo.floor.language import Text, tr, trn

Step = Callable[[str], str | None]
"""From a label to the one that stands for it one level up; None for a text that is no label of its level."""


def codes_hierarchy(attribute: str, spec: CodesHierarchy, values: Sequence[str], *, where: str) -> Hierarchy:
    """Level 0 is the code as the data have it; the levels above are those of its classification.

    With ``lenient``, a code that the classification does not have stays as it is. A value that is called like a group
    (a state's name among its municipalities) goes on as that group does.

    >>> codes_hierarchy("diagnosis", CodesHierarchy(codes="icd-10"), ["A09.1", "J189"], where="policy").labels[1:]
    (('A09', 'J18'), ('A00-A09', 'J09-J18'), ('I (A00-B99)', 'X (J00-J99)'))
    """
    unknown = unknown_codes(spec.codes, values)
    if unknown and not spec.lenient:
        raise UnfitValues(
            trn(
                "{n:,} value of the data is not a code of {classification}",
                "{n:,} values of the data are not codes of {classification}",
                n=len(unknown),
                classification=TITLES[spec.codes],
            ),
            unknown,
            where=where,
            remedy=tr(
                "Correct them in the data, list them under missing in [data], or write lenient = true: they then stay "
                "as they are."
            ),
        )
    return Hierarchy.from_steps(attribute, values, [partial(_go_up, step=step) for step in _STEPS[spec.codes]()])


def _go_up(label: str, *, step: Step) -> str:
    return step(label) or label


def unknown_codes(classification: str, values: Sequence[str]) -> list[str]:
    """The values that a classification does not have.

    >>> unknown_codes("icd-10", ["A90", "A10", "i10x", "C4A"]), unknown_codes("cep", ["60020-270", "78900-000"])
    (['A10', 'C4A'], ['78900-000'])
    >>> unknown_codes("municipality", ["2304400", "230440", "2304401"])
    ['2304401']
    """
    first = _STEPS[classification]()[0]
    return [value for value in values if first(value) is None]


@cache
def _municipality_steps() -> tuple[Step, ...]:
    """A code of 7 digits, or of 6 without the check digit; micro-region; meso-region; state; region."""
    states = {row["code"]: row for row in _rows("states")}
    micro: dict[str, str] = {}
    meso: dict[str, str] = {}
    state: dict[str, str] = {}
    for row in _rows("municipalities"):
        code = row["microregion"][:2]
        name = f"{row['name']}/{states[code]['abbreviation']}"
        for rest in row["municipalities"].split():
            micro[code + rest] = micro[code + rest[:-1]] = name
        meso[name], state[row["mesoregion"]] = row["mesoregion"], states[code]["state"]
    return micro.get, meso.get, state.get, _regions().get


@cache
def _cep_steps() -> tuple[Step, ...]:
    """A CEP; its first five digits; its first three; state; region."""
    states = {
        f"{prefix:03d}**-***": row["state"]
        for row in _rows("states")
        for first, _, last in (span.partition("-") for span in row["postal"].split())
        for prefix in range(int(first), int(last) + 1)
    }

    def sector(code: str) -> str | None:
        found = _CEP.fullmatch(code)
        return f"{found[1]}{found[2]}-***" if found and f"{found[1]}{found[2][0]}**-***" in states else None

    def region(label: str) -> str | None:
        return f"{label[:3]}**-***" if _CEP_SECTOR.fullmatch(label) else None

    return sector, region, states.get, _regions().get


@cache
def _icd10_steps() -> tuple[Step, ...]:
    """A code with or without its dot; category of three characters; block; chapter."""
    chapters = {
        block: f"{row['chapter']} ({row['codes']})" for row in _rows("icd10") for block in row["blocks"].split()
    }
    blocks = sorted(chapters)

    def category(code: str) -> str | None:
        found = _ICD10.fullmatch(code)
        return found[1].upper() if found and block(found[1].upper()) else None

    def block(label: str) -> str | None:
        nearest = blocks[bisect_right(blocks, f"{label}~") - 1]
        first, _, last = nearest.partition("-")
        return nearest if len(label) == len(first) and first <= label <= last else None

    return category, block, chapters.get


_CEP = re.compile(r"([0-9]{2})\.?([0-9]{3})-?[0-9]{3}")
_CEP_SECTOR = re.compile(r"[0-9]{5}-\*{3}")
# The fourth character may be an X, which stands for none; a fifth says more of a joint or a fracture.
_ICD10 = re.compile(r"([A-Za-z][0-9]{2})(?:\.?[0-9Xx][0-9]?)?[*+†]?")
_STEPS: Mapping[str, Callable[[], tuple[Step, ...]]] = {
    "municipality": _municipality_steps,
    "cep": _cep_steps,
    "icd-10": _icd10_steps,
}

LEVELS: Mapping[str, Sequence[Text]] = {
    "municipality": (
        tr("micro-regions (IBGE)"),
        tr("meso-regions (IBGE)"),
        tr("states of Brazil"),
        tr("regions of Brazil"),
    ),
    "cep": (
        tr("the first five digits of a CEP"),
        tr("the first three digits of a CEP"),
        tr("states of Brazil"),
        tr("regions of Brazil"),
    ),
    "icd-10": (
        tr("categories of ICD-10, of three characters"),
        tr("blocks of ICD-10"),
        tr("chapters of ICD-10"),
    ),
}
"""What the labels of each level are, from level 1 up."""

TITLES: Mapping[str, Text] = {
    "municipality": tr("IBGE's municipalities"),
    "cep": tr("the postal codes of Brazil (CEP)"),
    "icd-10": tr("ICD-10"),
}


@cache
def _regions() -> dict[str, str]:
    return {row["state"]: row["region"] for row in _rows("states")}


def _rows(name: str) -> Iterator[dict[str, str]]:
    from cobogo.floor.files import read_packaged  # only for who asks for codes

    return read_packaged("cobogo.data.hierarchy.classifications", name)

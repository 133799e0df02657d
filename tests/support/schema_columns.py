"""Columns for the tests of the schema: profiles counted in memory, and numbers with check digits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cobogo.data.schema import MOST_VALUES, ColumnProfile, profile


def column(name: str, cells: Iterable[str | None]) -> ColumnProfile:
    """The profile that an engine would count of these cells."""
    cells = list(cells)
    counts = Counter(cell for cell in cells if cell is not None)
    unique = sum(count == 1 for count in counts.values())
    return profile(name, len(cells), cells.count(None), len(counts), unique, counts.most_common(MOST_VALUES))


def cpf(number: int, *, valid: bool = True, written: bool = True) -> str:
    """The CPF with these first nine digits."""
    digits = [int(d) for d in f"{number:09d}"]
    for _ in range(2):
        digits.append(sum(d * (len(digits) + 1 - i) for i, d in enumerate(digits)) * 10 % 11 % 10)
    if not valid:
        digits[-1] = (digits[-1] + 1) % 10
    text = "".join(map(str, digits))
    return f"{text[:3]}.{text[3:6]}.{text[6:9]}-{text[9:]}" if written else text


def luhn(number: int) -> str:
    """The number with Luhn's check digit behind it."""
    doubled = [int(d) * (2 - i % 2) for i, d in enumerate(reversed(str(number)))]
    total = sum(d - 9 if d > 9 else d for d in doubled)
    return f"{number}{-total % 10}"


PEOPLE = [
    f"{given} {surname}"
    for given in ("Maria", "José", "Ana", "João", "Antônia", "Francisco")
    for surname in ("da Silva", "de Sousa Lima", "Alencar", "Pereira dos Santos", "Bezerra Filho")
]
GUIDE = {
    "nome": [PEOPLE[i % 30] for i in range(60)],
    "cpf": [cpf(123_456_700 + 7 * i, valid=False) for i in range(60)],
    "localidade": [
        ("Centro/Fortaleza/CE", "Messejana/Fortaleza/CE", "Zona Rural/Icó/CE", "Centro/Sobral/CE")[i % 4]
        for i in range(60)
    ],
    "data_nascimento": [f"{i % 28 + 1:02d}/{i % 12 + 1:02d}/{1950 + i}" for i in range(60)],
    "raca_cor": [("PARDA", "AMARELA", "BRANCA", "PRETA", "INDÍGENA")[i % 5] for i in range(60)],
}
"""The columns of the COVID-19 guide; as in the demo, the CPFs belong to nobody."""

ADULT = {
    "sex": ["Male", "Female"],
    "age": [str(17 + i % 70) for i in range(200)],
    "race": ["White", "Black", "Asian-Pac-Islander", "Other"],
    "marital-status": ["Never-married", "Divorced", "Married-civ-spouse"],
    "education": ["Bachelors", "HS-grad", "11th", "Masters"],
    "native-country": ["United-States", "Cambodia", "Mexico"],
    "workclass": ["State-gov", "Private", "Self-emp-not-inc"],
    "occupation": ["Adm-clerical", "Exec-managerial", "Tech-support"],
    "salary-class": ["<=50K", ">50K"],
}

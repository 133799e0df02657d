"""The starter policy: TOML whatever the columns are called, refused until the guesses are confirmed, then ready."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.policy import Data, Policy, Role
from cobogo.data.policy.toml_file import toml
from cobogo.data.schema import ColumnProfile, Suggestion, starter_policy, suggest
from cobogo.errors import PolicyError
from cobogo.promises.models import build
from support.schema_columns import ADULT, GUIDE, column, cpf


def starter(columns: dict[str, list[str | None]], **options: Any) -> str:
    """The starter policy of a table."""
    profiles = [column(name, cells) for name, cells in columns.items()]
    dialect = {key: options.pop(key, usual) for key, usual in (("separator", ","), ("encoding", "utf-8"))}
    told = {"path": "a.csv", "data": Data.model_validate(dialect)} | options
    return starter_policy(profiles, [suggest(profile) for profile in profiles], **told)


def confirmed(text: str) -> Policy:
    """The policy once every guess is confirmed; its models can be made."""
    policy = Policy.of(tomllib.loads(text.replace('role = "CONFIRM ', 'role = "')))
    build(policy.privacy.models, policy.sensitive)
    return policy


def test_the_guide_is_ready_to_run() -> None:
    text = starter(GUIDE, separator=";")
    policy = Policy.of(tomllib.loads(text))
    assert policy.with_role(Role.IDENTIFIER) == ("nome", "cpf")
    assert policy.quasi_identifiers == ("localidade", "data_nascimento")
    assert policy.sensitive == ("raca_cor",)
    assert policy.data.separator == ";"
    assert policy.recoding.suppression_limit == 0.05
    assert [model["model"] for model in policy.privacy.models] == ["k-anonymity", "l-diversity"]
    assert len(build(policy.privacy.models, policy.sensitive)) == 2


def test_a_guess_is_refused_until_it_is_confirmed() -> None:
    text = starter({"shoe": ["a", "b"] * 20, "sexo": ["F", "M"] * 20})
    assert 'shoe = { role = "CONFIRM quasi-identifier" }' in text
    assert 'sexo = { role = "quasi-identifier" }' in text
    with pytest.raises(PolicyError, match=r"attributes.shoe.role: the role 'quasi-identifier' is a guess"):
        Policy.of(tomllib.loads(text))
    assert confirmed(text).quasi_identifiers == ("shoe", "sexo")


def test_every_attribute_says_why_and_how_sure() -> None:
    lines = starter({**GUIDE, **ADULT, "x": ["1"]}).splitlines()
    begin, end = lines.index("[attributes]"), lines.index("[privacy]")
    said = "\n".join(lines[begin + 1 : end]).strip()
    assert said.count("confidence") == len(GUIDE) + len(ADULT) + 1
    for line, after in zip(lines[begin:end], lines[begin + 1 : end], strict=False):
        assert line.startswith("#") or not after or after.startswith("#")


def test_l_diversity_is_asked_only_where_it_can_hold() -> None:
    mixed = confirmed(starter({"age": ["1", "2"] * 20, "hiv": ["yes"] * 40, "disease": ["a", "b"] * 20}))
    assert [model.get("attribute") for model in mixed.privacy.models[1:]] == ["disease"]
    partly = confirmed(starter({"age": ["1", "2"] * 20, "hiv": ["yes", None] * 20}))
    assert len(partly.privacy.models) == 2  # NULL is a value too
    without = confirmed(starter({"age": ["1", "2"] * 20}))
    assert [model["model"] for model in without.privacy.models] == ["k-anonymity"]


def test_the_way_the_data_is_written() -> None:
    text = starter({"peso": ["71,5", "64,25", "NA"], "idade": ["31", "NA"]}, separator="\t", encoding="latin-1")
    data = confirmed(text).data
    assert (data.separator, data.encoding, data.decimal, data.missing) == ("\t", "latin-1", ",", ("", "NA"))
    assert confirmed(starter({"x": ["1"]}, decimal=",")).data.decimal == ","


def test_models_count_people_where_a_number_of_people_repeats() -> None:
    ages = ["31", "42", "53"] * 8
    people = [f"P{n // 2:04}" for n in range(24)]
    assert confirmed(starter({"customer_id": people, "age": ages})).data.unit == "customer_id"
    assert confirmed(starter({"customer_id": [*people[:-1], None], "age": ages})).data.unit == "customer_id"
    for once in ([f"P{n:04}" for n in range(24)], [*people[:-3], None, None, None], ["P0001"] * 24):
        assert confirmed(starter({"customer_id": once, "age": ages})).data.unit is None
    assert confirmed(starter({"nome": ["Ana Lima", "Davi Rocha"] * 12, "age": ages})).data.unit is None


def test_people_are_counted_by_their_own_number_before_that_of_their_records() -> None:
    visits = [f"{n:06}" for n in range(39)] + ["000000"]  # one of them was written twice
    patients, cpfs = [f"P{n // 2:04}" for n in range(40)], [cpf(123_456_000 + n // 4) for n in range(40)]
    cells = {"prontuario": visits, "id_paciente": patients, "idade": ["31", "42"] * 20}
    assert confirmed(starter(cells)).data.unit == "id_paciente"
    assert confirmed(starter(cells | {"cpf": [None, *cpfs[1:]]})).data.unit == "cpf"


@pytest.mark.parametrize("cells", [[None] * 9, ["1"], ["1"] * 9, []])
def test_thin_columns(cells: list[str | None]) -> None:
    assert set(confirmed(starter({"x": cells, "sexo": cells, "raca_cor": cells})).attributes) == {
        "x",
        "sexo",
        "raca_cor",
    }


HOSTILE = ["a b", "é", 'say "x"', "a.b", "a\nb", "a\r\nb", "back\\slash", "\x00\x07\x7f\x85", "\u202e\u2028", "'", "",
           "#", "𝔘", " ", "=", "[x]", "\ufeff", "true", "1", 'role = "CONFIRM x"']  # fmt: skip


def test_hostile_names() -> None:
    assert list(confirmed(starter({name: ["a", "b"] for name in HOSTILE}, path='d\\"\n.csv')).attributes) == HOSTILE


def test_what_cannot_be_seen_is_escaped() -> None:
    text = starter({name: ["a", "b"] for name in HOSTILE})
    assert all(line.isprintable() for line in text.split("\n"))


@settings(deadline=None)
@given(
    st.dictionaries(st.text(), st.lists(st.none() | st.text(min_size=1), max_size=8), min_size=1, max_size=6), st.text()
)
def test_any_table_gives_a_valid_policy(columns: dict[str, list[str | None]], path: str) -> None:
    policy = confirmed(starter(columns, path=path))
    assert list(policy.attributes) == list(columns)
    assert policy.data.path == path
    assert [attribute.role for attribute in policy.attributes.values()] == [
        suggest(column(name, cells)).role for name, cells in columns.items()
    ]


VALUES = st.recursive(
    st.text() | st.integers(-(2**60), 2**60) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(VALUES)
def test_toml_reads_back_what_was_written(value: object) -> None:
    assert tomllib.loads(f"x = {toml(value)}") == {"x": value}


@settings(deadline=None)
@given(st.lists(st.text("ßþðæøœžčřł", min_size=3), min_size=1, max_size=30))
def test_the_policy_quotes_no_value(cells: list[str]) -> None:
    text = starter({"x": list(cells), "nome": list(cells)})
    assert not any(cell in text for cell in cells)


def test_profiles_and_suggestions_come_in_pairs() -> None:
    profiles: list[ColumnProfile] = [column("x", ["1"])]
    suggestions: list[Suggestion] = []
    with pytest.raises(ValueError, match="shorter"):
        starter_policy(profiles, suggestions, path="a.csv")


def test_comments_are_in_the_language_asked_for_and_the_policy_is_the_same() -> None:
    english, portuguese = starter({**GUIDE, "x": ["1"]}), starter({**GUIDE, "x": ["1"]}, language="pt-BR")
    assert tomllib.loads(english) == tomllib.loads(portuguese)
    comments = [line for line in portuguese.splitlines() if line.startswith("#") and len(line) > 1]
    told = {line for line in english.splitlines() if line.startswith("#") and len(line) > 1}
    assert told & set(comments) == {'# algorithm = "local"'}

"""What the builders share: the default, the top, NULL, and values that a hierarchy does not know."""

import time
from pathlib import Path
from typing import Any

import pytest

from cobogo.data.hierarchy import Hierarchy
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy
from cobogo.errors import HierarchyError, UnfitValues

pytestmark = pytest.mark.slow

PROFESSIONS = "Dentista,Saúde,Qualquer\nMédico,Saúde,Qualquer\nAnalista,TI,Qualquer\nGerente,TI,Qualquer\n"


def built(
    values: list[str | None],
    hierarchy: dict[str, Any] | None = None,
    *,
    role: str = "quasi-identifier",
    home: Path = Path(),
    **data: Any,
) -> Hierarchy:
    attribute = {"role": role} | ({"hierarchy": hierarchy} if hierarchy else {})
    content = {"data": data, "attributes": {"a": attribute}, "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}
    policy = Policy.of(content, home=home, name="policy.toml")
    return build("a", policy.attributes["a"].hierarchy, values, policy=policy)


# Without a hierarchy


def test_without_a_hierarchy_there_are_the_value_and_the_star():
    assert built(["b", "a"]).labels == (("a", "b"), ("*",))


def test_without_a_hierarchy_null_is_one_more_value():
    h = built(["a", None])
    assert h.labels == (("a", None), ("*",))
    assert h.leaf_counts[1].tolist() == [2]


@pytest.mark.parametrize(("values", "leaves"), [([None], (None,)), ([], ())])
def test_without_a_hierarchy_and_without_values(values, leaves):
    h = built(values)
    assert h.leaves == leaves
    assert h.height == 1
    assert h.leaf_counts[1].sum() == len(leaves)


def test_the_order_of_the_values_does_not_matter():
    assert built(["c", None, "a", "b"]).labels == built(["a", "b", "c", None]).labels


# NULL


def test_null_stays_null_below_the_top_and_becomes_star_there(tmp_path):
    (tmp_path / "p.csv").write_text(PROFESSIONS, encoding="utf-8")
    h = built(["Médico", None], {"csv": "p.csv"}, home=tmp_path)
    assert [h.generalize(None, level) for level in range(3)] == [None, None, "*"]
    assert h.labels[2] == ("Qualquer", "*")
    assert [counts.sum() for counts in h.leaf_counts] == [5, 5, 5]


def test_null_joins_the_star_of_the_others_and_a_top_that_is_asked_for():
    h = built(["60020270", None], {"mask": "right", "top": True})
    assert [h.generalize(None, level) for level in range(h.height + 1)] == [None] * 9 + ["*"]
    assert h.labels[9] == ("*",)
    assert h.leaf_counts[9].tolist() == [2]


def test_null_is_not_admitted_when_the_data_has_none():
    assert None not in built(["60020270"], {"mask": "right"}).leaves


def test_a_row_of_its_own_says_what_null_becomes(tmp_path):
    (tmp_path / "p.csv").write_text("a,x,*\n,unknown,*\n")
    h = built(["a", None], {"csv": "p.csv"}, home=tmp_path)
    assert [h.generalize(None, level) for level in range(3)] == [None, "unknown", "*"]
    assert h.labels == built(["a"], {"csv": "p.csv"}, home=tmp_path).labels


@pytest.mark.parametrize(
    "hierarchy",
    [
        {"dates": "%d/%m/%Y", "levels": ["%Y"]},
        {"intervals": [10]},
        {"mask": "right"},
        {"path": "/"},
        {"ordering": ["a", "b"], "steps": [2]},
        {"tree": {"x": ["a"]}},
    ],
)
def test_a_column_of_nothing_but_null_has_a_hierarchy(hierarchy):
    h = built([None], hierarchy)
    assert h.generalize(None, 0) is None
    assert h.generalize(None, h.height) == ("*" if h.height else None)
    assert built([], hierarchy).height == h.height


def test_null_cannot_join_empty_labels_that_stand_for_other_values():
    h = Hierarchy.from_columns("a", [["x", "y"], [None, "z"], ["p", "p"], ["*", "*"]])
    with pytest.raises(HierarchyError, match="NULL has no place"):
        h.with_null()


# The top


def test_a_top_is_added_only_when_asked_for_and_only_once(tmp_path):
    (tmp_path / "star.csv").write_text("a,x,*\nb,y,*\n")
    assert built(["10"], {"intervals": [10]}).height == 1
    assert built(["10"], {"intervals": [10], "top": True}).labels == (("10",), ("10-19",), ("*",))
    assert built(["a"], {"csv": "star.csv", "top": True}, home=tmp_path).height == 2


# Options of the data


def test_separator_and_encoding_are_those_of_the_data_unless_given(tmp_path):
    (tmp_path / "p.csv").write_bytes("Médico;Saúde\n".encode("latin-1"))
    as_data = built(["Médico"], {"csv": "p.csv"}, home=tmp_path, separator=";", encoding="latin-1")
    given = built(["Médico"], {"csv": "p.csv", "separator": ";", "encoding": "latin-1"}, home=tmp_path)
    assert as_data.labels == given.labels == (("Médico",), ("Saúde",))


def test_the_decimal_mark_is_that_of_the_data_unless_given():
    assert built(["1,5"], {"intervals": [1]}, decimal=",").labels[1] == ("[1; 2)",)
    assert built(["1.5"], {"intervals": [1], "decimal": "."}, decimal=",").labels[1] == ("[1, 2)",)


def test_missing_texts_of_the_data_are_null_in_a_file(tmp_path):
    (tmp_path / "p.csv").write_text("a,x\n?,unknown\n")
    h = built(["a", None], {"csv": "p.csv"}, home=tmp_path, missing=["", "?"])
    assert h.generalize(None, 1) == "unknown"


def test_errors_of_a_file_name_policy_attribute_and_file(tmp_path):
    with pytest.raises(HierarchyError) as raised:
        built(["a"], {"csv": "nowhere.csv"}, home=tmp_path)
    assert str(raised.value).startswith('policy.toml, attribute "a", hierarchy nowhere.csv: no such file.\n')
    assert str(tmp_path / "nowhere.csv") in str(raised.value)


# Values that a hierarchy does not know


def test_unknown_values_are_named_with_their_nearest_entries(tmp_path):
    places = ["Messejana/Fortaleza/CE", "Mondubim/Fortaleza/CE", "Centro/Sobral/CE", "Lagoa Nova/Natal/RN"]
    (tmp_path / "localidades.csv").write_text("".join(f"{place},{place[-2:]}\n" for place in places))
    with pytest.raises(UnfitValues) as raised:
        built([places[0], "Mecejana/Fortaleza/CE", "centro/sobral/ce"], {"csv": "localidades.csv"}, home=tmp_path)
    lines = str(raised.value).splitlines()
    assert lines[0] == ('policy.toml, attribute "a": 2 values of the data are not in the hierarchy localidades.csv.')
    assert lines[1].startswith('Nearest entries to "Mecejana/Fortaleza/CE": "Messejana/Fortaleza/CE", "Mondubim/')
    assert lines[2].startswith('Nearest entries to "centro/sobral/ce": "Centro/Sobral/CE"')
    assert lines[3] == "Add them to localidades.csv and run again."
    assert raised.value.values == ("Mecejana/Fortaleza/CE", "centro/sobral/ce")


@pytest.mark.parametrize(
    ("hierarchy", "named"),
    [({"ordering": ["low", "high"], "steps": [2]}, "the ordering"), ({"tree": {"x": ["low", "high"]}}, "the tree")],
)
def test_unknown_values_of_an_ordering_or_a_tree(hierarchy, named):
    with pytest.raises(UnfitValues) as raised:
        built(["low", "hihg"], hierarchy)
    assert str(raised.value) == (
        f'policy.toml, attribute "a": 1 value of the data is not in {named}.\n'
        f'Nearest entries to "hihg": "high".\nAdd it to {named} and run again.'
    )


def test_a_value_unlike_any_entry_is_still_named():
    with pytest.raises(UnfitValues, match='No entry is similar to "9"'):
        built(["9"], {"tree": {"x": ["low", "high"]}})


def test_at_most_three_unknown_values_are_shown_and_all_are_handed_on():
    values = [f"unknown {n}" for n in range(5)]
    with pytest.raises(UnfitValues, match="5 values") as raised:
        built(values, {"tree": {"x": ["known"]}})
    assert raised.value.values == tuple(values)
    assert [value in str(raised.value) for value in values] == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("hierarchy", "value"),
    [
        ({"dates": "%d/%m/%Y", "levels": ["%Y"]}, "31/02/2020"),
        ({"intervals": [10]}, "ten"),
        ({"mask": "right"}, "6002*"),
        ({"path": "/"}, "a//b"),
        ({"tree": {"x": ["known"]}}, "strange"),
    ],
)
def test_values_are_shown_for_a_quasi_identifier_and_for_no_other_role(hierarchy, value):
    with pytest.raises(UnfitValues) as shown:
        built([value], hierarchy)
    assert f'"{value}"' in str(shown.value)
    assert 'policy.toml, attribute "a"' in str(shown.value)
    with pytest.raises(UnfitValues) as hidden:
        built([value], hierarchy, role="sensitive")
    assert value not in str(hidden.value)
    assert hidden.value.values == (value,)


# Size


def test_thousands_of_unknown_values_among_a_hundred_thousand_entries_are_reported_soon(tmp_path):
    (tmp_path / "big.csv").write_text("".join(f"Rua {n}/Fortaleza/CE,CE\n" for n in range(100_000)))
    start = time.process_time()
    with pytest.raises(UnfitValues, match="5,000 values"):
        built([f"Roa {n}/Fortaleza/CE" for n in range(5000)], {"csv": "big.csv"}, home=tmp_path)
    assert time.process_time() - start < 30  # about 1 s; without the choice of candidates, minutes


@pytest.mark.parametrize(
    ("hierarchy", "form"),
    [
        ({"dates": "%Y-%m-%d %H:%M:%S", "levels": ["%Y-%m", "%Y"]}, "20{1:02d}-{2:02d}-{3:02d} {4:02d}:00:00"),
        ({"intervals": [10, 100]}, "{0}"),
        ({"mask": "right"}, "{0:08d}"),
        ({"path": "/"}, "{0}/{1}/x"),
    ],
)
def test_a_hundred_thousand_values_take_seconds(hierarchy, form):
    values = [form.format(n, n // 8064 % 100, n // 672 % 12 + 1, n // 24 % 28 + 1, n % 24) for n in range(100_000)]
    start = time.process_time()
    assert len(built([*values, None], hierarchy).leaves) == 100_001
    assert time.process_time() - start < 15  # about half a second


@pytest.mark.parametrize(
    ("hierarchy", "values", "code", "hint"),
    [
        ({"intervals": [5]}, ["1,5", "2,25"], "VALUES", 'write decimal = "," under [data]'),
        ({"dates": "%d-%m-%Y", "levels": ["%Y"]}, ["31/12/1999", "01/02/2000"], "VALUES", 'write dates = "%d/%m/%Y"'),
        ({"csv": "h.csv"}, ["F", "M"], "HEADER", "Delete the line: a hierarchy file has no header."),
        ({"csv": "semicolons.csv"}, ["F", "M"], "FILE", 'write separator = ";" beside csv'),
    ],
)
def test_usual_slips_have_a_hint(
    tmp_path: Path, hierarchy: dict[str, Any], values: list[str], code: str, hint: str
) -> None:
    (tmp_path / "h.csv").write_text("A,group\nF,x\nM,x\n")
    (tmp_path / "semicolons.csv").write_text("F;x\nM;x\n")
    content = {"attributes": {"a": {"role": "quasi-identifier", "hierarchy": hierarchy}}}
    policy = Policy.of(content, home=tmp_path, name="policy.toml")
    with pytest.raises(HierarchyError) as error:
        build("a", policy.attributes["a"].hierarchy, values, policy=policy)
    assert error.value.code == f"COBOGO-HIERARCHY-{code}"
    assert hint in str(error.value)


def test_a_value_that_is_called_like_the_attribute_is_no_header(tmp_path: Path) -> None:
    (tmp_path / "h.csv").write_text("a,x\nb,x\n")
    content = {"attributes": {"a": {"role": "quasi-identifier", "hierarchy": {"csv": "h.csv"}}}}
    policy = Policy.of(content, home=tmp_path)
    assert build("a", policy.attributes["a"].hierarchy, ["b"], policy=policy).leaves == ("a", "b")

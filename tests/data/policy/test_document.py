"""A policy says everything about a job, and says so clearly when it is wrong."""

import copy
from pathlib import Path
from typing import Any

import pytest

from cobogo.data.policy import Policy, Role
from cobogo.errors import PolicyError
from cobogo.floor.language import Text

GOOD: dict[str, Any] = {
    "data": {"path": "a.csv", "separator": ";", "missing": ["", "NA"]},
    "attributes": {
        "age": {"role": "quasi-identifier", "hierarchy": {"intervals": [5, 10]}, "weight": 2, "max-level": 1},
        "name": {"role": "identifier"},
        "disease": {"role": "sensitive"},
    },
    "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
}


def broken(path: str, value: Any) -> dict[str, Any]:
    content = copy.deepcopy(GOOD)
    *steps, last = path.split("/")
    place = content
    for step in steps:
        place = place.setdefault(step, {})
    place[last] = value
    return content


def test_a_good_policy_is_typed() -> None:
    policy = Policy.of(GOOD)
    assert policy.quasi_identifiers == ("age",)
    assert policy.with_role(Role.IDENTIFIER) == ("name",)
    assert policy.attributes["age"].max_level == 1
    assert policy.recoding.algorithm == "optimal"


@pytest.mark.parametrize(
    ("path", "value", "place", "words"),
    [
        ("data/seperator", ";", "data.seperator", 'Did you mean "separator"'),
        ("data/separator", ";;", "data.separator", "one ASCII character"),
        (
            "data/encoding",
            "utf-7",
            "data.encoding",
            "must be one of: auto, utf-8, utf-16, cp1252, latin-1",
        ),
        (
            "attributes/age/role",
            "secret",
            "attributes.age.role",
            "identifier, quasi-identifier, sensitive, non-sensitive",
        ),
        ("attributes/age/weight", 0, "attributes.age.weight", "above 0"),
        ("attributes/age/max-level", -1, "attributes.age.max-level", "at least 0. Got -1 instead"),
        ("attributes/age/min-level", 2, "attributes.age", "min-level 2 is above max-level 1"),
        ("attributes/age/hierarchy/kep", 2, "attributes.age.hierarchy.kep", "unknown key"),
        ("attributes/age/hierarchy/mask", "right", "attributes.age.hierarchy", "exactly one of the keys"),
        ("attributes/disease/weight", 2, "attributes.disease", "only a quasi-identifier may have: weight"),
        ("recoding/suppression-limit", 1.5, "recoding.suppression-limit", "at most 1. Got 1.5 instead"),
        ("recoding/suppression-limit", float("nan"), "recoding.suppression-limit", "finite"),
        ("recoding/time-limit", 0, "recoding.time-limit", "above 0"),
        ("output/suppressed", "hide", "output.suppressed", "one of: drop, star"),
        ("privacy/models", [], "privacy.models", "must not be empty"),
        ("privacy/models", [{"model": ["k-anonymity"]}], "privacy.models", "named by a text"),
        ("privacy/models", [{"model": {"k": 5}}], "privacy.models", "named by a text"),
        ("attributes", {}, "attributes", "must not be empty"),
    ],
)
def test_errors_name_the_place_and_the_remedy(path: str, value: Any, place: str, words: str) -> None:
    with pytest.raises(PolicyError) as error:
        Policy.of(broken(path, value), name="policy.toml")
    assert f"policy.toml, {place}:" in str(error.value)
    assert words in str(error.value)


def test_a_policy_without_models_serves_the_jobs_that_ask_for_none() -> None:
    content = {key: value for key, value in GOOD.items() if key != "privacy"}
    policy = Policy.of(content, name="policy.toml")
    with pytest.raises(PolicyError, match=r"policy\.toml, privacy: required key missing"):
        policy.models


def test_an_unknown_key_is_compared_with_those_of_its_own_table() -> None:
    with pytest.raises(PolicyError, match='Did you mean "lower"') as error:
        Policy.of(broken("attributes/age/hierarchy/lowr", 2), name="policy.toml")
    assert "attributes.age.hierarchy.lowr:" in str(error.value)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('[data]\npath="a.csv"\n[attributes]\nx={role="sensitive"}\n[privacy]\nmodels=[{model="k"}]\n')
    assert Policy.load(file).resolve("a.csv") == tmp_path / "a.csv"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"this is [not toml", "not TOML"),
        ("[data]\npath='é'".encode("latin-1"), "not UTF-8"),
        (None, "no such file"),
        (b"x = " + b"[" * 200 + b"]" * 200, "nested more than 100 deep"),
        (b"x = " + b"[" * 50_000 + b"]" * 50_000, "nested more than 100 deep"),
        (b"x = " + b"{a=" * 300 + b"1" + b"}" * 300, "nested more than 100 deep"),
    ],
)
def test_unreadable_files(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "p.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PolicyError, match=words):
        Policy.load(file)


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "p.toml"
    file.write_text('[attributes]\nx={role="sensitive"}\n[privacy]\nmodels=[{model="k"}]\n', encoding="utf-8-sig")
    assert Policy.load(file).sensitive == ("x",)


def test_the_schema_can_be_exported() -> None:
    schema = Policy.model_json_schema(by_alias=True)
    assert "suppression-limit" in schema["$defs"]["Recoding"]["properties"]


def complaint(content: dict[str, Any]) -> PolicyError:
    with pytest.raises(PolicyError) as error:
        Policy.of(content, name="policy.toml")
    return error.value


def test_every_error_of_a_policy_is_reported_at_once_and_a_misspelt_key_explains_the_missing_one() -> None:
    content = broken("attributes/name", {"rol": "identifier"})
    content["data"]["pth"] = "b.csv"
    content["recoding"] = {"suppression-limit": 10}
    error = complaint(content)
    assert str(error).splitlines() == [
        "policy.toml: 3 errors:",
        'data.pth: unknown key. Did you mean "path"?',
        'attributes.name.rol: unknown key. Did you mean "role"?',
        "recoding.suppression-limit: must be at most 1. Got 10 instead. It is a share of 1: write 0.1 for 10 %.",
    ]
    assert [one.code for one in error.errors] == ["COBOGO-POLICY-KEY", "COBOGO-POLICY-KEY", "COBOGO-POLICY-VALUE"]


@pytest.mark.parametrize(
    ("path", "value", "code", "remedy"),
    [
        ("attributes/age/hierarchy", "age.csv", "VALUE", 'Write a table: hierarchy = { csv = "age.csv" }.'),
        ("attributes/age/hierarchy", {"intervls": [5]}, "VALUE", 'Did you mean "intervals"?'),
        ("attributes/age/hierarchy", {"mask": "left", "path": "/"}, "VALUE", "Keep one of: mask, path."),
        ("attributes/age", "Quasi_Identifier", "TYPE", 'Write a table: age = { role = "quasi-identifier" }.'),
        ("attributes/age/role", "quasi_identifier", "ROLE", 'Did you mean "quasi-identifier"?'),
        ("attributes/name/role", "Identifier", "ROLE", 'Did you mean "identifier"?'),
        ("attributes/age/role", "quase-identificador", "ROLE", 'Did you mean "quasi-identifier"?'),
        ("attributes/disease/role", "sensível", "ROLE", 'Did you mean "sensitive"?'),
        ("attributes/age/role", "CONFIRM sensitive", "CONFIRM", 'write role = "sensitive"'),
        ("attributes/age/min-level", "1", "TYPE", "Write it without quotes: min-level = 1."),
        ("recoding/suppression-limit", "0,1", "TYPE", "Write it without quotes: suppression-limit = 0.1."),
        ("data/missing", "NA", "TYPE", 'Put it between brackets: ["NA"].'),
        ("data/path", 5, "TYPE", 'Put it between quotes: path = "5".'),
        ("output/format", "CSV", "VALUE", 'Did you mean "csv"?'),
        ("privacy/models", ["k-anonymity"], "TYPE", 'Write a table: { model = "k-anonymity", k = 5 }.'),
        ("attributes/age/publish-unique", "yes", "TYPE", "Write it without quotes: publish-unique = true."),
    ],
)
def test_usual_slips_have_a_hint(path: str, value: Any, code: str, remedy: str) -> None:
    error = complaint(broken(path, value))
    assert error.code == f"COBOGO-POLICY-{code}"
    assert remedy in (error.remedy or "")


def test_no_sentence_of_the_validator_reaches_the_user() -> None:
    """Whatever the value is: the sentence has a template of ours."""
    values: list[Any] = ["x", 1.5, -1, True, None, [], {}, ["x"], {"x": 1}, float("inf"), 10**30]
    keys = ["data/path", "data/missing", "data/decimal", "attributes", "attributes/age", "attributes/age/role",
            "attributes/age/hierarchy", "attributes/age/weight", "attributes/age/max-level", "attributes/age/normalize",
            "privacy", "privacy/models", "recoding", "recoding/suppression-limit", "recoding/marginals",
            "utility/queries", "risk/fraction", "report/largest-classes", "masking/columns", "perturbation/steps",
            "sampling/levels", "synthesis/domains", "randomization/domains", "registry"]  # fmt: skip
    for key in keys:
        for value in values:
            try:
                Policy.of(broken(key, value), name="policy.toml")
            except PolicyError as error:
                for one in error.errors or (error,):
                    assert isinstance(one.what, Text), (key, value, one)
                    assert "nput should" not in one.what, (key, value, one)
                    assert one.remedy, (key, value, one)


def test_columns_that_are_misspelt_are_reported_together_with_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age;name;disease;place\n1;a;flu;x\n")
    content = broken("attributes/plce", {"role": "quasi-identifer"})
    with pytest.raises(PolicyError) as error:
        Policy.of(content, home=tmp_path, name="policy.toml")
    assert [(one.where, one.remedy) for one in error.value.errors] == [
        ("attributes.plce.role", 'Did you mean "quasi-identifier"?'),
        ("attributes.plce", 'Did you mean "place"?'),
    ]


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("[data]\npath = a.csv\n", "Put text between quotes"),
        ('[data]\npath = "a.csv\n', "Close the quotes."),
        ("[recoding]\nsuppression-limit = 0,1\n", "Write a decimal number with a point: 0.1."),
        ("[data]\n[data]\n", "Write each key and each [table] once."),
        ('[data]\npath = "C:\\Users\\a.csv"\n', "Write a path with /"),
        ("[data]\npath = “a.csv”\n", "The quotes are curly"),
        ("[data]\nformulas: 1\n", "not a colon"),
        ("[attributes]\nmunicípio = 1\n", "Put a name with accents or blanks between quotes"),
    ],
)
def test_a_line_that_is_no_toml_is_named_with_the_usual_cause(tmp_path: Path, text: str, remedy: str) -> None:
    file = tmp_path / "p.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(PolicyError, match="line 2: is not TOML") as error:
        Policy.load(file)
    assert remedy in (error.value.remedy or "")
    assert error.value.code == "COBOGO-POLICY-SYNTAX"


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv", b"name,age\nAna,3\n"), ("people.txt", b"name;age\nAna;3\n"), ("a.parquet", b"PAR1\xff\xfe")],
)
def test_a_data_file_is_no_policy(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(PolicyError, match="is a data file") as error:
        Policy.load(tmp_path / name)
    assert f'cb.inspect("{name}").policy()' in str(error.value)
    assert "Ana" not in str(error.value)

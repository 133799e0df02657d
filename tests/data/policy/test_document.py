"""A policy says everything about a job, and says so clearly when it is wrong."""

import copy
from pathlib import Path
from typing import Any

import pytest

from cobogo.data.policy import Policy, Role
from cobogo.errors import PolicyError

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
        ("data/encoding", "utf-16", "data.encoding", "must be one of: utf-8, latin-1. Got 'utf-16' instead"),
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

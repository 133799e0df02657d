"""Every named thing carries its card, and one registry finds and builds it."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from cobogo.data.policy import OPERATORS
from cobogo.data.policy.random_releases import METHODS
from cobogo.errors import PolicyError
from cobogo.examine.attacks import ATTACKS
from cobogo.floor.catalogue import JoinedRegistry, Registry
from cobogo.floor.options import read_text
from cobogo.promises.guarantees import PROMISES
from cobogo.promises.models import MODELS
from cobogo.publish.mask import MASKS
from cobogo.publish.perturb import STEPS
from cobogo.tell.reference.schema import policy_schema
from cobogo.tell.reference.sections import SECTIONS

REGISTRIES: list[Registry[Any]] = [registry for section in SECTIONS.values() for registry in section.registries]


@pytest.mark.parametrize("registry", REGISTRIES, ids=lambda registry: f"{registry.noun}-{registry.remark}")
def test_every_thing_carries_a_card_of_its_name(registry: Registry[Any]) -> None:
    for name, card in registry.cards().items():
        assert card.name == name
        assert card.title
        assert card.summary
        assert card.guide
        assert vars(card.thing).get("card") is not None, f"{name} carries none"


def test_what_a_policy_names_by_a_key_is_in_the_registry() -> None:
    assert list(MASKS) == list(OPERATORS)
    assert list(STEPS) == list(METHODS)


def test_an_unknown_name_has_one_form_of_error() -> None:
    for registry in (*REGISTRIES, PROMISES):
        with pytest.raises(PolicyError) as refused:
            registry.find("no-such-thing", "policy.toml")
        assert refused.value.what == f"there is no {registry.noun} 'no-such-thing'"
        assert refused.value.remedy == f"`cobogo list {registry.listed}` shows all."
    with pytest.raises(PolicyError, match='Did you mean "k-anonymity"'):
        MODELS.find("k-anonimity")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": "high"}, "The 'threshold' parameter of duplicate must be a number. Got 'high' instead"),
        ({"threshold": 2}, "The 'threshold' parameter of duplicate must be a number of at least 0 and of at most 1"),
        ({"treshold": 0.5}, "duplicate has no parameter 'treshold'"),
    ],
)
def test_options_are_refused_in_one_form(options: dict[str, Any], message: str) -> None:
    with pytest.raises(PolicyError) as refused:
        ATTACKS.build("duplicate", options, texts=True)
    assert refused.value.what.startswith(message)


def test_what_is_needed_must_be_there() -> None:
    with pytest.raises(PolicyError, match="k-anonymity needs the parameter 'k'"):
        MODELS.build("k-anonymity", {})


@pytest.mark.parametrize(
    ("text", "hint", "value"),
    [("5", int, 5), ("5", float, 5.0), ("yes", bool, True), ("none", int | None, None), ("none", str | None, "none")],
)
def test_texts_are_read_by_their_types(text: str, hint: Any, value: object) -> None:
    assert read_text(text, hint, owner="x", option="y") == value


def test_joined_registries_give_what_each_has() -> None:
    joined = JoinedRegistry(MODELS, ATTACKS)
    assert joined["duplicate"] is ATTACKS["duplicate"]
    assert len(joined) == len(MODELS) + len(ATTACKS)
    assert joined.card("k-anonymity").guide == "models"


def test_a_job_loads_the_algorithm_that_it_asks_for_and_no_other() -> None:
    code = "import sys, cobogo.publish.anonymize; print(*(name for name in sys.modules if name.startswith('cobogo')))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    algorithms = ("mondrian", "mu_argus", "genetic", "marginals.algorithm", "anatomy", "bottom_up")
    assert [name for name in found if name.endswith(algorithms)] == []
    assert len(found) < 170


def test_the_schema_of_a_policy_takes_every_model_with_the_values_a_form_begins_with() -> None:
    items = policy_schema()["$defs"]["Privacy"]["properties"]["models"]["items"]["oneOf"]
    models = {one["properties"]["model"]["const"]: one for one in items}
    assert models.keys() == set(PROMISES)
    for name, card in PROMISES.cards().items():
        assert card.start.keys() <= models[name]["properties"].keys()
        assert set(models[name]["required"]) - {"model"} <= card.start.keys()

"""A description of a collection says everything, or names the place where it does not."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

from cobogo.collect import Aggregate, Collection
from cobogo.collect.frequency import FrequencyCollection
from cobogo.collect.mechanisms import FAMILIES, MECHANISMS
from cobogo.collect.wire import Batch, mark
from cobogo.errors import PolicyError
from support.asked import VALUES, asked, some_reports

PETS: dict[str, Any] = {"name": "pets", "question": "pet", "mechanism": "grr", "epsilon": 1, "values": ["cat", "dog"]}
each = pytest.mark.parametrize("mechanism", sorted(MECHANISMS))


@each
def test_what_is_published_is_the_same_collection(mechanism):
    collection = asked(mechanism)
    again = Collection.of(collection.as_dict())
    assert again.fingerprint == collection.fingerprint
    assert again.protocol.layout == collection.protocol.layout
    assert collection.protocol.epsilon_forever >= collection.protocol.epsilon_once > 0


@each
@pytest.mark.parametrize("change", [{"name": "b"}, {"question": "r"}, {"version": 2}, {"lifetime-values": 2}])
def test_whatever_changes_for_clients_changes_the_fingerprint(mechanism, change):
    assert asked(mechanism, **change).fingerprint != asked(mechanism).fingerprint


def test_the_order_of_values_matters_and_candidates_do_not():
    assert asked("oue", values=VALUES[::-1]).fingerprint != asked("oue").fingerprint
    assert asked("oue", epsilon=1.5000001).fingerprint != asked("oue").fingerprint
    assert asked("rappor", candidates=["x"]).fingerprint == asked("rappor").fingerprint
    assert asked("rappor", f="0.5").fingerprint == asked("rappor", f=0.5).fingerprint
    assert "candidates" not in asked("rappor").as_dict()["collection"]


def test_mechanisms_are_told_apart_on_the_wire():
    assert len({mark(name) for name in MECHANISMS}) == len(MECHANISMS)


def test_values_and_candidates_from_files(tmp_path: Path):
    (tmp_path / "values.txt").write_bytes("\ufeffmaçã\r\nbanana\n\n".encode())
    (tmp_path / "c.toml").write_text(
        '[collection]\nname = "n"\nquestion = "q"\nmechanism = "grr"\nepsilon = 1\nvalues = { file = "values.txt" }\n'
    )
    found = Collection.load(tmp_path / "c.toml")
    assert found.protocol.values == ("maçã", "banana")
    other = asked("rappor").with_candidates(tmp_path / "values.txt")
    assert other.protocol.candidates == ("maçã", "banana")
    assert other.fingerprint == asked("rappor").fingerprint


WRONG = [
    ({"epsilon": 0}, "c.toml, collection.epsilon: must be above 0"),
    ({"epsilon": float("nan")}, "c.toml, collection.epsilon"),
    ({"values": ["cat", "cat"]}, "c.toml, collection.values: 'cat' appears twice"),
    ({"values": ["cat", ""]}, "c.toml, collection.values: a value must not be empty"),
    ({"values": ["cat"]}, "c.toml, collection.values: must have at least 2 entries"),
    ({"values": {"file": "nowhere.txt"}}, "c.toml, collection.values: nowhere.txt cannot be read"),
    ({"values": {"fil": "nowhere.txt"}}, "c.toml, collection.values: must be a list of values, or the name of a file"),
    ({"mechanism": "gr"}, "c.toml, collection.mechanism: there is no mechanism 'gr'.\nDid you mean \"grr\"?"),
    ({"valeus": []}, 'c.toml, collection.valeus: unknown key.\nDid you mean "values"?'),
    ({"other": "fish"}, "c.toml, collection.other: must be one of the values"),
    ({"name": "a\nb"}, "c.toml, collection.name"),
    ({"version": 0}, "c.toml, collection.version"),
    ({"lifetime-values": 0}, "c.toml, collection.lifetime-values"),
]


@pytest.mark.parametrize(("change", "said"), WRONG)
def test_what_is_wrong_is_named(change, said, tmp_path):
    with pytest.raises(PolicyError) as error:
        Collection.of({"collection": {**PETS, **change}}, home=tmp_path, name="c.toml")
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("change", "key"),
    [({"p": 0.8}, "p"), ({"bits": 12}, "bits"), ({"f": 0}, "f"), ({"q": 2}, "q"), ({"hashes": 0}, "hashes")],
)
def test_parameters_of_rappor_are_named(change, key):
    with pytest.raises(PolicyError) as error:
        asked("rappor", **change)
    assert f"collection.{key}" in str(error.value)


@pytest.mark.parametrize("content", [{}, {"collection": 1}, {"collection": PETS, "data": {}}, {"collection": {}}])
def test_the_table_must_be_there_and_alone(content):
    with pytest.raises(PolicyError, match="collection"):
        Collection.of(content)


@pytest.mark.parametrize("mechanism", ["cms", "hcms", "flh"])
def test_a_sketch_that_no_machine_has_room_for_is_refused(mechanism):
    with pytest.raises(PolicyError, match="cells"):
        asked(mechanism, rows=65_536, width=65_536)


def test_more_candidates_than_can_be_decoded_are_refused_in_words():
    collection = asked("rappor", bits=64, cohorts=1024, candidates=[str(number) for number in range(20_000)])
    with pytest.raises(PolicyError, match="at once"):
        Aggregate.of(collection, Batch(some_reports(collection, 10))).findings()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_takes_the_mechanisms_that_it_lists(family: type[Collection]) -> None:
    taken = get_args(family.model_fields["mechanism"].annotation)
    assert taken == tuple(family.randomizers) or family is FrequencyCollection  # other packages add some to this one
    assert all(kind.name == name for name, kind in family.randomizers.items())

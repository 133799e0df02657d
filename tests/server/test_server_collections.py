"""Collecting over HTTP: clients hand in reports, the steward decodes."""

from __future__ import annotations

import numpy as np

from cobogo.ldp.collection import Collection
from cobogo.ldp.encoding import shuffled_reports
from cobogo.ldp.wire import batches
from cobogo.randomness import Entropy

TOML = """
[collection]
name = "browsers"
question = "browser"
mechanism = "grr"
epsilon = 3.0
values = ["a", "b", "c"]
"""


def test_reports_come_in_and_are_decoded(served) -> None:
    made = served("steward", "POST", "/collections", json={"toml": TOML})
    assert made.status_code == 201, made.text
    identity = made.json()["id"]
    asked = Collection.of(served("collector", "GET", f"/collections/{identity}").json())
    for message in batches(asked, shuffled_reports(asked, ["a"] * 900 + ["b"] * 100, Entropy())):
        answer = served("collector", "POST", f"/collections/{identity}/reports", content=message)
        assert answer.status_code == 202, answer.text
    assert served("steward", "GET", "/collections").json()[0]["reports"] == 1000
    estimates = served("steward", "GET", f"/collections/{identity}/estimates").json()
    shares = {one["value"]: one["share"] for one in estimates["found"]}
    assert np.isclose(shares["a"], 0.9, atol=0.2)
    assert served("other", "GET", f"/collections/{identity}/estimates").status_code == 404
    refused = served("collector", "POST", f"/collections/{identity}/reports", content=b"\0" * 40)
    assert refused.status_code == 400
    assert served("steward", "GET", "/collections").json()[0]["reports"] == 1000


def test_a_collection_names_no_file_of_the_machine(served) -> None:
    text = TOML.replace('["a", "b", "c"]', '{ file = "/etc/passwd" }')
    assert served("steward", "POST", "/collections", json={"toml": text}).status_code == 400

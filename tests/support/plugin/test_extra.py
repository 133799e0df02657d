"""The suite that Cobogó's own things pass, on those of this package."""

import pyarrow as pa
from cobogo_extra.attack import Loneliness
from cobogo_extra.collector import OneQuestion
from cobogo_extra.mechanism import Rounding
from cobogo_extra.metric import Suppression
from cobogo_extra.model import Parity
from hypothesis import strategies as st

from cobogo.examine.attacks.case import open_case
from cobogo.testing import check_attack, check_collector, check_mechanism, check_metric, check_model


def test_the_model() -> None:
    check_model(Parity, st.builds(Parity, pairs=st.integers(1, 3)))


def test_the_metric() -> None:
    check_metric(Suppression())


def test_the_attack() -> None:
    people = pa.table({"age": ["31", "44", "31"], "ill": ["secret flu", "secret gout", "secret flu"]})
    found = check_attack(Loneliness, open_case([people]), secrets=["secret"])
    assert found.exposed.tolist() == [2]


def test_the_mechanism() -> None:
    check_mechanism(Rounding(2))


def test_the_collector() -> None:
    check_collector(OneQuestion(values=5, epsilon=1.0))

"""Questions to begin with: whatever a data holder declares, every one of them is answered."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.answer.examples import examples
from cobogo.answer.explain import explain
from cobogo.answer.plan import plan
from cobogo.answer.sql.parse import parse
from cobogo.promises.accounting import loss_of
from cobogo.promises.curator_file import DeclaredDataset

NAMES = st.sampled_from(["age", "order", "Größe", 'a "b"', "group", "x y", "select", "n", "mean", "COUNT"])
COLUMNS = st.sampled_from(
    [
        {"type": "text", "keys": ["a", "b"]},
        {"type": "text"},
        {"type": "integer", "bounds": [0, 9]},
        {"type": "integer", "bounds": [0, 9], "edges": [0, 5, 9]},
        {"type": "number", "bounds": [0, 9], "decimals": 1},
        {"type": "boolean"},
        {"type": "date"},
    ]
)


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(["people", "table", "pessoas 1", "order"]),
    declared=st.dictionaries(NAMES, COLUMNS, min_size=1, max_size=5),
)
def test_every_example_is_a_question_that_is_answered(name: str, declared: dict[str, dict[str, Any]]) -> None:
    folded = {column.casefold(): column for column in declared}
    declared = {column: declared[column] for column in folded.values()}
    dataset = DeclaredDataset.model_validate({"columns": declared, "budget": {"epsilon": 1, "delta": 1e-6}})
    made = examples(name, dataset)
    assert made[0].kind == "count"
    for one in made:
        query = parse(one.sql, {name: dataset}, {})
        told = explain(plan(query, dataset), loss_of("0.1", delta="1e-7" if one.hidden else "0")).as_dict()
        assert told["dataset"] == name
        assert (told["groups"] is None) == one.hidden
    kinds = {column["type"] for column in declared.values() if "keys" not in column}
    assert any(one.hidden for one in made) == ("text" in kinds)

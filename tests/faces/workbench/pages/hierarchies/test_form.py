"""Every kind of hierarchy has a form, and begins with something that can be built."""

from __future__ import annotations

import pytest

from cobogo.data.policy import BUILDERS
from cobogo.faces.workbench.pages.hierarchies.form import FIELDS, kind_of, start
from support.hierarchy_previews import policy_of, previewed


def test_the_form_of_a_kind_asks_for_every_key_that_a_policy_knows() -> None:
    for kind, spec in BUILDERS.items():
        keys = {key.replace("_", "-") for key in spec.model_fields} - ({kind} if kind == "tree" else set())
        assert set(FIELDS[kind]) == keys


VALUES = {
    "none": ["a", "b"],
    "intervals": ["7", "23", "95"],
    "dates": ["31/12/1999", "01/02/2001"],
    "age": ["31/12/1999", "01/02/2001"],
    "quantiles": ["7", "23", "95"],
    "codes": ["A09.1", "J18"],
    "labels": ["1", "2"],
    "mask": ["60020270", "63010120"],
    "path": ["Centro/Sobral/CE", "Aldeota/Fortaleza/CE"],
    "ordering": ["high", "low", "middle"],
    "tree": ["nurse", "teacher"],
}


@pytest.mark.parametrize("kind", sorted(VALUES))
def test_every_kind_begins_with_something_that_can_be_built(kind, tmp_path) -> None:
    spec = start(kind, None, VALUES[kind])
    assert kind_of(spec) == kind
    seen = previewed(policy_of("x", spec), tmp_path, [(value, 2) for value in VALUES[kind]] + [(None, 1)])
    assert seen.error is None
    assert seen.unfit == []
    assert seen.hierarchy is not None
    assert set(seen.hierarchy.leaves) == {*VALUES[kind], None}
    assert [one.groups for one in seen.levels][-1] <= 2
    assert all(seen.sizes(level).sum() == 2 * len(VALUES[kind]) + 1 for level in range(seen.hierarchy.height + 1))

"""What a policy line says can be read as a policy, and parameters are told in words."""

from __future__ import annotations

import tomllib

import pytest

from cobogo.data.policy import Policy
from cobogo.promises.guarantees import PROMISES
from cobogo.tell.reference.parameters import NAMED, policy_lines
from cobogo.tell.reference.sections import SECTIONS

TOLD = [
    (slug, name)
    for slug in ("models", "perturbation", "masking", *NAMED)
    for name, card in SECTIONS[slug].cards().items()
    if policy_lines(slug, card)
]


@pytest.mark.parametrize(("slug", "name"), TOLD, ids=lambda word: word)
def test_the_lines_to_copy_are_a_policy(slug: str, name: str) -> None:
    lines = policy_lines(slug, SECTIONS[slug].cards()[name])
    content = tomllib.loads("\n".join(lines))
    assert name in "\n".join(lines)
    if slug == "collecting":
        return
    columns = {"income": {"role": "non-sensitive"}, "district": {"role": "non-sensitive"}, "a": {"role": "sensitive"}}
    masked = {column: {"role": "non-sensitive"} for column in content.get("masking", {}).get("columns", {})}
    Policy.of({"attributes": columns | masked, **content})
    for model in content.get("privacy", {}).get("models", ()):
        options = {key: value for key, value in model.items() if key != "model"}
        asks = {one.name for one in SECTIONS["models"].cards()[name].parameters()}
        PROMISES.build(name, options | ({"attribute": "a"} if "attribute" in asks else {}))


def test_what_no_file_can_name_has_no_lines() -> None:
    for slug in ("attacks", "engines"):
        assert all(policy_lines(slug, card) == [] for card in SECTIONS[slug].cards().values())
    reported = SECTIONS["metrics"].registries[1]
    assert all(policy_lines("metrics", card) == [] for card in reported.cards().values())

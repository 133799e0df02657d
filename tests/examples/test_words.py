"""Names and lists of words."""

from cobogo.examples import words as names


def test_there_are_many_names() -> None:
    listed = names.given_names()
    decades = len(names.DECADES)
    assert sum(any(weights[:decades]) for weights in listed.values()) >= 150
    assert sum(any(weights[decades:]) for weights in listed.values()) >= 150
    assert len({bare for _, bare, _ in names.surnames()}) >= 200
    assert len({borne for borne, _, _ in names.surnames()}) == len(names.surnames())

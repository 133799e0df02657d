"""The public face of the package is this and nothing else."""

from pathlib import Path

import cobogo


def test_public_names() -> None:
    assert sorted(cobogo.__all__) == [
        "CobogoError", "Findings", "Hierarchy", "KAnonymity", "LDiversity", "Policy", "Release",
        "RiskReport", "TCloseness", "Vault", "Verdict", "__version__", "anonymize", "answer", "attack", "audit",
        "collect", "compare", "csv", "dates", "explain", "explore", "families", "frontier", "hierarchy",
        "identifier", "improve", "inspect", "intervals", "locate", "mask", "masked", "non_sensitive", "ordering",
        "path", "perturb", "quasi", "risk", "sample", "sensitive", "statement", "synthesize", "tree", "verify",
    ]  # fmt: skip


def test_no_package_hides_a_function_of_the_same_name() -> None:
    """Doors are packages and public names; everything else that is public is no package at the top."""
    rooms = {path.parent.name for path in Path(cobogo.__file__).parent.glob("*/__init__.py")}
    assert rooms & set(cobogo.__all__) == {"answer", "collect", "locate"}


def test_each_name_is_there() -> None:
    assert all(getattr(cobogo, name) is not None for name in cobogo.__all__)

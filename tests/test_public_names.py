"""The public face of the package is this and nothing else."""

import cobogo


def test_public_names() -> None:
    assert sorted(cobogo.__all__) == [
        "CobogoError", "Findings", "Hierarchy", "Policy", "Release", "RiskReport", "Vault", "Verdict", "__version__",
        "anonymize", "attack", "ldp", "mask", "perturb", "risk", "synthesize", "verify",
    ]  # fmt: skip


def test_risk_is_a_function_although_its_package_has_the_same_name() -> None:
    import cobogo.studies.risk

    assert callable(cobogo.risk)
    assert cobogo.studies.risk.__name__ == "cobogo.studies.risk"


def test_each_name_is_there() -> None:
    assert all(getattr(cobogo, name) is not None for name in cobogo.__all__)

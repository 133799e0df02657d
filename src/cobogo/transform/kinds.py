"""The kinds of releases that are not recodings, and who verifies each."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from cobogo.errors import VerificationFailed
from cobogo.transform.base import ENTROPY, SEEDED, Findings, Written

KINDS: dict[str, str] = {
    "frequency-list": "cobogo.dp.frequency_list.release",
    "masking": "cobogo.mask.masked",
    "location-reports": "cobogo.location.protecting",
    "mobility": "cobogo.location.where.check",
    "perturbation": "cobogo.perturb.perturbation.check",
    "randomization": "cobogo.perturb.randomization.check",
    "sampling": "cobogo.sample.sampled",
    "synthesis": "cobogo.synth.check",
    "trajectories": "cobogo.location.trajectories.releasing",
    "trip-synthesis": "cobogo.location.trajectories.releasing",
}
"""Each kind of release, and the module whose function ``check`` verifies the released rows."""


def check(written: Written) -> Findings:
    """Verify released rows by what the manifest says of how they were made."""
    kind = written.manifest.kind
    if kind not in KINDS:
        raise VerificationFailed(f"there is no kind of release {kind!r}", remedy="Is this version of Cobogó older?")
    try:
        found = import_module(KINDS[kind]).check(written)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise VerificationFailed(
            f"the manifest's statement of its {kind} is damaged ({type(error).__name__})"
        ) from None
    assert isinstance(found, Findings)
    seeded = (SEEDED,) if written.stated.get("entropy", ENTROPY) != ENTROPY else ()
    return replace(found, problems=(*seeded, *found.problems))

"""The kinds of releases that are not recodings, and who verifies each."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from cobogo.errors import VerificationFailed
from cobogo.release.contract import ENTROPY, SEEDED, Findings, Written

KINDS: dict[str, str] = {
    "frequency-list": "cobogo.publish.frequency_list.release",
    "masking": "cobogo.publish.mask.masked",
    "location-reports": "cobogo.locate.protect",
    "mobility": "cobogo.locate.mobility.check",
    "perturbation": "cobogo.publish.perturb.check",
    "randomization": "cobogo.publish.randomize.check",
    "sampling": "cobogo.publish.sample.sampled",
    "synthesis": "cobogo.publish.synthesize.check",
    "trajectories": "cobogo.locate.trips.release",
    "trip-synthesis": "cobogo.locate.trips.release",
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

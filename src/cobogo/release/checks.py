"""Who verifies each kind of release: a function of its own door, imported when a release of the kind is verified."""

from __future__ import annotations

from dataclasses import replace

from cobogo.errors import VerificationFailed
from cobogo.release.contract import ENTROPY, SEEDED, CheckResult, Written, load

CHECKS: dict[str, str] = {
    "frequency-list": "cobogo.publish.frequency_list.release:check",
    "masking": "cobogo.publish.mask.release:check",
    "location-reports": "cobogo.locate.protect:check",
    "mobility": "cobogo.locate.mobility.release:check",
    "perturbation": "cobogo.publish.perturb.release:check",
    "randomization": "cobogo.publish.randomize.make:check",
    "sampling": "cobogo.publish.sample.release:check",
    "synthesis": "cobogo.publish.synthesize.check:check",
    "trajectories": "cobogo.locate.trips.release:check",
    "trip-synthesis": "cobogo.locate.trips.release:check",
}
"""Each kind of release whose rows are drawn, and the function that verifies the released rows, as "module:function"."""


def check(written: Written) -> CheckResult:
    """Verify released rows by what the manifest says of how they were made."""
    kind = written.manifest.kind
    if kind not in CHECKS:
        raise VerificationFailed(f"there is no kind of release {kind!r}", remedy="Is this version of Cobogó older?")
    try:
        found = load(CHECKS[kind])(written)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise VerificationFailed(
            f"the manifest's statement of its {kind} is damaged ({type(error).__name__})"
        ) from None
    assert isinstance(found, CheckResult)
    seeded = (SEEDED,) if written.statement.get("entropy", ENTROPY) != ENTROPY else ()
    return replace(found, problems=(*seeded, *found.problems))

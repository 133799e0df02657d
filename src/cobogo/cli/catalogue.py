"""What a policy can ask for, with one line about each."""

from __future__ import annotations

import re

from cobogo.errors import PolicyError


def catalogue(what: str) -> list[tuple[str, str]]:
    """Names and first sentences of everything of a kind."""
    if what not in ("models", "metrics", "algorithms", "engines", "attacks", "mechanisms"):
        raise PolicyError(
            f"there is no list of {what!r}",
            where="cobogo list",
            remedy="Ask for models, metrics, algorithms, engines, attacks or mechanisms.",
        )
    if what == "models":
        from cobogo.models import MODELS
        from cobogo.models.differential_privacy import MEASURES
        from cobogo.perturb.guarantees import GUARANTEES

        known = [(name, _first_sentence(model)) for name, model in MODELS.items()]
        known += [(name, f"{_first_sentence(kind)} (of randomization)") for name, kind in GUARANTEES.items()]
        return known + [(name, f"{_first_sentence(kind)} (of how it is drawn)") for name, kind in MEASURES.items()]
    if what == "metrics":
        from cobogo.metrics import METRICS, REPORTED

        steering = [(name, _first_sentence(type(metric))) for name, metric in METRICS.items()]
        return steering + [(name, f"{about} (reported only)") for name, about in REPORTED.items()]
    if what == "algorithms":
        from cobogo.recode.algorithms import ALGORITHMS

        return [(name, _first_sentence(algorithm)) for name, algorithm in ALGORITHMS.items()]
    if what == "engines":
        from cobogo.table.connect import ABOUT

        return list(ABOUT.items())
    if what == "attacks":
        from cobogo.attacks import ATTACKS
        from cobogo.location.attacks import ATTACKS as ON_LOCATION

        attacks = [(name, _first_sentence(attack)) for name, attack in ATTACKS.items()]
        return attacks + [(name, f"{_first_sentence(one)} (location)") for name, one in ON_LOCATION.items()]
    if what == "mechanisms":
        from cobogo.dp.mechanisms import MECHANISMS
        from cobogo.ldp.kinds import RANDOMIZERS
        from cobogo.location.cloaks import CLOAKS
        from cobogo.location.mechanisms import MECHANISMS as OF_LOCATION
        from cobogo.perturb.randomization.make import ABOUT as METHODS_ABOUT
        from cobogo.synth.methods import METHODS

        mechanisms = [(name, _first_sentence(mechanism)) for name, mechanism in MECHANISMS.items()]
        mechanisms += [(name, f"{about} (randomization)") for name, about in METHODS_ABOUT.items()]
        mechanisms += [(name, f"{_first_sentence(kind)} (collecting)") for name, kind in RANDOMIZERS.items()]
        mechanisms += [(name, f"{method.about} (synthesis)") for name, method in METHODS.items()]
        mechanisms += [(name, f"{_first_sentence(one)} (location)") for name, one in OF_LOCATION.items()]
        return mechanisms + [(name, f"{_first_sentence(one)} (cloak of an anonymizer)") for name, one in CLOAKS.items()]
    return []


def _first_sentence(thing: object) -> str:
    text = " ".join((thing.__doc__ or "").split("\n\n")[0].split()).replace("``", "")
    return re.split(r"(?<!al)\. ", text)[0].rstrip(".")

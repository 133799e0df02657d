"""Every promise that a policy can ask for under ``privacy.models``."""

from __future__ import annotations

from cobogo.floor.catalogue import JoinedRegistry
from cobogo.promises.guarantees import GUARANTEES
from cobogo.promises.models import MODELS
from cobogo.promises.models.differential_privacy import MEASURES
from cobogo.promises.models.promise import Promise

PROMISES: JoinedRegistry[type[Promise]] = JoinedRegistry(MODELS, GUARANTEES, MEASURES)
"""Models of classes, guarantees of randomization, differential privacy."""

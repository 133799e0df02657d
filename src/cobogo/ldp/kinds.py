"""Every kind of collection, by the name of its mechanism."""

from __future__ import annotations

from cobogo.ldp.collection import Collection
from cobogo.ldp.frequency import FrequencyCollection
from cobogo.ldp.oracles import ORACLES
from cobogo.ldp.rappor.collect import RapporCollection

KINDS: dict[str, type[Collection]] = {**dict.fromkeys(ORACLES, FrequencyCollection), "rappor": RapporCollection}
"""A new one is registered here."""

"""What runs on a device: a mechanism, the budget it may spend, and the filter that makes answers exact again."""

from cobogo.location.client.device import Client
from cobogo.location.client.ledger import Ledger
from cobogo.location.client.presets import PRESETS, Preset
from cobogo.location.client.reports import Report

__all__ = ["PRESETS", "Client", "Ledger", "Preset", "Report"]

"""What runs on a device: a mechanism, the budget it may spend, and the filter that makes answers exact again."""

from cobogo.locate.client.device import Client
from cobogo.locate.client.ledger import Ledger
from cobogo.locate.client.presets import PRESETS, Preset
from cobogo.locate.client.reports import Report

__all__ = ["PRESETS", "Client", "Ledger", "Preset", "Report"]

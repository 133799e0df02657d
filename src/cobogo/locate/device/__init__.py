"""What runs on a device: a mechanism, the budget it may spend, and the filter that makes answers exact again."""

from cobogo.locate.device.client import Client
from cobogo.locate.device.ledger import Ledger
from cobogo.locate.device.presets import PRESETS, Preset
from cobogo.locate.device.reports import Report

__all__ = ["PRESETS", "Client", "Ledger", "Preset", "Report"]

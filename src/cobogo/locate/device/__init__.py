"""The client on a device: a mechanism, its budget, and the filter that makes answers exact again."""

from cobogo.locate.device.cache import AnswerCache
from cobogo.locate.device.client import PRESETS, DeviceClient, Preset
from cobogo.locate.device.memory import WindowLedger
from cobogo.locate.device.reports import Report

__all__ = ["PRESETS", "AnswerCache", "DeviceClient", "Preset", "Report", "WindowLedger"]

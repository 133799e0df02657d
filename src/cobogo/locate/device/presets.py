"""How precise each kind of service needs a position to be, and what that leaves of privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from cobogo.locate.device.client import Client
from cobogo.locate.mechanisms import PlanarLaplace

WITHIN_95 = 4.743864518390577
"""95 % of planar Laplace noise is within so many times 1/ε: the root of (1 + x) e^(−x) = 0.05."""


@dataclass(frozen=True)
class Preset:
    """A kind of service: 95 of 100 reports are within ``precision`` metres of the truth.

    ``reports`` may go out within a window of ``window`` seconds; then the last one is sent again.
    """

    name: str
    precision: float
    reports: int
    window: float
    identity: Literal["consistent", "pseudonymous", "absent"]
    release: Literal["current", "accumulated"]
    why: str

    @property
    def epsilon(self) -> float:
        """Per metre, for one report: a figure short enough to be told."""
        return float(f"{WITHIN_95 / self.precision:.3g}")

    @property
    def budget(self) -> float:
        """Per metre, for all reports of a window."""
        return round(self.reports * self.epsilon, 9)

    @property
    def mechanism(self) -> PlanarLaplace:
        """Noise that is as wide as the service can bear."""
        return PlanarLaplace(self.epsilon)

    def client(self, **options: Any) -> Client:
        """A client with this noise and budget."""
        return Client(self.mechanism, budget=self.budget, window=self.window, when_spent="resend", **options)


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            "navigation", 25.0, 360, 3600.0, "pseudonymous", "current",
            "Directions need the street one is in. Noise that small hides the door and not the street, and a drive is "
            "one long line of positions: the protection is that nobody knows whose line it is. Use pseudonyms that "
            "change in mix zones, end the trip a street early, and let the device find the way where it can.",
        ),
        Preset(
            "game", 100.0, 60, 3600.0, "pseudonymous", "current",
            "What a game shows lies within a stone's throw, and a hundred metres off still plays. Sixty reports an "
            "hour are a minute's apart: more would draw the player's path.",
        ),
        Preset(
            "recommendation", 500.0, 12, 3600.0, "absent", "current",
            "Whether a restaurant is five or ten minutes away matters; which of its tables one sits at does not. Asked "
            "with a cloak or dummies instead of noise, the answer is exact, and no name is needed to answer.",
        ),
        Preset(
            "weather", 5000.0, 4, 86400.0, "absent", "current",
            "It rains on the whole bairro. Kilometres do not change a forecast, four a day are enough, and nobody has "
            "to say who asks.",
        ),
        Preset(
            "fitness", 50.0, 720, 86400.0, "consistent", "accumulated",
            "A run is shown under one's name, and afterwards: nobody needs to know where the runner is now. Release it "
            "when the trip is over, without its first and last streets.",
        ),
    )
}  # fmt: skip
"""Every preset by the kind of service."""

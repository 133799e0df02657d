"""The whole path of a request: device, anonymizer (over TLS), location-based service, and the exact answer back.

Two hundred made-up people of Fortaleza tell the anonymizer where they are. One of them asks for the three nearest
clinics: the service hears a region with ten people or more and no name, and what comes back is what is truly nearest.
Then the same without an anonymizer: the device itself hides among dummies.
"""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path

import httpx
import numpy as np

from cobogo.locate.anonymizer.app import create_app
from cobogo.locate.anonymizer.devices import Devices
from cobogo.locate.anonymizer.example_service import PlaceCatalogue, PlacesService, create_places_app
from cobogo.locate.anonymizer.server import AnonymizerSettings, PrivacyServer
from cobogo.locate.anonymizer.start import serve_in_background, write_certificate
from cobogo.locate.crowds import Hilbert
from cobogo.locate.device import DeviceClient
from cobogo.locate.mechanisms import Dummies
from cobogo.locate.places.geometry import distance
from cobogo.locate.places.grid import Grid
from cobogo.studies.fortaleza import FRAME, people, sites
from cobogo.studies.fortaleza.people import FIRST_MIDNIGHT

PEOPLE = 200
K = 10


def main() -> None:
    """Start everything, ask, compare, stop."""
    at = people(PEOPLE, days=1, seed=5).positions_at(np.arange(PEOPLE), np.full(PEOPLE, FIRST_MIDNIGHT + 11 * 3600))
    lon, lat = FRAME.degrees(*sites().place.T)
    names = [f"{name} #{number}" for number, name in enumerate(sites().name)]
    places = zip(names, sites().kind, lon.tolist(), lat.tolist(), strict=True)
    catalogue = PlaceCatalogue.from_rows(places).select_kind("clinic")
    heard: list[dict[str, object]] = []
    devices = Devices()
    tokens = [devices.enrol(f"person {number}") for number in range(PEOPLE)]
    with (
        tempfile.TemporaryDirectory() as directory,
        serve_in_background(create_places_app(catalogue, heard)) as service,
    ):
        certificate, key = write_certificate(Path(directory) / "tls", ["127.0.0.1"])
        app = create_app(PrivacyServer(AnonymizerSettings(Hilbert(K))), devices, service=PlacesService(service))
        with serve_in_background(app, certificate=certificate, key=key) as anonymizer:
            print(f"service     {service}\nanonymizer  {anonymizer}\n")
            trust = ssl.create_default_context(cafile=str(certificate))
            with httpx.Client(base_url=anonymizer, verify=trust) as wire:
                for token, x, y in zip(tokens, at.lon.tolist(), at.lat.tolist(), strict=True):
                    _sent(wire, token, "/locations", {"positions": [{"lon": x, "lat": y}]})
                answer = _sent(wire, tokens[0], "/nearest", {"count": 3})
        found = [place["id"] for place in answer["places"]]
        _compare("Under a cloak", found, catalogue, float(at.lon[0]), float(at.lat[0]), heard)
        grid = Grid.from_bounds(-38.63, -3.88, -38.42, -3.69, size=500)
        device = DeviceClient(Dummies(8, grid), reports=1, window=1)
        exact = device.nearest(float(at.lon[0]), float(at.lat[0]), 0.0, PlacesService(service), count=3)
        found = [place.id for place in exact.places]
        _compare("Among dummies", found, catalogue, float(at.lon[0]), float(at.lat[0]), heard)


def _sent(wire: httpx.Client, token: str, path: str, body: dict[str, object]) -> dict[str, list[dict[str, str]]]:
    answer = wire.post(path, json=body, headers={"Authorization": f"Bearer {token}"})
    answer.raise_for_status()
    content: dict[str, list[dict[str, str]]] = answer.json()
    return content


def _compare(
    title: str, found: list[str], catalogue: PlaceCatalogue, lon: float, lat: float, heard: list[dict[str, object]]
) -> None:
    away = distance(lon, lat, [place.lon for place in catalogue.places], [place.lat for place in catalogue.places])
    truth = [catalogue.places[row].id for row in np.argsort(away)[:3]]
    question = heard[-1]
    areas = question["areas"]
    assert isinstance(areas, list)
    print(f"{title}: the service heard of {len(areas)} place(s), of {round(max(a['radius'] for a in areas)):,} m, "
          f"from {question['identity'] or 'nobody in particular'}")  # fmt: skip
    for place in found:
        print(f"    {place}")
    print(f"    exactly the nearest: {'yes' if found == truth else 'NO'}\n")


if __name__ == "__main__":
    main()

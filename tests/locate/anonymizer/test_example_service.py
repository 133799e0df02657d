"""The example of a location-based service."""

from __future__ import annotations

from cobogo.locate.anonymizer.example_service import PlaceCatalogue
from cobogo.locate.reports import ReportArea


def test_a_catalogue_has_kinds_and_may_have_nothing() -> None:
    places = PlaceCatalogue.from_rows([("a", "clinic", -38.5, -3.7), ("b", "beach", -38.4, -3.7)])
    everywhere = [ReportArea(0.0, 0.0, 2e7)]
    assert [place.id for place in places.select_kind("beach").candidates(everywhere, 3)[0]] == ["b"]
    assert places.select_kind("church").candidates(everywhere, 1) == [[]]
    assert len(places.select_kind(None).candidates(everywhere, 1)[0]) == 2

"""What released values stand for, and bins of hard numbers."""

from __future__ import annotations

from cobogo.data.hierarchy import Hierarchy
from cobogo.examine.utility.pairs.pair import Facts
from cobogo.examine.utility.pairs.scale import leaves_under, nice_bins


def test_leaves_of_ranges_and_bins_of_hard_numbers() -> None:
    tree = Hierarchy.from_columns("x", [["-5", "0", "7", None]])
    assert leaves_under(tree, "[-5 to 0]", ".").tolist() == [0, 1]
    assert leaves_under(tree, None, ".").tolist() == [3]
    for low, high in ((0.0, 0.0), (-1e9, 1e9), (1e-9, 2e-9), (99.5, 100.5), (3.0, 3.0)):
        bins = nice_bins(Facts(5, 0, 5, 5, low, high), 12)
        assert 1 <= bins.number <= 12
        assert bins.low <= low
        assert high < bins.low + bins.width * bins.number + 1e-9 * max(abs(high), bins.width)

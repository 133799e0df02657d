"""Cloaks: whoever is in them, they hold k people; and who could have been given the same one."""

from __future__ import annotations

import numpy as np

from cobogo.locate.crowds.cells import LEVELS, hilbert, morton


def test_a_hilbert_curve_passes_every_cell_once_and_goes_to_a_neighbour() -> None:
    levels = 5
    column, row = (part.ravel().astype(np.int64) for part in np.meshgrid(np.arange(32), np.arange(32)))
    codes = hilbert(column, row, levels)
    order = np.argsort(codes)
    assert np.array_equal(codes[order], np.arange(1024))
    assert (np.abs(np.diff(column[order])) + np.abs(np.diff(row[order])) == 1).all()


def test_the_cells_of_every_level_are_prefixes_of_the_code() -> None:
    rng = np.random.default_rng(5)
    column, row = rng.integers(0, 2**LEVELS, (2, 300))
    codes = morton(column, row)
    for level in (0, 7, LEVELS):
        cell = codes >> 2 * (LEVELS - level)
        same = set(zip(column >> LEVELS - level, row >> LEVELS - level, strict=True))
        assert len(set(cell.tolist())) == len(same)

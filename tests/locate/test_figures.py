"""The pictures of the pages about location are those that the code draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from figures import location_noise
from figures.__main__ import IMAGES
from PIL import Image


def grey(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("L"), dtype=int)


@pytest.mark.parametrize("name", location_noise.FIGURES)
def test_figures_are_drawn_by_the_code(name: str, tmp_path: Path) -> None:
    location_noise.FIGURES[name](tmp_path / name)
    drawn, kept = grey(tmp_path / name), grey(IMAGES / name)
    assert drawn.shape == kept.shape
    assert np.mean(np.abs(drawn - kept) > 40) < 0.005  # another release of Matplotlib may smooth edges otherwise

"""Plots are drawn for every kind of data, without a warning, in a size that fits a page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from cobogo.floor.language import LANGUAGES, speech
from cobogo.tell.report import plots
from cobogo.tell.report.canvas import Sheet
from cobogo.tell.report.content import AttributeStory, Content, LatticeStory, Plot, plots_of
from cobogo.tell.report.write import draw

pytestmark = pytest.mark.slow

SAY = speech("en")


def shape(path: Path) -> tuple[int, int]:
    """Height and width of a PNG that has dark marks on white paper."""
    with Image.open(path) as image:
        (width, height), pixels = image.size, image.convert("RGB")
    assert 1000 <= width <= 1600
    assert 150 <= height <= 7000
    assert min(low for low, _ in pixels.getextrema()) < 128
    assert pixels.getpixel((0, 0)) == (255, 255, 255)
    return height, width


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_plot_of_every_content_is_drawn(content: Content, language: str, tmp_path: Path) -> None:
    drawn = plots_of(content)
    assert drawn
    if language != "en" or len(content.quasi_identifiers) == 50:
        # Plots of one kind have the same words in a language; those of the wide content have the same data, too.
        drawn = tuple({plot.kind: plot for plot in drawn}.values())
    for plot in drawn:
        path = tmp_path / f"{plot.stem}.png"
        draw(plot, content, path, say=speech(language))
        shape(path)


def test_as_svg_a_plot_has_the_same_texts_and_nothing_that_runs(hostile: Content, tmp_path: Path) -> None:
    for plot in plots_of(hostile)[:6]:
        path = tmp_path / f"{plot.stem}.svg"
        draw(plot, hostile, path, say=SAY)
        drawn = ElementTree.fromstring(path.read_text(encoding="utf-8"))
        assert {element.tag.removeprefix("{http://www.w3.org/2000/svg}") for element in drawn.iter()} <= {
            "svg", "rect", "line", "text",
        }  # fmt: skip
        assert all(name[:2] != "on" for element in drawn.iter() for name in element.attrib)


def test_the_ends_of_a_text_are_where_they_were_measured(tmp_path: Path) -> None:
    sheet = Sheet("", "")
    sheet.text(4.0, 1.0, "Águas", size=20, align="right")
    sheet.save(tmp_path / "a.png", 2.0)
    with Image.open(tmp_path / "a.png") as image:
        dark = np.asarray(image.convert("L")) < 128
    columns = np.flatnonzero(dark.any(axis=0)) / 150
    assert columns.max() == pytest.approx(4.0, abs=0.03)
    assert columns.min() == pytest.approx(4.0 - sheet.measure("Águas", 20), abs=0.03)


def test_file_names_are_safe_and_differ(hostile: Content) -> None:
    stems = [plot.stem for plot in plots_of(hostile)]
    assert len(set(stems)) == len(stems)
    assert all(stem.isascii() and stem.replace("_", "").isalnum() and len(stem) < 64 for stem in stems)


def test_what_there_is_nothing_to_show_of_is_not_drawn(one_class: Content) -> None:
    assert plots_of(one_class) == (Plot("class_sizes", "class_sizes"), Plot("largest_classes", "largest_classes"))


@pytest.mark.parametrize(
    "sizes",
    [[1], [5, 5, 5], [1, 10**9], [1, 2], list(range(100, 900)), [10**12, 10**12 + 3], [7, 140], [1] * 999 + [10**6]],
)
def test_any_class_sizes_can_be_drawn(sizes: list[int], tmp_path: Path) -> None:
    plots.class_sizes(np.array(sizes), tmp_path / "a.png", say=SAY)
    shape(tmp_path / "a.png")
    edges = plots.bins(min(sizes), max(sizes))
    assert len(edges) <= 20
    assert (np.diff(edges) > 0).all()
    assert np.histogram(sizes, edges)[0].sum() == len(sizes), "every class is in a column"
    assert edges[0] == min(sizes)
    assert edges[-1] > max(sizes)


def test_a_million_classes_are_drawn_at_once(tmp_path: Path) -> None:
    plots.class_sizes(np.arange(1, 1_000_001), tmp_path / "a.png", say=SAY)
    shape(tmp_path / "a.png")


@pytest.mark.parametrize(
    ("distinct", "asked"),
    [
        *((distinct, asked) for distinct in ([1], [3, 3], list(range(1, 41))) for asked in (None, 1, 3, 60)),
        ([2, 500], 3),  # too many values for a column each: what was asked for is not marked
        ([1, 10**6], 60),
        ([0, 0], 2),  # every value is missing
    ],
)
def test_any_numbers_of_distinct_values_can_be_drawn(distinct: list[int], asked: int | None, tmp_path: Path) -> None:
    plots.distinct_values(
        np.array(distinct), tmp_path / "a.png", say=SAY, attribute="$a_b$", asked=asked, title="k = 2"
    )
    shape(tmp_path / "a.png")


@pytest.mark.parametrize("classes", [0, 1, 3, 10])
def test_the_largest_classes_can_be_any_number(classes: int, tmp_path: Path) -> None:
    largest = [((None, "$\\alpha", "x" * 500), 10 - i) for i in range(classes)]
    names = ["a", "b", "c" * 500]
    plots.largest_classes(largest, tmp_path / "a.png", say=SAY, names=names, classes=10, records=100)
    shape(tmp_path / "a.png")


@pytest.mark.parametrize("before", [(), (("a", 5), (None, 3)), tuple((str(i), 1) for i in range(1000))])
@pytest.mark.parametrize("after", [(), (("*", 8),)])
def test_a_distribution_may_lack_a_side(
    before: tuple[tuple[str | None, int], ...], after: tuple[tuple[str | None, int], ...], tmp_path: Path
) -> None:
    story = AttributeStory(
        "a", "quasi-identifier", before=before, after=after, distinct_before=len(before), distinct_after=1
    )
    plots.distribution(story, tmp_path / "a.png", say=SAY)
    shape(tmp_path / "a.png")


def test_levels_of_no_attribute_and_of_one_without_a_hierarchy(tmp_path: Path) -> None:
    for stories in ([], [AttributeStory("a", "quasi-identifier", (), 1), AttributeStory("b", "sensitive")]):
        plots.levels(stories, tmp_path / "a.png", say=SAY)
        with Image.open(tmp_path / "a.png") as image:
            assert image.width > 1000


@pytest.mark.parametrize("heights", [(0,), (1,), (2, 2), (1,) * 7, (39,), (3, 3, 3, 2), (12, 3)])
def test_lattices_of_any_form_fit_the_page(heights: tuple[int, ...], tmp_path: Path) -> None:
    nodes = np.array(list(np.ndindex(*(height + 1 for height in heights))))
    story = LatticeStory(tuple(f"a{i}" for i in range(len(heights))), nodes, nodes.sum(axis=1) > 1, len(nodes) - 1)
    plots.lattice(story, tmp_path / "a.png", say=SAY, optimal=False)
    shape(tmp_path / "a.png")


def test_a_label_is_shortened_until_it_fits() -> None:
    sheet = Sheet("title", "what")
    for text in ("", "short", "W" * 500, "Messejana/Fortaleza/CE", "عربي" * 50):
        assert sheet.measure(sheet.fit(text, 1.0)) <= 1.0
    assert sheet.fit("Messejana/Fortaleza/CE", 1.2).endswith("CE")
    lines = sheet.wrap([f"value {i}" for i in range(50)], 3.0, 9, lines=2, glue=" · ")
    assert len(lines) == 2
    shown = sum(line.count("value") for line in lines)
    assert lines[1].endswith(f"… +{50 - shown}"), "what is not shown is counted"


def test_plots_can_be_drawn_in_threads() -> None:
    """In a process of its own: what goes wrong here ends the process."""
    drawing = """
from concurrent.futures import ThreadPoolExecutor
from cobogo.tell.report.canvas import Sheet

def drawn(number):
    for turn in range(6):
        letters = "".join(chr(33 + (number * 97 + turn * 31 + place) % 900) for place in range(300))
        Sheet(letters, letters)

with ThreadPoolExecutor(6) as threads:
    list(threads.map(drawn, range(12)))
"""
    ended = subprocess.run([sys.executable, "-c", drawing], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_column_that_says_nothing_of_the_largest_classes_is_not_in_their_names(tmp_path: Path) -> None:
    largest = [(("*", "F", "*"), 9), (("*", "M", "*"), 8)]
    drawn = plots.largest_classes(
        largest, tmp_path / "a.png", say=SAY, names=("birth", "sex", "zip"), classes=2, records=17
    )
    assert "values of sex<" in drawn
    assert "birth" not in drawn
    nothing = [(("*", "*"), 9)]
    assert "birth" in plots.largest_classes(
        nothing, tmp_path / "b.png", say=SAY, names=("birth", "zip"), classes=1, records=9
    )

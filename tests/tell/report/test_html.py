"""The page is well-formed, needs nothing from outside, escapes what comes from data, and says the key numbers."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from PIL import Image

from cobogo.floor.language import LANGUAGES, speech
from cobogo.tell.report.content import Content, plots_of
from cobogo.tell.report.html import render
from cobogo.tell.report.write import write

pytestmark = pytest.mark.slow

VOID = {"meta", "br", "img", "link", "hr", "input"}


class Page(HTMLParser):
    """A page whose tags must balance; keeps its tags, attributes and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        assert len(dict(attrs)) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("style", "title"):
            self.text += data


SVG = '<svg viewBox="0 0 648 300"></svg>'


def read_page(content: Content, language: str) -> tuple[str, Page]:
    """The page of a report whose plots are stand-ins; that every plot can be drawn is a matter of `test_plots`."""
    text = render(content, {plot.stem: SVG for plot in plots_of(content)}, language=language)
    return text, Page(text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_is_well_formed_and_needs_nothing_from_outside(content: Content, language: str) -> None:
    text, page = read_page(content, language)
    assert "http://" not in text
    assert "https://" not in text
    assert "@import" not in text
    assert "url(" not in text
    sources = [value for name, value in page.attributes if name in ("src", "href", "srcset", "action")]
    assert sources == []
    assert text.count(SVG) == len(plots_of(content))
    assert page.tags.isdisjoint({"script", "iframe", "object", "link", "form"})
    assert not [name for name, _ in page.attributes if name.startswith("on")]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_thing_said_is_that_the_report_stays(content: Content, language: str) -> None:
    _, page = read_page(content, language)
    banner = speech(language)("Keep with the data holder: it shows original values")
    assert page.text.strip().startswith(banner)


def test_hostile_values_are_shown_and_not_obeyed(hostile: Content) -> None:
    text, page = read_page(hostile, "en")
    assert "<script>alert(1)</script>" in page.text
    assert "\"'><img src=x onerror=alert(1)>" in page.text
    assert "{{ 7*7 }}" in page.text
    assert "<script" not in text
    assert "<img src=x" not in text
    assert "y" * 500 in page.text, "a warning is shown whole"
    assert not [character for character in text if ord(character) < 32 and character not in "\n\t\r"]


def test_hostile_values_are_drawn_and_not_obeyed(hostile: Content, tmp_path: Path) -> None:
    write(hostile, tmp_path, language="en")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert "svg" in page.tags
    assert page.tags.isdisjoint({"script", "img", "image", "foreignobject", "a"})
    assert not [name for name, _ in page.attributes if name.startswith("on") or name in ("href", "src")]


def test_the_key_numbers_are_there(typical: Content) -> None:
    _, page = read_page(typical, "en")
    records = typical.summary["records"]
    for said in (
        "Released with k = 4", "The 2 models are satisfied.", f"{records:,}", f"{records - 61:,}", "100% → 25%",
        "100% → 71.2%", "k-anonymity: k = 4", "l-diversity on “raca_cor”: l = 3 (distinct values)", "1 of 2",
        "14,210 → 60", "0.1701", "12,345,678", "0.2314", "15 November 2025", "Cobogó 0.1.0", "5%", "<0.01 s",
    ):  # fmt: skip
        assert said in page.text, said


def test_portuguese_is_portuguese(typical: Content) -> None:
    text, page = read_page(typical, "pt-BR")
    assert '<html lang="pt-BR">' in text
    for said in (
        "Publicado com k = 4", "quase-identificador", "Classes de equivalência", "Limite de supressão",
        "registros suprimidos", "perda de informação", "Risco de reidentificação", "k-anonimato",
        "14.210 → 60", "0,1701", "100% → 71,2%",
        "15 de novembro de 2025",
    ):  # fmt: skip
        assert said in page.text, said
    for english in ("record", "release", "class ", "attribute", "quasi-identifier"):
        assert english not in page.text


def test_a_model_that_fails_is_said_loudly(typical: Content) -> None:
    models = [dict(model) for model in typical.summary["models"]]
    models[1]["satisfied"] = False
    text, page = read_page(replace(typical, summary={**typical.summary, "models": models}), "en")
    assert "1 of 2 models is not satisfied. Do not give this release away." in page.text
    assert 'class="verdict no"' in text
    assert "✗ no" in page.text
    assert "The 2 models are satisfied" not in page.text


def test_a_model_and_a_metric_without_words_are_shown_by_their_names(typical: Content) -> None:
    model = {"model": "new-model", "t": 0.25, "distance": "ordered", "satisfied": True, "measured": 0.125}
    summary = {**typical.summary, "models": [model], "metrics": {"new_metric": 0.5}, "seconds": {"new stage": 1.0}}
    _, page = read_page(replace(typical, summary=summary, metric="new_metric"), "en")
    for said in ("new-model: t = 0.25 (ordered)", "0.125", "new_metric", "new stage", "The model is satisfied."):
        assert said in page.text, said


def test_without_levels_their_column_and_plot_are_left_out(typical: Content) -> None:
    summary = {key: value for key, value in typical.summary.items() if key != "levels"}
    content = replace(typical, summary=summary, lattice=None)
    _, page = read_page(content, "en")
    assert "example of each level" not in page.text
    assert {plot.kind for plot in plots_of(content)}.isdisjoint({"levels", "lattice"})


def test_a_report_needs_no_plots(typical: Content) -> None:
    assert "figure" not in Page(render(typical, {}, language="en")).tags
    assert SVG in render(typical, {"levels": SVG}, language="en")


def test_everything_is_written_where_it_belongs(typical: Content, tmp_path: Path) -> None:
    typical = replace(typical, summary={**typical.summary, "note": "raça ✓"})
    write(typical, tmp_path / "evidence", language="en")
    files = sorted(str(path.relative_to(tmp_path / "evidence")) for path in tmp_path.rglob("*.*"))
    assert files == [
        "plots/class_sizes.png", "plots/distinct_values_raca_cor.png", "plots/distribution_data_nascimento.png",
        "plots/distribution_localidade.png", "plots/largest_classes.png", "plots/lattice.png", "plots/levels.png",
        "report.html", "report.json",
    ]  # fmt: skip
    for path in tmp_path.rglob("*.png"):
        with Image.open(path) as image:
            assert image.width > 1000
    page = Page((tmp_path / "evidence/report.html").read_text(encoding="utf-8"))
    assert len([name for name, _ in page.attributes if name == "viewbox"]) == len(list(tmp_path.rglob("*.png")))
    summary = (tmp_path / "evidence/report.json").read_text(encoding="utf-8")
    assert json.loads(summary) == typical.summary
    assert '\n "note": "raça ✓"\n' in summary, "letters are written as they are"


def test_the_summary_must_be_json(typical: Content, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write(replace(typical, summary={**typical.summary, "note": float("nan")}), tmp_path, language="en")


def test_at_most_twelve_distributions_are_drawn_and_the_rest_is_counted(wide: Content) -> None:
    _, page = read_page(wide, "en")
    assert sum(plot.kind == "distribution" for plot in plots_of(wide)) == 12
    assert "38 more quasi-identifiers are not drawn." in page.text

"""The reference is whole: everything that has a name says what it is, and its formulas can be read."""

import json
import re

import pytest

from cobogo.faces.cli.main import app
from cobogo.tell.reference.formula import FormulaError, formulas, plain
from cobogo.tell.reference.pages import pages
from cobogo.tell.reference.sections import PARTS, SECTIONS, find, listing, names, split_docstring
from cobogo.tell.reference.sections import pages as sections

THINGS = [(slug, name) for slug, section in sections().items() for name in section.cards()]


@pytest.mark.parametrize(("kind", "name"), THINGS, ids=lambda word: word)
def test_everything_is_told_of_everything(kind: str, name: str) -> None:
    entry = SECTIONS[kind].entries()[name]
    assert entry.missing == []
    assert list(entry.parts) == list(PARTS), "the parts have an order"
    assert formulas(entry.parts["Formula"]), "a formula stands between dollar signs"
    for text in (entry.definition, *(text for part, text in entry.parts.items() if part != "Example")):
        for formula in formulas(text):
            said = plain(formula)
            assert said
            assert not re.search(
                r"[\\{}$]", said.replace("{", "", formula.count("\\{")).replace("}", "", formula.count("\\}"))
            )


@pytest.mark.parametrize(("kind", "name"), THINGS, ids=lambda word: word)
def test_papers_have_a_year_or_say_that_there_is_none(kind: str, name: str) -> None:
    paper = SECTIONS[kind].entries()[name].parts["Paper"]
    assert re.search(r"\b(19|20)\d\d\b", paper) or paper.startswith("None")


def test_what_is_missing_is_found() -> None:
    def thing() -> None:
        """Something.

        Formula: $a$
        Example: none that runs
        Cost:
        """

    assert split_docstring("thing", thing).missing == ["Guarantee", "Limits", "Cost", "Paper", "Example"]
    assert split_docstring("nothing", test_what_is_missing_is_found).missing == ["Definition", *PARTS]


@pytest.mark.parametrize("latex", [r"\frac{1}{2", r"\frac{1}", r"a}", r"\sqroot{2}", "a_", r"\text"])
def test_slips_of_the_pen_are_found(latex: str) -> None:
    with pytest.raises(FormulaError):
        plain(latex)
    with pytest.raises(FormulaError):
        formulas("one $ alone")


def test_every_thing_has_a_page_that_its_kind_links_to() -> None:
    made = pages()
    for path, text in made.items():
        for target in re.findall(r"\]\((?!\.\./)([\w/.-]+\.md)\)", text):
            assert path.rsplit("/", 1)[0] + "/" + target in made
    assert sum(path.count("/") == 2 for path in made) == len(THINGS)


def test_formulas_of_the_pages_are_latex() -> None:
    convert = pytest.importorskip("latex2mathml.converter", reason="latex2mathml is missing").convert
    for path, text in pages().items():
        outside = re.sub(r"(?ms)^```.*?^```$|`[^`]+`", "", text)
        for formula in re.findall(r"\$\$?([^$]+)\$\$?", outside):
            assert "\n" not in formula, path
            assert "merror" not in convert(formula), path


def test_what_can_be_listed_is_in_the_reference() -> None:
    for what in {registry.listed for section in SECTIONS.values() for registry in section.registries}:
        assert {name for name, _ in listing(what)} <= names().keys()


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    app(["explain", "k-anonymity"], standalone_mode=False)
    said = capsys.readouterr().out
    assert "|E| ≥ k" in said
    assert all(re.search(rf"^{part}( \(in cobogo\..*\))?$", said, re.MULTILINE) for part in PARTS)
    app(["explain", "k-anonymity", "--json"], standalone_mode=False)
    assert json.loads(capsys.readouterr().out)["kind"] == "models"


def test_names_that_several_things_have_need_a_kind() -> None:
    several = {name: kinds for name, kinds in names().items() if len(kinds) > 1}
    for name, kinds in several.items():
        with pytest.raises(Exception, match="kind"):
            find(name)
        assert {find(name, kind)[0] for kind in kinds} == set(kinds)

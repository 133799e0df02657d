"""Data, Columns and Hierarchies: what they rest on, and a walk through them in a real browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cobogo.data.schema import profile, suggest
from cobogo.data.schema.words import TOPICS
from cobogo.faces.server.rows import RowOrder
from cobogo.faces.workbench.pages.data import PAGE, RowsView
from cobogo.floor.language import speech
from support.browsers import answers, browser, free_port, running
from support.contrasts import faint, fits, nameless

pytestmark = pytest.mark.xdist_group("workbench_data")

SAY = speech("en")
AGES = [str(n * 37 % 90) if n % 11 else "" for n in range(300)]
CSV = "cpf,idade,município d'água,doença\n" + "".join(
    f"{n:011d},{age},{('Sobral', 'Crato', 'Fortaleza')[n % 3]},{'dengue' if n % 4 else 'gripe'}\n"
    for n, age in enumerate(AGES)
)


def test_a_view_stays_within_its_table() -> None:
    view = RowsView(rows=51)
    for offset, there in ((-5, 0), (25, 25), (10**9, 50)):
        view.move(offset)
        assert view.offset == there
    view.sort(2, None)
    assert (view.offset, view.order) == (0, RowOrder(2))
    view.sort(2, None)
    view.sort(2, None)
    assert view.order is None
    assert PAGE == 25
    wide = RowsView(rows=1, columns=90)
    for column, part in ((-3, (0, 40)), (60, (50, 90)), (45, (45, 85))):
        wide.turn(column)
        assert (wide.part.start, wide.part.stop) == part
    assert RowsView(rows=1, columns=3).part == slice(0, 3)


def test_every_reason_is_said_in_portuguese() -> None:
    kinds = (
        [f"{n:011d}" for n in range(40)],
        ["Ana Silva", "José Souza", "Maria Lima", "Pedro Alves", "Rita Melo", "Davi Reis"] * 2,
        ["529.982.247-25", "111.444.777-35", "123.456.789-09"],
        [f"a{n}@b.br" for n in range(5)],
        ["31/12/1990", "01/02/1985"],
        ["60160-230", "60160-231"],
        ["a", "b"],
        [" x ", "y"],
        [f"this is a long sentence about somebody number {n} of them" for n in range(30)],
        ["same"],
        [],
        [str(n) for n in range(2001)],
        ["10.0.0.1", "10.0.0.2"],
        ["(85) 98888-7777", "(85) 98888-7778"],
        ["Rua das Flores, 1", "Rua das Flores, 2"],
    )
    names = [sorted(topic.words)[0] for topic in TOPICS] + ["x1", "id", "paciente_id", "x id", "nome_municipio"]
    english = re.compile(r"\b(the|its|it|of|and|which|says?|values?|name|others|records?|may|speaks)\b")
    for name in names:
        for values in kinds:
            counted = [(value, 1) for value in dict.fromkeys(values)]
            records = max(len(values), 1)
            found = suggest(profile(name, records, records - len(values), len(counted), len(counted), counted))
            said = speech("pt-BR")(found.reason)
            assert not english.search(said), (found.reason, said)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, Path]]:
    state = tmp_path_factory.mktemp("bench") / "state"
    port = free_port()
    with (
        running("workbench", "--no-show", "--port", str(port), "--state", str(state)) as line,
        browser() as chromium,
    ):
        address = re.search(r"http://\S+", line)
        assert address is not None
        answers(port)
        page = chromium.new_context(viewport={"width": 1366, "height": 768}, locale="en-US").new_page()
        page.set_default_timeout(60_000)
        page.goto(address[0])
        yield page, state


def test_from_an_upload_to_a_hierarchy_made_by_hand(bench, tmp_path) -> None:  # noqa: PLR0915
    page, state = bench
    page.get_by_text(SAY("No table was uploaded yet.")).wait_for()
    noise = {"name": "cat.csv", "mimeType": "text/csv", "buffer": b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe" * 40}
    page.set_input_files("input[type=file]", noise)
    page.get_by_role("alert").first.wait_for()
    page.get_by_role("button", name="OK").click()
    assert list((state / "datasets").iterdir()) == []

    page.set_input_files("input[type=file]", {"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()})
    page.get_by_text("00000000007").or_(page.get_by_text("Fortaleza").first).wait_for()
    assert page.get_by_text("00000000007").count() == 0
    page.get_by_role("button", name=SAY("Show the values of {name}", name="cpf")).click()
    page.get_by_text("00000000007").wait_for()
    page.get_by_role("button", name=SAY("Sort by {name}", name="idade")).click()
    page.locator("th[aria-sort=ascending]").wait_for()
    assert faint(page) == nameless(page) == []
    fits(page, SAY("Menu"))

    page.get_by_role("link", name=SAY("Columns")).click()
    page.get_by_text(SAY("Decide the role of each column. Each suggestion has a reason.")).wait_for()
    assert page.get_by_text("gripe").count() == 0
    assert faint(page) == nameless(page) == []
    fits(page, SAY("Menu"))
    page.reload()
    page.get_by_text(SAY("Decide the role of each column. Each suggestion has a reason.")).wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == SAY("Skip to the content")
    page.get_by_role(
        "button", name=re.compile(re.escape(SAY("Accept all suggestions ({count} undecided)").split("(")[0]))
    ).click()

    page.get_by_role("link", name=SAY("Hierarchies")).click()
    page.get_by_role("button", name=re.compile("^município")).click()
    page.get_by_role("combobox", name=SAY("Kind of hierarchy")).click()
    page.get_by_role("option", name=SAY("Groups by hand")).click()
    page.get_by_text(re.compile(f"^{SAY('other values')} · ")).wait_for()  # the tree is the new one
    page.get_by_text("Sobral · 100").click()
    page.get_by_label(SAY("… or the name of a new group")).fill("norte")
    page.get_by_role("button", name=SAY("Move to this group")).click()
    page.get_by_text("norte · 100").first.wait_for()
    assert faint(page) == nameless(page) == []
    fits(page, SAY("Menu"))
    with page.expect_download() as download:
        page.get_by_role("button", name=SAY("Export CSV")).click()
    lines = sorted(Path(download.value.path()).read_text(encoding="utf-8").splitlines())
    assert lines == ["Crato,other values,*", "Fortaleza,other values,*", "Sobral,norte,*"]

    mine = tmp_path / "cities.csv"
    mine.write_text("Crato;sul;CE\nFortaleza;norte;CE\n", encoding="utf-8")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=SAY("Import CSV")).click()
    chooser.value.set_files(mine)
    page.get_by_text("1 value (100 records) is not in this hierarchy.").wait_for()
    page.get_by_role("combobox", name=SAY("Group")).click()
    page.get_by_role("option", name="norte").click()
    page.get_by_role("button", name=SAY("Add them to this group")).click()
    page.get_by_text(re.compile("norte · 2 values · 200")).wait_for()
    files = sorted((state / "datasets").glob("*/files/cities*.csv"))
    assert [file.name for file in files] == ["cities-2.csv", "cities.csv"]
    assert sorted(files[0].read_text(encoding="utf-8").splitlines())[-1] == "Sobral;norte;CE"
    assert files[1].read_bytes() == mine.read_bytes()

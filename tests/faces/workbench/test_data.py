"""Data, Columns and Hierarchies: what they rest on, and a walk through them in a real browser."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.hierarchy.base import Hierarchy
from cobogo.data.hierarchy.csv_file import csv_hierarchy
from cobogo.data.hierarchy.tree import tree_hierarchy
from cobogo.data.policy import BUILDERS, TreeHierarchy
from cobogo.data.schema import profile, suggest
from cobogo.data.schema.portuguese import reason_in_portuguese
from cobogo.data.schema.words import TOPICS
from cobogo.errors import HierarchyError, InputError
from cobogo.faces.server import profiles
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.rows import RowOrder, counts
from cobogo.faces.server.sandbox import confine_policy
from cobogo.faces.server.services.operation import NotFound
from cobogo.faces.server.settings import Settings
from cobogo.faces.server.state import DATASETS, JOBS
from cobogo.faces.workbench.pages.data import PAGE, RowsView
from cobogo.faces.workbench.pages.hierarchies import groups
from cobogo.faces.workbench.pages.hierarchies.form import BY_HAND, FIELDS, kind_of, start
from cobogo.faces.workbench.pages.hierarchies.preview import SHOWN, HierarchyPreview, nodes, preview
from cobogo.faces.workbench.words import TEXTS
from support.browsers import answers, browser, free_port, running
from support.contrasts import faint, fits, nameless
from support.services import person, service_of

pytestmark = pytest.mark.xdist_group("workbench_data")

SAY = TEXTS["en"]
ANA = person("ana")
AGES = [str(n * 37 % 90) if n % 11 else "" for n in range(300)]
CSV = "cpf,idade,município d'água,doença\n" + "".join(
    f"{n:011d},{age},{('Sobral', 'Crato', 'Fortaleza')[n % 3]},{'dengue' if n % 4 else 'gripe'}\n"
    for n, age in enumerate(AGES)
)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerContext]:
    made = ServerContext(Settings(state=str(tmp_path_factory.mktemp("server"))))
    yield made
    made.close()


@pytest.fixture(scope="module")
def row(context: ServerContext) -> dict[str, Any]:
    datasets = service_of(context).datasets
    return datasets.get(ANA, datasets.receive(ANA, "people.csv", io.BytesIO(CSV.encode())))


@pytest.mark.parametrize("descending", [False, True])
def test_pages_of_a_sorted_table_hold_every_row_once_and_in_the_order_of_numbers(context, row, descending) -> None:
    datasets = service_of(context).datasets
    order = RowOrder(1, datasets.profile(ANA, row["id"])["columns"][1]["sort"], descending)
    found = [one for at in range(0, 300, 70) for one in datasets.page(ANA, row["id"], at, 70, order)]
    assert sorted(number for number, _ in found) == list(range(300))
    assert all(values[1] == (AGES[number] or None) for number, values in found)
    ages = [int(values[1]) for _, values in found if values[1] is not None]
    assert ages == sorted(ages, reverse=descending)


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


def test_shapes_are_counts_of_all_records_and_never_of_identifiers(context, row) -> None:
    folder, datasets = context.files.dataset(row["id"]), service_of(context).datasets
    columns = {one["column"]: one for one in datasets.profile(ANA, row["id"])["columns"]}
    assert columns["cpf"]["role"] == "identifier"
    assert columns["cpf"]["shape"] is None
    assert sum(columns["idade"]["shape"]["bars"]) == sum(map(bool, AGES))
    assert sorted(columns["doença"]["shape"]["top"]) == [["dengue", 225], ["gripe", 75]]
    assert profiles.profile(folder, {}) == json.loads((folder / profiles.FILE).read_text())
    assert all("shape" not in one for one in datasets.suggest(ANA, row["id"])[0])


def test_a_data_set_is_deleted_by_its_owner_and_not_while_a_job_works_on_it(context) -> None:
    datasets = service_of(context).datasets
    mine = datasets.receive(ANA, "x.csv", io.BytesIO(b"a,b\n1,2\n"))
    asked = json.dumps({"dataset": mine, "file": "data.csv", "policy": ""})
    job = context.state.add(
        JOBS, owner="ana", kind="anonymize", asked=asked, state="queued", stage="", done=0, total=0, message="", tries=0
    )
    with pytest.raises(InputError, match="a job works on it"):
        datasets.forget(ANA, mine)
    context.state.change(JOBS, job, state="done")
    with pytest.raises(NotFound):
        datasets.forget(person("bob"), mine)
    assert context.files.dataset(mine).is_dir()
    datasets.forget(ANA, mine)
    assert not context.files.dataset(mine).exists()
    assert context.state.get(DATASETS, mine) is None


def test_the_form_of_a_kind_asks_for_every_key_that_a_policy_knows() -> None:
    for kind, spec in BUILDERS.items():
        keys = {key.replace("_", "-") for key in spec.model_fields} - ({kind} if kind == "tree" else set())
        assert set(FIELDS[kind]) == keys


VALUES = {
    "none": ["a", "b"],
    "intervals": ["7", "23", "95"],
    "dates": ["31/12/1999", "01/02/2001"],
    "mask": ["60020270", "63010120"],
    "path": ["Centro/Sobral/CE", "Aldeota/Fortaleza/CE"],
    "ordering": ["high", "low", "middle"],
    "tree": ["nurse", "teacher"],
}


@pytest.mark.parametrize("kind", sorted(VALUES))
def test_every_kind_begins_with_something_that_can_be_built(kind, tmp_path) -> None:
    spec = start(kind, None, VALUES[kind])
    assert kind_of(spec) == kind
    seen = _previewed(_policy("x", spec), tmp_path, [(value, 2) for value in VALUES[kind]] + [(None, 1)])
    assert seen.error is None
    assert seen.unfit == []
    assert seen.hierarchy is not None
    assert set(seen.hierarchy.leaves) == {*VALUES[kind], None}
    assert [one.groups for one in seen.levels][-1] <= 2
    assert all(seen.sizes(level).sum() == 2 * len(VALUES[kind]) + 1 for level in range(seen.hierarchy.height + 1))


def _policy(name: str, spec: dict[str, Any] | None) -> str:
    from cobogo.faces.workbench.draft import Draft

    draft = Draft("[attributes]\nother = { role = 'CONFIRM sensitive' }\n")
    draft.set_attribute(name, role="quasi-identifier", hierarchy=spec)
    return draft.only(name)


def _previewed(text: str, home: Path, counted: list[tuple[str, int]], name: str = "x") -> HierarchyPreview:
    return preview(lambda: confine_policy(text, home, owner="ana"), home, name, counted)


def test_what_does_not_fit_is_set_aside_with_its_records(tmp_path) -> None:
    counted = [("7", 5), ("12", 4), ("999", 3), ("?", 2), ("-1", 1)]
    seen = _previewed(_policy("x", {"intervals": [10], "lower": 0, "upper": 120}), tmp_path, counted)
    assert sorted(seen.unfit) == [("-1", 1), ("999", 3), ("?", 2)]
    assert seen.bars(1) == ([("0-9", 5), ("10-19", 4)], 0)
    broken = _previewed(_policy("x", {"intervals": [10, 25]}), tmp_path, counted[:2])
    assert isinstance(broken.error, HierarchyError)
    nowhere = _previewed(_policy("x", {"csv": "../secret.csv"}), tmp_path, counted)
    assert nowhere.hierarchy is None
    assert nowhere.error is not None


def test_a_tree_of_many_values_is_drawn_of_the_most_frequent_and_of_those_searched_for(tmp_path) -> None:
    counted = [(f"{n:05d}", 30_000 - n) for n in range(20_000)]
    seen = _previewed(_policy("x", {"mask": "right", "keep": 1, "top": True}), tmp_path, counted)
    grown = nodes(seen, seen.leaves(), lambda level, label, values, records: (level, label, values, records))
    drawn = [node for root in grown for node in _walked(root)]
    leaves = [node["label"][1] for node in drawn if "children" not in node and node["label"][0] == 0]
    assert leaves == [f"{n:05d}" for n in range(SHOWN)]
    assert len(drawn) < 5 * SHOWN
    assert grown[0]["label"] == (5, "*", 20_000, sum(records for _, records in counted))
    assert [seen.hierarchy.leaves[code] for code in seen.leaves("1999")][:2] == ["01999", "11999"]
    assert seen.bars(1)[1] == 2000 - 30


def _walked(node: dict[str, Any]) -> list[dict[str, Any]]:
    return [node, *(one for child in node.get("children", []) for one in _walked(child))]


NAMES = st.text("ab;\"'é *=\n", min_size=1, max_size=4).filter(str.strip)


@st.composite
def hierarchies(draw: st.DrawFn) -> list[groups.Row]:
    leaves = draw(st.lists(NAMES, min_size=1, max_size=8, unique=True))
    middle = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    tops = {name: draw(st.sampled_from(["all", "none"])) for name in middle}
    chosen = [draw(st.sampled_from(middle)) for _ in leaves]
    return [(leaf, group, tops[group]) for leaf, group in zip(leaves, chosen, strict=True)]


@settings(max_examples=40, deadline=None)
@given(hierarchies(), st.data())
def test_edited_groups_keep_every_value_once_and_survive_files_and_policies(tmp_path_factory, rows, data) -> None:
    leaf = data.draw(st.sampled_from([row[0] for row in rows]))
    group = data.draw(st.sampled_from([row[1] for row in rows]) | NAMES)
    for edited in (
        groups.moved(rows, 0, leaf, group),
        groups.moved(rows, 1, rows[0][1], "all"),
        groups.renamed(rows, 1, rows[0][1], group),
        groups.added(rows, ["a value of its own"], group),
    ):
        there = groups.checked("x", edited)
        assert [row[0] for row in there][: len(rows)] == [row[0] for row in rows]
        built = Hierarchy.from_columns("x", list(zip(*there, strict=True)))
        file = tmp_path_factory.mktemp("file") / "x.csv"
        file.write_bytes(groups.as_csv(there, ";"))
        read = csv_hierarchy("x", file, separator=";", encoding="utf-8", missing=(), where="x")
        assert (read.labels, groups.rows_of(read)) == (built.labels, there)
        planted = tree_hierarchy("x", TreeHierarchy(tree=groups.as_tree(there)), where="x")
        assert sorted(groups.rows_of(planted)) == sorted(there)
    assert groups.moved(rows, 0, leaf, group)[[row[0] for row in rows].index(leaf)][1] == group


def test_rows_leave_the_top_and_null_to_the_policy() -> None:
    built = Hierarchy.from_columns("x", [["a", "b"], ["g", "g"]]).with_top().with_null()
    assert groups.rows_of(built, top=True, null=False) == [("a", "g"), ("b", "g")]
    assert groups.rows_of(built)[-1] == (None, None, "*")
    told = Hierarchy.from_columns("x", [["a", None], ["g", "unknown"]])
    assert groups.rows_of(told, null=False) == [("a", "g"), (None, "unknown")]
    assert set(BY_HAND) < set(FIELDS)


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
            said = reason_in_portuguese(found.reason)
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
    page.get_by_text(SAY["data.none"]).wait_for()
    noise = {"name": "cat.csv", "mimeType": "text/csv", "buffer": b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe" * 40}
    page.set_input_files("input[type=file]", noise)
    page.get_by_role("alert").first.wait_for()
    page.get_by_role("button", name="OK").click()
    assert list((state / "datasets").iterdir()) == []

    page.set_input_files("input[type=file]", {"name": "people.csv", "mimeType": "text/csv", "buffer": CSV.encode()})
    page.get_by_text("00000000007").or_(page.get_by_text("Fortaleza").first).wait_for()
    assert page.get_by_text("00000000007").count() == 0
    page.get_by_role("button", name=SAY["data.reveal"].format(name="cpf")).click()
    page.get_by_text("00000000007").wait_for()
    page.get_by_role("button", name=SAY["data.sort"].format(name="idade")).click()
    page.locator("th[aria-sort=ascending]").wait_for()
    assert faint(page) == nameless(page) == []
    fits(page, SAY["frame.menu"])

    page.get_by_role("link", name=SAY["step.columns"]).click()
    page.get_by_text(SAY["columns.what"]).wait_for()
    assert page.get_by_text("gripe").count() == 0
    assert faint(page) == nameless(page) == []
    fits(page, SAY["frame.menu"])
    page.reload()
    page.get_by_text(SAY["columns.what"]).wait_for()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == SAY["frame.skip"]
    page.get_by_role("button", name=re.compile(re.escape(SAY["columns.all"].split("(")[0]))).click()

    page.get_by_role("link", name=SAY["step.hierarchies"]).click()
    page.get_by_role("button", name=re.compile("^município")).click()
    page.get_by_role("combobox", name=SAY["hierarchies.kind"]).click()
    page.get_by_role("option", name=SAY["way.tree"]).click()
    page.get_by_text("Sobral · 100").click()
    page.get_by_label(SAY["groups.new"]).fill("norte")
    page.get_by_role("button", name=SAY["groups.move"]).click()
    page.get_by_text("norte · 100").first.wait_for()
    assert faint(page) == nameless(page) == []
    fits(page, SAY["frame.menu"])
    with page.expect_download() as download:
        page.get_by_role("button", name=SAY["hierarchies.export"]).click()
    lines = sorted(Path(download.value.path()).read_text(encoding="utf-8").splitlines())
    assert lines == ["Crato,others,*", "Fortaleza,others,*", "Sobral,norte,*"]

    mine = tmp_path / "cities.csv"
    mine.write_text("Crato;sul;CE\nFortaleza;norte;CE\n", encoding="utf-8")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=SAY["hierarchies.import"]).click()
    chooser.value.set_files(mine)
    page.get_by_text(SAY["unfit.what"].format(values=1, records=100)).wait_for()
    page.get_by_role("combobox", name=SAY["groups.group"]).click()
    page.get_by_role("option", name="norte").click()
    page.get_by_role("button", name=SAY["unfit.add"]).click()
    page.get_by_text(re.compile("norte · 2 values · 200")).wait_for()
    files = sorted((state / "datasets").glob("*/files/cities*.csv"))
    assert [file.name for file in files] == ["cities-2.csv", "cities.csv"]
    assert sorted(files[0].read_text(encoding="utf-8").splitlines())[-1] == "Sobral;norte;CE"
    assert files[1].read_bytes() == mine.read_bytes()


def test_counts_of_a_column_are_all_of_it(context, row) -> None:
    found, distinct = counts(context.files.dataset(row["id"]), "município d'água", 2)
    assert (found, distinct) == ([("Crato", 100), ("Fortaleza", 100)], 3)

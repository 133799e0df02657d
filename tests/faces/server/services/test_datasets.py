"""Data sets: pages of rows in an order, shapes of columns, and who deletes them when."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from typing import Any

import openpyxl
import pytest

from cobogo.data.policy import Data
from cobogo.errors import CobogoError, DataError, InputError
from cobogo.faces.server import profiles
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.files import take_table
from cobogo.faces.server.rows import RowOrder, counts
from cobogo.faces.server.services.operation import NotFound
from cobogo.faces.server.settings import ServerLimits, ServerSettings
from cobogo.faces.server.state import DATASETS, JOBS
from support.services import person, service_of

ANA = person("ana")


AGES = [str(n * 37 % 90) if n % 11 else "" for n in range(300)]


CSV = "cpf,idade,município d'água,doença\n" + "".join(
    f"{n:011d},{age},{('Sobral', 'Crato', 'Fortaleza')[n % 3]},{'dengue' if n % 4 else 'gripe'}\n"
    for n, age in enumerate(AGES)
)


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerContext]:
    made = ServerContext(ServerSettings(state=str(tmp_path_factory.mktemp("server"))))
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


def test_shapes_are_counts_of_all_records_and_never_of_identifiers(context, row) -> None:
    folder, datasets = context.files.dataset(row["id"]), service_of(context).datasets
    columns = {one["column"]: one for one in datasets.profile(ANA, row["id"])["columns"]}
    assert columns["cpf"]["role"] == "identifier"
    assert columns["cpf"]["shape"] is None
    assert sum(columns["idade"]["shape"]["bars"]) == sum(map(bool, AGES))
    assert sorted(columns["doença"]["shape"]["top"]) == [["dengue", 225], ["gripe", 75]]
    found = profiles.profile(folder, {})
    kept = json.loads((folder / profiles.FILE).read_text())
    assert found["policy"] == kept["policy"]
    assert [one["shape"] for one in found["columns"]] == [one["shape"] for one in kept["columns"]]
    assert [one["type"] for one in found["columns"]] == [one["type"]["text"] for one in kept["columns"]]
    assert all("shape" not in one for one in datasets.suggest(ANA, row["id"])[0])


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_a_title_above_the_header_is_asked_about_and_cut_off(context, encoding) -> None:
    datasets = service_of(context).datasets
    body = "Atendimentos – 2025;\r\n\r\nmunicípio;doença\r\nCrato;dengue\r\nSobral;gripe\r\n".encode(encoding)
    with pytest.raises(DataError, match="its header may be line 3") as refused:
        datasets.receive(ANA, "x.csv", io.BytesIO(body))
    assert refused.value.offers == ("header", ("3", "1"))
    assert refused.value.where == "x.csv"
    for given in (None, encoding):
        made = datasets.receive(ANA, "x.csv", io.BytesIO(body), encoding=given, header=3)
        assert datasets.get(ANA, made)["about"]["columns"] == ["município", "doença"]
        assert [values for _, values in datasets.page(ANA, made, 0, 9)] == [["Crato", "dengue"], ["Sobral", "gripe"]]
        datasets.forget(ANA, made)


def test_a_data_set_is_deleted_by_its_owner_and_not_while_a_job_works_on_it(context) -> None:
    datasets = service_of(context).datasets
    mine = datasets.receive(ANA, "x.csv", io.BytesIO(b"a,b\n1,2\n"))
    asked = json.dumps({"dataset": mine, "file": "data.csv", "policy": ""})
    job = context.state.add(
        JOBS, owner="ana", kind="anonymize", asked=asked, state="queued", stage="", done=0, total=0, message="", tries=0
    )
    with pytest.raises(InputError, match="a job is working on"):
        datasets.forget(ANA, mine)
    context.state.change(JOBS, job, state="done")
    with pytest.raises(NotFound):
        datasets.forget(person("bob"), mine)
    assert context.files.dataset(mine).is_dir()
    datasets.forget(ANA, mine)
    assert not context.files.dataset(mine).exists()
    assert context.state.get(DATASETS, mine) is None


def test_counts_of_a_column_are_all_of_it(context, row) -> None:
    found, distinct = counts(context.files.dataset(row["id"]), "município d'água", 2)
    assert (found, distinct) == ([("Crato", 100), ("Fortaleza", 100)], 3)


@pytest.mark.parametrize("separator", ['"', "\n", "\x0c", "a", ";;"])
def test_what_separates_nothing_is_refused_in_words(context, separator) -> None:
    with pytest.raises(InputError, match="separator"):
        service_of(context).datasets.receive(ANA, "x.csv", io.BytesIO(b"a,b\n1,2\n"), separator=separator)


@pytest.mark.slow
def test_an_upload_that_a_kill_cut_short_is_forgotten_by_the_next_server(place) -> None:
    context = ServerContext(place.settings)
    datasets = service_of(context).datasets
    whole = datasets.receive(ANA, "people.csv", io.BytesIO(CSV.encode()))
    context.state.add(DATASETS, owner="ana", name="half", about="")
    datasets.forget_unfinished()
    assert [row["id"] for row in context.state.rows(DATASETS)] == [whole]
    context.close()


def workbook(**sheets: list[list[Any]]) -> io.BytesIO:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, lines in sheets.items():
        page = book.create_sheet(name)
        for line in lines:
            page.append(line)
    content = io.BytesIO()
    book.save(content)
    content.seek(0)
    return content


def test_a_workbook_becomes_a_data_set(context: ServerContext) -> None:
    datasets, people = service_of(context).datasets, [["age", "city"], [34, "Crato"], [35, None]]
    with pytest.raises(DataError, match=r'people\.xlsx: has several sheets: "one", "two"') as refused:
        datasets.receive(ANA, "people.xlsx", workbook(one=people, two=people))
    assert refused.value.offers == ("sheet", ("one", "two"))
    with pytest.raises(DataError) as refused:
        datasets.receive(
            ANA, "people.xlsx", workbook(one=[["Our people", None, None], [None] * 3, *([*line, 1] for line in people)])
        )
    assert refused.value.offers == ("range", ("A3:C5",))
    identity = datasets.receive(ANA, "people.xlsx", workbook(one=people, two=people), places={"sheet": "two"})
    assert datasets.get(ANA, identity)["about"]["columns"] == ["age", "city"]
    assert [values for _, values in datasets.page(ANA, identity, 0, 9)] == [["34", "Crato"], ["35", None]]
    assert [file.name for file in context.files.dataset(identity).iterdir() if file.name.startswith("upload")] == []


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, lambda content: workbook(a=[["x"], *([f"{n} " * 9999] for n in range(len(content) >> 15))]).read()],
)
def test_what_unpacks_to_more_than_the_limit_is_refused(tmp_path, pack) -> None:
    limits = ServerLimits(unpacked_megabytes=1)
    upload = tmp_path / "upload"
    upload.write_bytes(pack(bytes(range(100, 200)) * (1 << 15)))
    with pytest.raises(CobogoError, match="larger than 1 MB"):
        take_table(upload, Data(), limits)


def test_the_encoding_of_an_upload_is_detected(context: ServerContext) -> None:
    datasets = service_of(context).datasets
    identity = datasets.receive(ANA, "a.csv", io.BytesIO("nome;x\nMaré “1”;2\n".encode("cp1252")))
    assert datasets.page(ANA, identity, 0, 9)[0][1] == ["Maré “1”", "2"]
    about = datasets.get(ANA, identity)["about"]
    assert (about["encoding"], about["separator"]) == ("cp1252", ";")

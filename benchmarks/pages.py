"""Three million rows on the workbench's first pages, beside bare DuckDB on the same file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.measure import Result, Spent, once
from cobogo.data.policy import Policy
from cobogo.faces.server.context import ServerContext
from cobogo.faces.server.keys import Holder
from cobogo.faces.server.queue import Queue
from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.server.rows import RowOrder
from cobogo.faces.server.services import Services
from cobogo.faces.server.settings import ServerSettings
from cobogo.faces.workbench.pages.hierarchies.preview import MOST, preview

ROWS = 3_000_000
MADE = """
COPY (SELECT 'P' || lpad((range * 7919 % 9000000)::VARCHAR, 9, '0') AS prontuario, 18 + (random() * 80)::INT AS idade,
  (60000000 + (random() * 99999)::INT)::VARCHAR AS cep,
  strftime(DATE '1930-01-01' + (random() * 30000)::INT, '%d/%m/%Y') AS nascimento,
  ['Fortaleza', 'Sobral', 'Crato', 'Juazeiro do Norte', 'Maracanaú'][1 + (random() * 4.9)::INT] AS cidade,
  ['dengue', 'gripe', 'asma', 'diabetes'][1 + (random() * 3.9)::INT] AS doenca FROM range({rows})) TO '{file}' (HEADER)
"""
POLICY = '[attributes]\ncep = { role = "quasi-identifier", hierarchy = { mask = "right", keep = 2, top = true } }\n'


def pages(directory: Path, count: int = ROWS) -> Iterator[Result]:
    """A file taken in, its columns profiled, pages turned, in another order too, a hierarchy on 100,000 values."""
    import duckdb

    file, note, against = directory / "people.csv", f"{count:,} rows", "bare DuckDB"
    bare = duckdb.connect()
    bare.execute(MADE.format(rows=count, file=file))
    read = f"read_csv('{file}', all_varchar = true)"
    context = ServerContext(ServerSettings(state=str(directory / "pages")))
    service = Services(context, Queue(context))
    datasets, me = service.datasets, Holder("me", KeyRole.STEWARD, frozenset(KeyScope), "me")
    identity: list[str] = []

    def receive() -> None:
        with file.open("rb") as stream:
            identity.append(datasets.receive(me, "people.csv", stream))

    copied = f"COPY (FROM {read}) TO '{directory}/bare.parquet'"
    yield Result("pages: a file taken in", once(receive), against, _bare(bare, copied), note)
    mine = identity[0]
    known, folder = datasets.get(me, mine)["about"], context.files.dataset(mine)
    counted = ", ".join(f'count(DISTINCT "{name}")' for name in known["columns"])
    on_profile = once(lambda: datasets.profile(me, mine))
    distinct = _bare(bare, f"SELECT {counted} FROM {read}")
    yield Result("pages: columns profiled", on_profile, against, distinct, note)
    middle = count // 2
    from_file = _bare(bare, f"SELECT * FROM {read} LIMIT 25 OFFSET {middle}")
    turned = once(lambda: datasets.page(me, mine, middle, 25))
    yield Result("pages: a page in the middle", turned, against, from_file, note)
    order = RowOrder(2, "try_cast({} AS DOUBLE)")
    ordered = f"SELECT * FROM {read} ORDER BY try_cast(cep AS DOUBLE) LIMIT 25 OFFSET {middle}"
    for what in ("the first page of a new order", "another page of it"):
        turned = once(lambda: datasets.page(me, mine, middle, 25, order))
        yield Result(f"pages: {what}", turned, against, _bare(bare, ordered), note)

    def read() -> Policy:
        return service.policies.read(me, mine, POLICY)

    def tried() -> None:
        found, _ = datasets.count_values(me, mine, "cep", MOST)
        if preview(read, folder / "files", "cep", found).error is not None:
            raise AssertionError("the hierarchy was not built")

    grouped = _bare(bare, f"SELECT cep, count(*) FROM {read} GROUP BY 1")
    yield Result("pages: a hierarchy tried on 100,000 values", once(tried), against, grouped, note)
    context.close()


def _bare(connection: Any, statement: str) -> Spent:
    return once(lambda: connection.execute(statement).fetchall())

"""Tables of lakes, made by the libraries of Delta Lake and Iceberg: read at a version, written in one commit."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import cobogo as cb
from cobogo.data.lakes.base import LakeTable
from cobogo.data.lakes.sources import open_lake
from cobogo.errors import DataError, OutputError, PolicyError, VerificationFailed
from support.commands import cobogo
from support.small_job import POLICY

PEOPLE: dict[str, list[Any]] = {
    "name": ["Ana", "Bia", "Caio", "Davi"],
    "age": [31, 34, 52, 58],
    "city": ["Sobral", "Sobral", "Crato", "Crato"],
    "disease": ["flu", "cold", "flu", "cold"],
}
MORE = {**PEOPLE, "age": [32, 33, 51, 57]}


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A catalogue of Iceberg tables in a SQLite file, as pyiceberg's environment describes it."""
    from pyiceberg.catalog import load_catalog
    from pyiceberg.utils.config import Config

    monkeypatch.setenv("PYICEBERG_CATALOG__HOUSE__TYPE", "sql")
    monkeypatch.setenv("PYICEBERG_CATALOG__HOUSE__URI", f"sqlite:///{tmp_path}/catalogue.db")
    monkeypatch.setenv("PYICEBERG_CATALOG__HOUSE__WAREHOUSE", f"file://{tmp_path}/warehouse")
    opened = load_catalog("house", **Config().get_catalog_config("house"))  # type: ignore[arg-type]
    opened.create_namespace("health")
    return opened


class Delta:
    """What the tests do with a lake, by its own library: here a directory."""

    form = "delta"

    def __init__(self, home: str) -> None:
        self.source, self.target, self.options = f"{home}/people", f"{home}/published", {"allow_http": "true"}

    def write(self, place: str, rows: dict[str, list[Any]]) -> int:
        from deltalake import DeltaTable, write_deltalake

        write_deltalake(place, pa.table(rows), mode="overwrite", storage_options=self.options)
        return DeltaTable(place, storage_options=self.options).version()

    def rows(self, place: str, version: int | None = None) -> list[dict[str, Any]]:
        from deltalake import DeltaTable

        opened = DeltaTable(place, version=version, storage_options=self.options)
        return list(opened.to_pyarrow_table().to_pylist())

    def versions(self, place: str) -> int:
        from deltalake import DeltaTable

        if not DeltaTable.is_deltatable(place, storage_options=self.options):
            return 0
        return len(DeltaTable(place, storage_options=self.options).history())


class Iceberg:
    """The same with tables of a catalogue."""

    form = "iceberg"
    source, target = "iceberg://house/health.people", "iceberg://house/health.published"

    def __init__(self, catalogue: Any) -> None:
        self.catalogue = catalogue

    def write(self, place: str, rows: dict[str, list[Any]]) -> int:
        name, table = place.rpartition("/")[2], pa.table(rows)
        opened = self.catalogue.create_table_if_not_exists(name, schema=table.schema)
        opened.overwrite(table) if opened.current_snapshot() else opened.append(table)
        return int(opened.current_snapshot().snapshot_id)

    def rows(self, place: str, version: int | None = None) -> list[dict[str, Any]]:
        opened = self.catalogue.load_table(place.rpartition("/")[2])
        return list(opened.scan(snapshot_id=version).to_arrow().to_pylist())

    def versions(self, place: str) -> int:
        name = place.rpartition("/")[2]
        return len(self.catalogue.load_table(name).snapshots()) if self.catalogue.table_exists(name) else 0


@pytest.fixture(params=["directory", "bucket", "catalogue"])
def lake(request: pytest.FixtureRequest, tmp_path: Path) -> Delta | Iceberg:
    if request.param == "directory":
        return Delta(str(tmp_path / "lake"))
    given = request.getfixturevalue(request.param)
    return Delta(f"{given}/lake") if request.param == "bucket" else Iceberg(given)


def write_job(home: Path, data: str, output: str = "") -> Path:
    file = home / "policy.toml"
    text = POLICY.replace('path = "a.csv"\nseparator = ";"', data)
    file.write_text(f"{text}\n[output]\n{output}\n" if output else text, encoding="utf-8")
    return file


def evidence_in(directory: Path) -> dict[str, Any]:
    return dict(json.loads((directory / "evidence" / "evidence.json").read_text()))


def test_a_version_is_read_as_it_was_and_the_evidence_says_which(lake: Delta | Iceberg, tmp_path: Path) -> None:
    first, last = lake.write(lake.source, PEOPLE), lake.write(lake.source, MORE)
    for asked, version, rows in ((f"version = {first}", first, PEOPLE), ("", last, MORE)):
        policy = write_job(tmp_path, f'path = "{lake.source}"\n{asked}')
        release = cb.anonymize(policy)
        assert sorted(release.table.expression["age"].to_pyarrow().to_pylist()) == sorted(rows["age"])
        assert release.write(tmp_path / "out")
        assert evidence_in(tmp_path / "out")["sources"] == [
            {"path": lake.source, "format": lake.form, "version": version}
        ]
        public = b"".join(file.read_bytes() for file in (tmp_path / "out" / "public").iterdir())
        assert lake.source.encode() not in public


def test_a_release_is_one_commit_that_verifies_from_the_lake(lake: Delta | Iceberg, tmp_path: Path) -> None:
    lake.write(lake.source, PEOPLE)
    output = f'format = "{lake.form}"\ntable = "{lake.target}"'
    policy = write_job(tmp_path, f'path = "{lake.source}"', output)
    seen = []
    for _ in range(2):
        cobogo("anonymize", policy, "--out", "out", cwd=tmp_path)
        manifest = json.loads((tmp_path / "out/public/manifest.json").read_text())["data"]
        seen.append(manifest["version"])
        rows = lake.rows(lake.target, seen[-1])
        assert rows == lake.rows(lake.target)
        assert sorted(row["city"] for row in rows) == ["Crato", "Crato", "Sobral", "Sobral"]
        assert "name" not in rows[0]
        assert cb.verify(tmp_path / "out")
        assert cb.verify(tmp_path / "out/public", engine=lake.target)
    assert seen[0] != seen[1]
    assert manifest["table"] == ("published" if lake.form == "delta" else "health.published")
    lake.write(lake.target, {name: list(map(str, values)) for name, values in MORE.items() if name != "name"})
    assert cb.verify(tmp_path / "out")  # the version that was released is still what it was


def test_nothing_is_committed_where_verification_fails(
    lake: Delta | Iceberg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from cobogo.release import write

    lake.write(lake.source, PEOPLE)
    release = cb.anonymize(
        write_job(tmp_path, f'path = "{lake.source}"', f'format = "{lake.form}"\ntable = "{lake.target}"')
    )

    def refuse(*_: object) -> None:
        raise VerificationFailed("planned")

    monkeypatch.setattr(write, "_refuse_unless_verified", refuse)
    with pytest.raises(VerificationFailed, match="planned"):
        release.write(tmp_path / "out")
    assert lake.versions(lake.target) == 0
    assert not (tmp_path / "out").exists()


def test_a_commit_that_is_not_what_was_verified_is_taken_back(
    lake: Delta | Iceberg, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lake.write(lake.source, PEOPLE)
    output = f'format = "{lake.form}"\ntable = "{lake.target}"'
    release = cb.anonymize(write_job(tmp_path, f'path = "{lake.source}"', output))
    assert release.write(tmp_path / "out")
    before = lake.rows(lake.target)
    copy = LakeTable.copy

    def lose_rows(self: LakeTable, version: int | None, file: Path) -> int:
        number = copy(self, version, file)
        pq.write_table(pq.read_table(file).slice(1), file)
        return number

    monkeypatch.setattr(LakeTable, "copy", lose_rows)
    with pytest.raises(VerificationFailed, match="the committed version does not contain the rows"):
        release.write(tmp_path / "again")
    assert sorted(map(str, lake.rows(lake.target))) == sorted(map(str, before))
    assert not (tmp_path / "again").exists()


def test_a_table_that_no_release_made_is_not_replaced(lake: Delta | Iceberg, tmp_path: Path) -> None:
    lake.write(lake.source, PEOPLE)
    output = f'format = "{lake.form}"\ntable = "{lake.source}"'
    said = cobogo(
        "anonymize", write_job(tmp_path, f'path = "{lake.source}"', output), "--out", "o", cwd=tmp_path, code=2
    )
    assert "is a table that Cobogó did not write" in said
    assert len(lake.rows(lake.source)) == 4


def test_what_is_not_there_is_said(lake: Delta | Iceberg, tmp_path: Path) -> None:
    lake.write(lake.source, PEOPLE)
    with pytest.raises(DataError, match="has no such version"):
        cb.anonymize(write_job(tmp_path, f'path = "{lake.source}"\nversion = 99'))
    if lake.form == "iceberg":
        with pytest.raises(DataError, match="there is no such table"):
            cb.anonymize(write_job(tmp_path, 'path = "iceberg://house/health.nobody"'))
        with pytest.raises(PolicyError, match="there is no catalogue of this name"):
            cb.anonymize(write_job(tmp_path, 'path = "iceberg://other/health.people"'))


def test_only_a_lake_has_versions(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age\n1\n")
    with pytest.raises(PolicyError, match="has no versions"):
        cb.anonymize(write_job(tmp_path, 'path = "a.csv"\nversion = 1'))


def test_rows_that_a_commit_removed_are_not_read(tmp_path: Path) -> None:
    delta = Delta(str(tmp_path))
    delta.write(delta.source, PEOPLE)
    delta.write(delta.source, {name: values[:2] for name, values in PEOPLE.items()})
    policy = write_job(tmp_path, 'path = "people"')
    assert cb.anonymize(policy).table.rows() == 2


def test_a_place_with_other_files_does_not_become_a_table(tmp_path: Path) -> None:
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "notes.txt").write_text("mine")
    Delta(str(tmp_path)).write(str(tmp_path / "people"), PEOPLE)
    with pytest.raises(OutputError, match="did not write"):
        cb.anonymize(write_job(tmp_path, 'path = "people"', 'format = "delta"\ntable = "published"'))


def test_a_commit_that_comes_in_between_is_not_overwritten(lake: Delta | Iceberg, tmp_path: Path) -> None:
    lake.write(lake.source, PEOPLE)
    output = f'format = "{lake.form}"\ntable = "{lake.target}"'
    release = cb.anonymize(write_job(tmp_path, f'path = "{lake.source}"', output))
    assert release.write(tmp_path / "out")
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({name: list(map(str, PEOPLE[name])) for name in ("age", "city", "disease")}), file)
    table = open_lake(lake.target, lake.form)
    assert table is not None
    with pytest.raises(OutputError, match="another program changed the table meanwhile"), table.new_version([file]):
        other = {name: ["other"] for name in ("age", "city", "disease")}
        lake.write(lake.target, other)
    assert lake.rows(lake.target) == [dict.fromkeys(("age", "city", "disease"), "other")]


def test_a_missing_library_names_its_extra(tmp_path: Path) -> None:
    Delta(str(tmp_path)).write(str(tmp_path / "people"), PEOPLE)
    code = (
        "import sys; sys.modules['deltalake'] = None\nfrom cobogo.faces.cli.main import run; run(['inspect', 'people'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'cobogo[lake]'" in done.stderr

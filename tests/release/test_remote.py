"""Releases from and to object storage, against a server that speaks the API of S3."""

import json
import re
from pathlib import Path

import pytest

import cobogo as cb
from cobogo.errors import DataError, OutputError
from cobogo.floor.storage import ObjectStorage
from support.commands import called, cobogo
from support.small_job import DATA, POLICY

SECRETS = ("planted-secret-key", "planted-key-id")


def write_job(home: Path, path: str, output: str = "") -> Path:
    file = home / "policy.toml"
    file.write_text(POLICY.replace('"a.csv"', f'"{path}"') + output, encoding="utf-8")
    return file


def evidence_in(directory: Path) -> dict[str, object]:
    return dict(json.loads((directory / "evidence" / "evidence.json").read_text()))


def assert_no_secret(home: Path, *said: str) -> None:
    for file in home.rglob("*"):
        if file.is_file():
            assert not any(secret.encode() in file.read_bytes() for secret in SECRETS), file
    assert not any(secret in text for text in said for secret in SECRETS)


@pytest.fixture
def people(bucket: str) -> str:
    ObjectStorage(bucket).write("people/a.csv", DATA.encode())
    return f"{bucket}/people"


@pytest.mark.parametrize("path", ["a.csv", "*.csv", "**/*.csv", ""])
def test_files_in_object_storage_give_the_release_that_they_give_here(people: str, path: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(DATA)
    cobogo("anonymize", write_job(tmp_path, "a.csv"), "--out", "here", cwd=tmp_path)
    cobogo("anonymize", write_job(tmp_path, f"{people}/{path}".rstrip("/")), "--out", "there", cwd=tmp_path)
    rows = [sorted((tmp_path / name / "public/release.csv").read_text().splitlines()) for name in ("here", "there")]
    assert rows[0] == rows[1]
    (source,) = evidence_in(tmp_path / "there")["sources"]  # type: ignore[misc]
    assert source["files"][0]["url"] == f"{people}/a.csv"
    assert source["files"][0]["bytes"] == len(DATA)
    assert "sources" not in evidence_in(tmp_path / "here")


def test_the_public_part_is_uploaded_and_verified_there_and_the_evidence_stays(people: str, tmp_path: Path) -> None:
    place = people.replace("people", "release")
    said = called("anonymize", write_job(tmp_path, f"{people}/a.csv"), "--out", place, cwd=tmp_path)
    names = ObjectStorage(place).names()
    assert f"{place} (give away)" in said.stdout
    assert "current.json" in names
    assert {name.partition("/")[2] for name in names} == {
        "", "public/manifest.json", "public/release.csv", "public/dictionary.md"
    }  # fmt: skip
    assert (tmp_path / "release" / "evidence" / "report.html").is_file()
    checked = cobogo("verify", place, cwd=tmp_path)
    assert "The release holds." in checked
    assert_no_secret(tmp_path, *said, checked)


def test_a_second_run_replaces_the_release_and_keeps_the_one_before_for_its_readers(
    people: str, tmp_path: Path
) -> None:
    place = people.replace("people", "release")
    policy, versions = write_job(tmp_path, f"{people}/a.csv"), []
    for _ in range(3):
        cobogo("anonymize", policy, "--out", place, "--evidence", "kept", cwd=tmp_path)
        versions.append(json.loads(ObjectStorage(place).read("current.json"))["version"])
    left = {name.partition("/")[0] for name in ObjectStorage(place).names()}
    assert left == {"current.json", *versions[1:]}
    assert cb.verify(place)
    assert cb.verify(f"{place}/{versions[1]}")
    assert cb.verify(tmp_path / "kept")


def test_a_changed_object_is_found(people: str, tmp_path: Path) -> None:
    place = people.replace("people", "release")
    cobogo("anonymize", write_job(tmp_path, f"{people}/a.csv"), "--out", place, cwd=tmp_path)
    storage = ObjectStorage(place)
    (rows,) = [name for name in storage.names() if name.endswith("release.csv")]
    storage.write(rows, storage.read(rows).replace(b"flu", b"cold"))
    assert "release.csv is not the file that was released" in cobogo("verify", place, cwd=tmp_path, code=1)
    storage.write(rows.replace("release.csv", "_extra"), b"x")
    assert "_extra is not part of the release" in cobogo("verify", place, cwd=tmp_path, code=1)


def test_an_upload_that_fails_leaves_the_release_before_current(
    people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = people.replace("people", "release")
    policy = write_job(tmp_path, f"{people}/a.csv")
    cobogo("anonymize", policy, "--out", place, cwd=tmp_path)
    before = ObjectStorage(place).names()
    write = ObjectStorage.write

    def fail(self: ObjectStorage, name: str, content: bytes | Path) -> None:
        write(self, name, b"" if name.endswith("release.csv") else content)

    monkeypatch.setattr(ObjectStorage, "write", fail)
    said = cobogo("anonymize", policy, "--out", place, cwd=tmp_path, code=2)
    assert "did not keep what was written" in said
    assert "The release is whole in release" in said
    assert ObjectStorage(place).names() == before
    assert cb.verify(place)


def test_what_no_release_put_there_is_not_touched(people: str, tmp_path: Path) -> None:
    said = cobogo("anonymize", write_job(tmp_path, f"{people}/a.csv"), "--out", people, cwd=tmp_path, code=2)
    assert "has files that Cobogó did not write" in said
    assert ObjectStorage(people).names() == ["a.csv"]
    assert not (tmp_path / "people").exists()


def test_the_library_reads_and_writes_there_too(people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    place = people.replace("people", "release")
    release = cb.anonymize(f"{people}/a.csv", write_job(tmp_path, "unused.csv"))
    assert release.write(place, evidence=tmp_path / "kept")
    assert cb.verify(place)
    with pytest.raises(OutputError, match="has its evidence beside it"):
        release.write(tmp_path / "here", evidence=tmp_path / "there")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("s3://no-such-bucket-anywhere/a.csv", "there is no such bucket"),
        ("{bucket}/people/b.csv", "no such file"),
        ("{bucket}/people/*.parquet", "no file matches"),
        ("http://example.org/a.csv", "is not encrypted"),
    ],
)
def test_what_is_not_there_is_named_with_a_remedy(people: str, path: str, said: str, tmp_path: Path) -> None:
    path = path.replace("{bucket}", people.removesuffix("/people"))
    complaint = cobogo("anonymize", write_job(tmp_path, path), "--out", "out", cwd=tmp_path, code=2)
    assert said in complaint
    assert f"{path}: " in complaint or "policy.toml, data.path" in complaint
    assert not (tmp_path / "out").exists()


def test_an_endpoint_that_does_not_answer_is_said(people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    said = cobogo("anonymize", write_job(tmp_path, f"{people}/a.csv"), "--out", "out", cwd=tmp_path, code=2)
    assert "cannot be reached" in said
    assert_no_secret(tmp_path, said)


@pytest.mark.parametrize(
    "url",
    [
        "s3://planted-key-id:planted-secret-key@bucket/a.csv",
        "https://ana:planted-secret-key@example.org/a.csv",
        "https://example.org/a.csv?X-Amz-Signature=planted-secret-key",
        "https://example.org/a.csv?sig=planted-secret-key",
        "abfs://ana:planted-secret-key@account.dfs.core.windows.net/a.csv",
        "s3://bucket/a.csv?X-Amz-Signature=planted-secret-key",
    ],
)
def test_an_address_with_credentials_is_refused_and_never_repeated(url: str, tmp_path: Path) -> None:
    job = write_job(tmp_path, url)
    out = write_job(tmp_path, "a.csv").rename(tmp_path / "other.toml")
    (tmp_path / "a.csv").write_text(DATA)
    job = write_job(tmp_path, url)
    said = [
        cobogo("anonymize", job, "--out", "out", cwd=tmp_path, code=2),
        cobogo("anonymize", out, "--out", url, cwd=tmp_path, code=2),
        cobogo("verify", url, cwd=tmp_path, code=2),
        cobogo("inspect", url, cwd=tmp_path, code=2),
    ]
    job.unlink()
    assert_no_secret(tmp_path, *said)
    assert all("credentials in the environment" in re.sub(r"\s+", " ", text) for text in said), said


def test_a_wrong_row_is_said_of_the_address_and_not_of_the_copy(people: str, tmp_path: Path) -> None:
    ObjectStorage(people).write("bad.csv", DATA.encode() + b"Eva;1\n")
    with pytest.raises(DataError) as error:
        cb.anonymize(write_job(tmp_path, f"{people}/bad.csv"))
    assert error.value.where == f"{people}/bad.csv, line 6"


def test_a_file_elsewhere_is_inspected_and_its_policy_names_the_address(people: str, tmp_path: Path) -> None:
    cobogo("inspect", f"{people}/a.csv", "--write", "starter.toml", cwd=tmp_path)
    written = (tmp_path / "starter.toml").read_text()
    assert f'path = "{people}/a.csv"' in written
    assert 'separator = ";"' in written


def test_a_hierarchy_is_read_from_there_too(people: str, tmp_path: Path) -> None:
    ObjectStorage(people).write("h/city.csv", b"Sobral;Ceara\nCrato;Ceara\n")
    policy = write_job(tmp_path, f"{people}/a.csv")
    text = policy.read_text().replace(
        'city = { role = "quasi-identifier" }',
        f'city = {{ role = "quasi-identifier", hierarchy = {{ csv = "{people}/h/city.csv" }} }}',
    )
    policy.write_text(text)
    assert cb.anonymize(policy).write(tmp_path / "out")


def test_nothing_is_left_of_the_copies(people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    cb.anonymize(write_job(tmp_path, f"{people}/a.csv")).write(tmp_path / "out")
    assert [entry.name for entry in (tmp_path / "tmp").rglob("*") if "copy" in entry.name] == []

"""What comes from outside and means harm, or is only broken."""

from __future__ import annotations

import contextlib
import io
import socket

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cobogo.errors import InputError, PolicyError
from cobogo.faces.server.files import safe_name
from cobogo.faces.server.sandbox import confine_policy
from cobogo.faces.server.settings import ServerSettings
from cobogo.publish.anonymize import anonymize
from support.commands import cobogo
from support.http_server import CSV

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "content",
    [b"", b"PAR1", b"PAR1" + b"\0" * 64 + b"PAR1", b"a,b\n", b"\x89PNG\r\n\x1a\n\0\0\0", b"a,a\n1,2\n", b'a,b\n"1,2\n'],
    ids=["empty", "magic", "forged", "header", "picture", "twice", "quote"],
)
def test_what_is_no_table_is_refused_and_leaves_nothing(served, content) -> None:
    before = served.datasets
    answer = served.upload(content=content, name="table.csv")
    assert answer.status_code == 400, answer.text
    assert answer.json()["detail"]
    assert str(served.context.files.root) not in answer.text
    assert served("steward", "GET", "/datasets").json() == []
    assert served.datasets == before


def test_an_upload_beyond_the_limit_is_cut(served) -> None:
    limits = served.context.files.limits.model_copy(update={"upload_megabytes": 1})
    served.context.files.limits, before = limits, served.datasets
    answer = served.upload(content="a,b\n" + "1,2\n" * 400_000)
    assert answer.status_code == 413
    assert served.datasets == before


BOMBS = {
    "numbers": pa.table({"a": pa.array([0], pa.int64()).take(pa.array([0] * 3_000_000))}),
    "texts": pa.table({"a": pa.array(["x" * 5000] * 5000)}),
    "lists": pa.table({"a": pa.array([["x" * 500] * 50] * 1000)}),
    "tables": pa.table({"a": pa.array([{"b.c": {"d": "x" * 5000}}] * 5000)}),
    "maps": pa.table({"a": pa.array([[("k", "x" * 5000)]] * 5000, pa.map_(pa.string(), pa.string()))}),
}
"""Tables of some 24 MB whose files are small: equal values are written once."""


@pytest.mark.parametrize("kind", BOMBS)
def test_a_small_file_that_unpacks_to_a_large_one_is_refused_before_it_is_read(served, kind) -> None:
    sink = io.BytesIO()
    pq.write_table(BOMBS[kind], sink)
    limits = served.context.settings.limits.model_copy(update={"unpacked_megabytes": 20})
    served.context.settings = served.context.settings.model_copy(update={"limits": limits})
    assert len(sink.getvalue()) < 50_000
    answer = served.upload(content=sink.getvalue(), name="bomb.parquet")
    assert answer.status_code == 413, answer.text
    assert "when unpacked" in answer.json()["detail"]


@pytest.mark.parametrize(
    "name", ["../x.csv", "/etc/passwd", "a/b.csv", ".hidden", "..", "a\0b", "", "x" * 101, "a\\b", "con\n"], ids=repr
)
def test_no_name_becomes_a_path(name) -> None:
    with pytest.raises(InputError):
        safe_name(name)


@pytest.mark.parametrize(
    "text",
    [
        '[data]\npath = "/etc/passwd"',
        '[data]\nengine = "postgresql://h/d"',
        '[output]\ndirectory = "/tmp/x"',
        '[registry]\ndataset = "a"',
        '[synthesis]\nmethod = "mst"\nepsilon = 1.0\ndelta = 1e-9\ncurator = "mine.toml"\ndataset = "a"\nanalyst = "b"',
        '[registry]\npath = "x.db"\ndataset = "a"',
    ],
    ids=["path", "engine", "output", "registry", "curator", "registry path"],
)
def test_a_policy_says_nothing_about_the_machine(tmp_path, text) -> None:
    whole = text + '\n[attributes]\na = { role = "quasi-identifier" }\n'
    with pytest.raises(PolicyError):
        confine_policy(whole, tmp_path, owner="ana")


@pytest.mark.parametrize(
    "path",
    [
        "../secret.csv", "/etc/passwd", "~/x.csv", "sub/x.csv", "~daemon", "~nobody.csv", "~",
        "s3://bucket/x.csv", "https://127.0.0.1/x.csv", "iceberg://house/health.people", "s3:/bucket/x.csv",
    ],
)  # fmt: skip
def test_a_hierarchy_is_a_file_of_the_data_set(served, tmp_path, path) -> None:
    (tmp_path / "secret.csv").write_text("25;*\n35;*\n45;*\n55;*\n")
    text = served.policy.replace("intervals = [10, 20]", f'csv = "{path}"')
    (tmp_path / "files").mkdir()
    (tmp_path / "t.csv").write_text(CSV)
    with pytest.raises(PolicyError, match="plain file name"):
        anonymize(tmp_path / "t.csv", confine_policy(text, tmp_path / "files", owner="ana"))


def test_a_name_with_a_nul_is_no_path(served, tmp_path) -> None:
    text = served.policy.replace("intervals = [10, 20]", r'csv = "a\u0000.csv"')
    (tmp_path / "t.csv").write_text(CSV)
    with pytest.raises(PolicyError, match="not a path"):
        anonymize(tmp_path / "t.csv", confine_policy(text, tmp_path, owner="ana"))


DEEP = {
    "lists": "a = " + "[" * 5000 + "]" * 5000,
    "keys": ".".join("a" * 100_000) + " = 1",
    "quoted": "x = {" + ".".join(['"a"'] * 100_000) + " = 1}",
    "masking": "[masking]\nx" + "".join(f" = {{{'a.' * 90}a" for _ in range(4)) + " = 1" + "}" * 4,
    "digits": "a = " + "1" * 5000,
}


def test_a_text_that_is_nested_beyond_reason_is_refused_in_words(served, tmp_path) -> None:
    dataset = served.upload().json()["id"]
    for name, text in DEEP.items():
        for path, body in (
            ("/jobs", {"kind": "anonymize", "dataset": dataset, "toml": text}),
            ("/policies", {"dataset": dataset, "name": "p", "toml": text}),
            ("/collections", {"toml": text}),
        ):
            answer = served("steward", "POST", path, json=body)
            assert answer.status_code == 400, (name, path)
            assert answer.json()["detail"]
        (tmp_path / "p.toml").write_text(text)
        (tmp_path / "t.csv").write_text(CSV)
        said = cobogo("anonymize", "p.toml", "--out", "out", cwd=tmp_path, code=2)
        assert "p.toml" in said


def test_a_hierarchy_that_was_attached_is_used(served) -> None:
    dataset = served.upload().json()["id"]
    rows = "".join(f"{age},{'young' if age < 40 else 'old'},*\n" for age in (25, 35, 45, 55))
    attached = served("steward", "POST", f"/datasets/{dataset}/files", files={"file": ("age levels.csv", rows)})
    assert attached.json()["files"] == ["age levels.csv"]
    policy = served.policy.replace("intervals = [10, 20]", 'csv = "age levels.csv"')
    job = served("steward", "POST", "/jobs", json={"kind": "anonymize", "dataset": dataset, "toml": policy}).json()
    assert served.finished(job["id"])["state"] == "done"


def test_a_public_address_needs_keys_and_encryption() -> None:
    ServerSettings().check_exposure(keys=False)
    open_to_all = ServerSettings(host="0.0.0.0")
    with pytest.raises(InputError, match="no key yet"):
        open_to_all.check_exposure(keys=False)
    with pytest.raises(InputError, match="unencrypted"):
        open_to_all.check_exposure(keys=True)
    ServerSettings(host="0.0.0.0", behind_proxy=True).check_exposure(keys=True)


def test_answers_are_hardened(served) -> None:
    headers = served("steward", "GET", "/datasets").headers
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"


def test_a_job_that_reaches_for_another_file_fails_and_names_no_place_of_the_machine(served) -> None:
    dataset = served.upload().json()["id"]
    text = served.policy.replace("intervals = [10, 20]", 'csv = "../data.csv"')
    asked = {"kind": "anonymize", "dataset": dataset, "toml": text}
    ended = served.finished(served("steward", "POST", "/jobs", json=asked).json()["id"])
    assert ended["state"] == "failed"
    assert "plain file name" in ended["message"]
    assert str(served.context.files.root) not in ended["message"]


FORM = "multipart/form-data; boundary=b"


def _sent(served, pieces, *, key: str, length: int | None = None, kind: str = FORM, cut: bool = False) -> str:
    """What is answered to a body in pieces, without its length unless it is given; nothing where the line is cut."""
    host, port = served.client.base_url.host, served.client.base_url.port
    path = "datasets" if kind == FORM else "policies"
    head = f"POST /api/v1/{path} HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer {key}\r\nContent-Type: {kind}\r\n"
    head += "Transfer-Encoding: chunked\r\n\r\n" if length is None else f"Content-Length: {length}\r\n\r\n"
    with socket.create_connection((host, port), timeout=60) as line:
        line.sendall(head.encode())
        try:
            for piece in pieces:
                line.sendall(piece if length is not None else b"%x\r\n%s\r\n" % (len(piece), piece))
        except OSError:
            pass  # the server has hung up, as it may
        if cut:
            return ""
        with contextlib.suppress(OSError):
            return line.recv(4096).split(b"\r\n")[0].decode()
    return ""


PART = b'--b\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\na,b\n1,2\n'


def test_an_upload_that_is_cut_half_way_leaves_nothing(served) -> None:
    before = served.datasets
    for length in (len(PART) + 1000, None):
        _sent(served, [PART], key=served.keys["steward"], length=length, cut=True)
    assert served("steward", "GET", "/datasets").json() == []
    assert served.datasets == before


def test_nobody_fills_the_memory_or_without_a_key_the_disk(served) -> None:
    block = b"x" * (1 << 20)
    stranger, steward = "cobogo_0123456789abcdef_" + "A" * 43, served.keys["steward"]
    assert " 413 " in _sent(served, [], key=stranger, length=18 << 20)
    assert " 413 " in _sent(served, [], key=steward, length=18 << 20, kind="application/json")
    for answer in (
        _sent(served, [PART, *[block] * 19], key=stranger),
        _sent(served, [block] * 19, key=steward, kind="application/json"),
    ):
        assert answer == "" or " 413 " in answer  # it may hang up before its answer is read
    most = served.context.settings.limits.upload_megabytes + 2
    assert " 413 " in _sent(served, [], key=steward, length=most << 20)


@pytest.mark.parametrize("name", ["../../x.csv", "/etc/passwd", "..", ".x", "a\\..\\b.csv"], ids=repr)
def test_an_attached_file_stays_where_it_belongs(served, name) -> None:
    dataset = served.upload().json()["id"]
    before = sorted(served.context.files.root.rglob("*"))
    named = served("steward", "POST", f"/datasets/{dataset}/files", files={"file": ("a.csv", "1")}, data={"name": name})
    assert named.status_code == 400, named.text
    sent = served("steward", "POST", f"/datasets/{dataset}/files", files={"file": (name, "1")})
    assert sent.status_code in (201, 400)  # some clients and parsers keep the last part of a path only
    after = sorted(served.context.files.root.rglob("*"))
    new = {place.parent for place in set(after) - set(before) if not place.name.startswith("state.db")}
    assert new <= {served.context.files.dataset(dataset) / "files"}
    for identity in ("..", "%2e%2e", "..%2f..", "0123456789abcdeg", "0123456789ABCDEF"):
        assert served("steward", "GET", f"/datasets/{identity}/rows").status_code in (404, 422)


def test_messages_name_things_as_their_readers_know_them() -> None:
    settings = ServerSettings(state="s", vault="books/vault.db", registry="postgresql://ana:secret@db.example/books")
    told = "books/vault.db and postgresql://db.example/books say so"
    assert settings.hide_places(told) == "<vault> and <registry> say so"

"""Files that are elsewhere: over https, from a service that refuses, under names that lead out of the directory."""

import contextlib
import datetime
import ssl
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cobogo.errors import DataError, InputError
from cobogo.floor import services
from cobogo.floor.storage import ObjectStorage, copy_files
from cobogo.floor.urls import remote_url

DENIED = b"""<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>key planted-key-id</Message></Error>"""


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind = self.path.rpartition("/")[2]
        if kind == "moved.csv":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/secret.csv")
            self.end_headers()
            return
        body = b"age\n1\n" if kind.endswith(".csv") else DENIED
        self.send_response(200 if kind.endswith(".csv") else 404 if kind == "missing" else 403)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body) + (kind == "cut.csv")))
        self.end_headers()
        self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        if context is not None:
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of this machine, signed by its own key, with the key behind it."""
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    signed = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(1).not_valid_before(now).not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(here, critical=False).sign(key, hashes.SHA256())
    )  # fmt: skip
    file = tmp_path_factory.mktemp("tls") / "own.pem"
    form = serialization.Encoding.PEM
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    file.write_bytes(signed.public_bytes(form) + key.private_bytes(form, *plain))
    return file


@pytest.fixture(scope="module")
def https(certificate: Path) -> Iterator[str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with serving(context) as port:
        yield f"https://127.0.0.1:{port}"


def test_a_file_is_copied_over_https_with_its_hash(
    https: str, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    path, copies = copy_files(f"{https}/x/people.csv", tmp_path)
    assert path.read_bytes() == b"age\n1\n"
    assert [(copy.url, copy.bytes) for copy in copies] == [(f"{https}/x/people.csv", 6)]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing", "no such file"),
        ("refused", "access is denied"),
        ("cut.csv", "ended before"),
        ("moved.csv", "not encrypted"),
    ],
)
def test_what_an_address_does_not_give_is_said(
    https: str, certificate: Path, name: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with pytest.raises(DataError, match=said) as error:
        copy_files(f"{https}/{name}", tmp_path)
    assert error.value.where == f"{https}/{name}"


def test_more_than_the_limit_is_not_taken(
    https: str, certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    monkeypatch.setattr(services, "LARGEST", 5)
    with pytest.raises(DataError, match="is larger than 5 bytes"):
        copy_files(f"{https}/people.csv", tmp_path)


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(https: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="certificate is not trusted"):
        copy_files(f"{https}/people.csv", tmp_path)


def test_a_service_that_denies_access_is_not_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "planted-key-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret-key")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with serving() as port:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{port}")
        with pytest.raises(DataError, match="access is denied") as error:
            copy_files("s3://bucket/a", tmp_path)
    assert "planted" not in str(error.value)
    assert "AWS_PROFILE" in str(error.value)


@pytest.mark.parametrize("name", ["people/../../out.csv", "people//a.csv", "people/./a.csv"])
def test_a_name_does_not_lead_out_of_the_directory_of_the_copy(bucket: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(DataError, match="whose name is no path"):
        ObjectStorage(bucket).copy(name, tmp_path / "in")
    assert [entry.name for entry in tmp_path.iterdir()] == ["in"]


def test_directories_of_partitions_keep_their_names_and_leftovers_are_not_data(bucket: str, tmp_path: Path) -> None:
    storage = ObjectStorage(bucket)
    for name in ("t/year=2020/a.csv", "t/year=2021/b.csv", "t/_SUCCESS", "t/.hidden", "other/c.csv"):
        storage.write(name, b"x")
    for number, pattern in enumerate(("t", "t/year=202?", "t/*/*.csv", "**/[ab].csv")):
        into = tmp_path / str(number)
        into.mkdir()
        path, _ = copy_files(f"{bucket}/{pattern}", into)
        found = sorted(file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
        assert [name.removeprefix("t/") for name in found] == ["year=2020/a.csv", "year=2021/b.csv"]


@pytest.mark.parametrize(
    "place", ["s3://bucket/year=20?4/a.csv", "abfs://container@account.dfs.core.windows.net/a.csv", "gs://b/a.csv"]
)
def test_patterns_and_containers_are_no_credentials(place: str) -> None:
    assert remote_url(place) == remote_url(Path(place)) == place


@pytest.mark.parametrize("place", ["https://example.org/a?b", "https://example.org/a#b", "s3://k:s@b/a", "gs://u@b/a"])
def test_what_may_be_credentials_is_refused(place: str) -> None:
    with pytest.raises(InputError, match="has a user, a password or a query"):
        remote_url(place)

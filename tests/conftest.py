"""Engines for the tests: every one of them real, started when a test first asks for it."""

import os
import random
import re
import secrets
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support import servers
from support.effort import THOROUGH, examples
from support.paths import ROOT

pytest_plugins = ["support.http_server"]
collect_ignore = ["support/plugin"]  # its examples are run by the test that installs it

os.environ["LC_ALL"] = "C.UTF-8"  # whatever the language of the one who runs the tests

settings.register_profile(
    "suite",
    max_examples=examples(100),
    derandomize=not THOROUGH,  # the same examples on every machine, so that what passes on one passes on another
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("suite")

ENGINES = ["duckdb", "mariadb", "postgresql", "spark", "sqlite"]


NOT_QUICK = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.slow|^from support\.browsers import", re.MULTILINE)
"""Files with such a line are left out of the inner loop before they are imported: importing is half of it."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="leave out slow tests, browsers, engines and doctests")
    parser.addoption(
        "--evidence", action="store_true", help="run the heavier evidence of `make bench`, and nothing else"
    )
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in a random order")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The inner loop does not open what it will not run."""
    if not config.getoption("--quick") or collection_path.suffix != ".py":
        return None
    if not collection_path.is_relative_to(ROOT / "tests"):
        return True
    return True if NOT_QUICK.search(collection_path.read_text(encoding="utf-8")) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Some servers take long to start: the tests of each run in one process, after one another."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        if "spark" in fixtures or "[spark" in item.name:
            item.add_marker(pytest.mark.xdist_group("spark"))
        if "http_server" in fixtures:
            item.add_marker(pytest.mark.xdist_group("http_server"))
        servers = ("mariadb", "postgresql", "spark")
        if set(servers) & set(fixtures) or any(f"[{name}" in item.name for name in servers):
            item.add_marker(pytest.mark.engine)
        if "browser" in fixtures:
            item.add_marker(pytest.mark.browser)
    heavy = [item for item in items if item.get_closest_marker("evidence")]
    left_out = [item for item in items if item not in heavy] if config.getoption("--evidence") else heavy
    config.hook.pytest_deselected(items=left_out)
    items[:] = heavy if config.getoption("--evidence") else [item for item in items if item not in left_out]
    if config.getoption("--quick"):
        slow = {item for item in items if any(item.get_closest_marker(name) for name in ("slow", "browser", "engine"))}
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]
    if config.getoption("--shuffle") is not None:
        random.Random(config.getoption("--shuffle")).shuffle(items)


@pytest.fixture(autouse=True, scope="module")
def blank_pictures(request: pytest.FixtureRequest) -> Iterator[None]:
    """Drawing is half of the time that writing a release takes: reports have blank pictures, but in tests of them."""
    if "report" in request.path.parts:
        yield
        return
    from PIL import Image

    from cobogo.tell.report import write

    def draw(plot: object, content: object, path: Path, *, say: object) -> None:
        Image.new("1", (8, 8)).save(path, format="png")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(write, "draw", draw)
        yield


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """The URL of a PostgreSQL server."""
    with servers.postgresql() as url:
        yield url


@pytest.fixture(scope="session")
def mariadb() -> Iterator[str]:
    """The URL of a MariaDB server."""
    missing = servers.missing_of_mariadb()
    if missing:
        pytest.skip(missing)
    with servers.mariadb() as url:
        yield url


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a Spark master: this machine."""
    os.environ["JAVA_HOME"] = str(servers.java_home(tmp_path_factory.mktemp("java") / "home"))
    warehouse = tmp_path_factory.mktemp("warehouse")
    small = (
        f"--conf spark.sql.warehouse.dir={warehouse} "
        "--conf spark.sql.shuffle.partitions=2 --conf spark.driver.maxResultSize=1m "  # tables, and what may come back
        "--driver-java-options '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC'"  # compile soon, not well
    )
    os.environ["PYSPARK_SUBMIT_ARGS"] = f"{small} pyspark-shell"
    os.environ["PYSPARK_PYTHON"] = sys.executable  # whoever makes the session, its workers find what is installed here
    yield "local[2]"
    from pyspark.sql import SparkSession

    session = SparkSession.getActiveSession()
    if session is not None:
        session.stop()


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The URL of an empty SQLite file."""
    (tmp_path / "house.db").touch()
    return f"sqlite:///{tmp_path / 'house.db'}"


@pytest.fixture(scope="session")
def object_storage() -> Iterator[str]:
    """The endpoint of a server that speaks the API of S3."""
    with servers.object_storage() as endpoint:
        yield endpoint


@pytest.fixture
def bucket(object_storage: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The URL of an empty bucket, with credentials for it in the environment."""
    from pyarrow.fs import S3FileSystem

    monkeypatch.setenv("AWS_ENDPOINT_URL", object_storage)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "planted-key-id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret-key")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    name = f"bucket-{secrets.token_hex(6)}"
    S3FileSystem(endpoint_override=object_storage, allow_bucket_creation=True).create_dir(name)
    return f"s3://{name}"


@pytest.fixture(params=ENGINES)
def engine_url(request: pytest.FixtureRequest) -> str:
    """The URL of each engine in turn."""
    return url_of(request)


@pytest.fixture(params=[name for name in ENGINES if name != "mariadb"])
def answering_url(request: pytest.FixtureRequest) -> str:
    """The URL of each engine that answers questions."""
    return url_of(request)


def url_of(request: pytest.FixtureRequest) -> str:
    """The URL of the engine that a test asks for."""
    return "duckdb://" if request.param == "duckdb" else str(request.getfixturevalue(request.param))


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path

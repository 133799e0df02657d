"""Spark: a cluster, or all cores of this machine. Records never come to the driver; only what is counted does."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import warnings
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.engines import spark_tasks as tasks
from cobogo.data.engines.engine import (
    RELEASED,
    Engine,
    Expression,
    foreign_table,
    header,
    no_such_table,
    too_many_counts,
)
from cobogo.data.engines.server import builtin
from cobogo.data.files.formats import FORMATS
from cobogo.data.files.listing import parquet_error
from cobogo.data.policy import Data
from cobogo.data.table.columns import unused_names
from cobogo.errors import DataError, OutputError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr

SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.eventLog.enabled": "false",
    "spark.log.level": "OFF",
}
"""What text depends on, and silence."""

RUNNING = "spark"
"""The URL of the session that the process has, or that `spark-submit` prepared for it."""

ATOMIC = "org.apache.spark.sql.connector.catalog.StagingTableCatalog"
"""What a catalogue is that replaces a table in one step."""


class Spark(Engine):
    """A session of our own with a master. Where the process has a session already, ours is a copy of it: it begins
    with the other's settings, views and current schema, and leaves them as they were."""

    name = "Spark"
    copies_files: ClassVar[bool] = False
    keeps_records: ClassVar[bool] = True
    most_counts = 5_000_000  # they pass through the driver's Java, whose memory is small unless asked otherwise
    failures: ClassVar[tuple[type[Exception], ...]] = ()

    def __init__(self, master: str) -> None:
        # PySpark warns of pandas 3, which it works with as far as we use it.
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        import ibis
        from py4j.protocol import Py4JError
        from pyspark.errors import PySparkException

        self.failures = (PySparkException, Py4JError)  # type: ignore[misc]
        try:
            self._original = _session(master)
            self.session = _copy(self._original)
        except PolicyError:
            raise
        except Exception as error:
            raise PolicyError(
                tr("Spark does not start: {kind}", kind=type(error).__name__),
                where="--engine",
                remedy=tr("Check that Java 17 or later is installed (JAVA_HOME) and that the master answers."),
                code="COBOGO-ENGINE",
            ) from None
        super().__init__(ibis.pyspark.connect(self.session))
        self.session.udf.register("cobogo_float", tasks.float_function("double"))
        self.session.udf.register("cobogo_float32", tasks.float_function("float"))
        self._tables = 0

    def load_csv(
        self,
        files: Sequence[str],
        names: Sequence[str],
        data: Data,
        path: str,
        *,
        once: bool = False,  # noqa: ARG002
    ) -> Expression:
        """A task a file, each with the parser of every engine: a quoted line end makes files indivisible anyway."""
        listed = self._send([(str(Path(file).absolute()),) for file in files], "file string")
        parsed = listed.repartition(len(files)).mapInArrow(
            tasks.parse_files(list(names), data), tasks.text_schema(names)
        )
        return self._keep(parsed, path)

    def load_parquet(
        self,
        files: Sequence[str],
        path: str,
        partitions: Sequence[str],
        *,
        once: bool = False,  # noqa: ARG002
    ) -> Expression:
        """Read where it is."""
        reader = self.session.read
        if partitions:
            reader = reader.option("basePath", _uri(Path(files[0]).absolute().parents[len(partitions)]))
        return self._parquet(reader, [_uri(file) for file in files], path)

    def load_url(self, url: str, data: Data) -> Expression:
        """Read where it is, by the file system that Hadoop has for it. CSV files go whole to a worker each."""
        contents = self.session.read.format("binaryFile").option("recursiveFileLookup", "true")
        try:
            found = contents.load(url).select("path", "content")
            names = [row.path for row in found.select("path").collect()]
        except self.failures:
            raise _no_files(url) from None
        if not names:
            raise _no_files(url)
        if _are_parquet(names, url):
            return self._parquet(self.session.read, [url], url)
        if data.encoding == "auto":  # nothing is detected on a cluster: one worker would decide for all
            data = data.settle((), encoding="utf-8")
        first = contents.load(min(names)).select("path", "content")
        try:
            columns = [row.name for row in first.mapInArrow(tasks.parse_headers(data), "name string").collect()]
        except self.failures as error:
            raise tasks.find_error(error) or _unread(url) from None
        return self._keep(found.mapInArrow(tasks.parse_contents(columns, data), tasks.text_schema(columns)), url)

    def _parquet(self, reader: Any, places: Sequence[str], path: str) -> Expression:
        try:
            return self._register(_plain(reader.parquet(*places), path))
        except self.failures:
            raise parquet_error(path) from None

    def load_arrow(self, table: Any) -> Expression:
        """Sent to the cluster."""
        return self._register(_plain(self._send(table), tr("the table given")))

    def open_table(self, name: str) -> Expression:
        """A table or view that the session can name, with its schema and catalogue or without."""
        if not self._exists(name):
            raise no_such_table(name)
        return self._register(_plain(self.session.table(_place(name)), name))

    def tables(self) -> list[str]:
        """The tables and views of the current schema."""
        return sorted(table.name for table in self.session.catalog.listTables())

    def lookup(self, table: Any) -> Expression:
        """Sent to the cluster."""
        return self.load_arrow(table)

    def materialize(self, table: Expression) -> Expression:
        """Kept on the cluster."""
        return self._keep(self._frame(table), tr("the table"))

    def map_batches(self, table: Expression, change: Callable[[Any], Any]) -> Expression:
        """A pass over the parts of the table, each by a worker; what it draws is kept on the cluster."""
        import pyarrow as pa
        from pyspark.sql.pandas.types import from_arrow_schema

        frame = self._frame(table)
        nothing = pa.RecordBatch.from_pylist([], schema=table.schema().to_pyarrow())
        schema = tasks.without_codes(change(nothing).schema)
        return self._keep(
            frame.mapInArrow(tasks.change_batches(change, schema), from_arrow_schema(schema)), tr("the table")
        )

    def text(self, column: Expression) -> Expression:
        """Spark's own text, but for floats and for the zone of times."""
        import ibis

        kind = column.type()
        if kind.is_floating():
            name = "cobogo_float32" if kind.is_float32() else "cobogo_float"
            return column.isnull().ifelse(ibis.null("string"), builtin(name, kind)(column))  # pandas has no NULL
        if kind.is_timestamp():  # Ibis does not tell those with a zone from those without
            return column.cast("string") + (builtin("typeof", kind)(column) == "timestamp").ifelse("+00", "")
        return column.cast("string")

    def random_key(self, table: Expression) -> Expression:  # noqa: ARG002
        """Java's random UUIDs, which come from the operating system's entropy; Spark's own are seeded."""
        return builtin("reflect", "string", "string")("java.util.UUID", "randomUUID")

    def shuffle(self, table: Expression) -> Expression:
        """By a random key into parts, and in its order there. To put all rows in order, Spark would compute them twice:
        once for a sample of the keys."""
        (key,) = unused_names(table.columns, 1)
        keyed = self._frame(table.mutate(**{key: self.random_key(table)}))
        return self._register(keyed.repartition(key).sortWithinPartitions(key).drop(key))

    def fetch(self, table: Expression) -> Any:
        """What was counted, to the driver."""
        return self._frame(table).toArrow()

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """What a statement finds, to the driver."""
        return [tuple(row) for row in self.session.sql(statement).collect()]

    def batches(self, table: Expression) -> Generator[Any, None, None]:
        """The same, one part of the table at a time."""
        packed = self._frame(table).mapInArrow(tasks.pack_batches, "batch binary")
        for row in packed.toLocalIterator():
            yield from tasks.unpack_batches(row.batch)

    def tally(self, table: Expression, count: Callable[[Any], Any], size: int) -> Any:
        """Each task counts its rows; their sums come to the driver, one for each task."""
        import numpy as np

        parts = self._frame(table).mapInArrow(tasks.tally_batches(count, size), "counts binary").toArrow()["counts"]
        found = np.zeros(size, dtype=np.int64)
        for part in parts.to_pylist():
            found += np.frombuffer(part, dtype="<i8")
        return found

    def counts(self, table: Expression) -> Iterator[Any]:
        """How many there are is known before any comes to the driver."""
        frame = self._frame(table).persist()
        try:
            if frame.count() > self.room_for_counts:
                raise too_many_counts(self.room_for_counts)
            yield from frame.toArrow().to_batches()
        finally:
            frame.unpersist()

    def write_csv(self, table: Expression, path: Path, *, separator: str) -> None:
        """Each task writes its lines; the parts are joined, as bytes, in their random order."""
        parts = path.with_name(path.name + ".parts")
        self._frame(self.lines(table, separator)).write.option("lineSep", "\n").text(_uri(parts))
        with path.open("wb") as whole:
            whole.write(f"{header(table.columns, separator)}\n".encode())
            for part in sorted(parts.glob("part-*")):
                with part.open("rb") as lines:
                    shutil.copyfileobj(lines, whole, 1 << 20)
        shutil.rmtree(parts)

    def write_parquet(self, table: Expression, path: Path) -> None:
        """A directory of files, one a task."""
        self._frame(table).write.option("compression", "zstd").parquet(_uri(path))
        for beside in path.iterdir():
            if not beside.name.endswith(".parquet") or beside.name.startswith("."):
                beside.unlink()

    def check_new_table(self, name: str) -> None:
        """Its schema must be there, and the name must be free or that of an earlier release."""
        schema = name.rpartition(".")[0]
        if schema and not self._asks(self.session.catalog.databaseExists, _place(schema)):
            raise OutputError(
                tr("the catalogue has no such schema"),
                where=name,
                remedy=tr("Create the schema, or name another one."),
                code="COBOGO-OUTPUT-WRITE",
            )
        if not self._exists(name):
            return
        told = self.session.sql(f"DESCRIBE TABLE EXTENDED {_place(name)}").collect()
        comments = [str(row.data_type) for row in told if row.col_name == "Comment"]
        if not any(comment.startswith(RELEASED) for comment in comments):
            raise foreign_table(name)

    @contextmanager
    def new_table(self, table: Expression, name: str) -> Iterator[Expression]:
        """Under a name of our own until it takes its own: no name of a table ever has half of the rows."""
        self.check_new_table(name)
        new, old = (_beside(name, f"cobogo_{word}_{secrets.token_hex(6)}") for word in ("new", "old"))
        try:
            self.session.sql(f"CREATE TABLE {_place(new)} COMMENT '{RELEASED}' AS {self.statement(table)}")
            yield self.open_table(new)
            self._replace(name, new, old)
            self._original.catalog.refreshTable(_place(name))  # it may remember the files of the earlier one
        finally:
            self.session.sql(f"DROP TABLE IF EXISTS {_place(new)}")

    def _replace(self, name: str, new: str, old: str) -> None:
        """Give a table its name: in one step where the catalogue can; otherwise the earlier one is out of the way for
        the moment between two renamings, and comes back if the second fails."""
        if not self._exists(name):
            self._rename(new, name)
            return
        if self._replaces_in_one_step(name):
            self.session.sql(
                f"CREATE OR REPLACE TABLE {_place(name)} COMMENT '{RELEASED}' AS SELECT * FROM {_place(new)}"
            )
            return
        self._rename(name, old)
        try:
            self._rename(new, name)
        except BaseException:
            self._rename(old, name)
            raise
        self.session.sql(f"DROP TABLE {_place(old)}")

    def _rename(self, before: str, after: str) -> None:
        """A new name in the same schema, which is not named again: not every catalogue takes its own name there."""
        self.session.sql(f"ALTER TABLE {_place(before)} RENAME TO {_place(after.rpartition('.')[2])}")

    def _replaces_in_one_step(self, name: str) -> bool:
        """Whether the catalogue of a table is one that does."""
        from py4j.java_gateway import is_instance_of

        known = self.session._jsparkSession.sessionState().catalogManager()
        first = name.partition(".")[0]
        catalogue = known.catalog(first) if name.count(".") > 1 else known.currentCatalog()
        return bool(is_instance_of(self.session.sparkContext._gateway, catalogue, ATOMIC))

    def _exists(self, name: str) -> bool:
        return self._asks(self.session.catalog.tableExists, _place(name))

    def _asks(self, question: Callable[[str], bool], name: str) -> bool:
        """What the catalogue answers; an error where it has no place for such a name."""
        try:
            return question(name)
        except self.failures:
            return False

    def _send(self, rows: Any, schema: str | None = None) -> Any:
        """Rows of ours as a data frame. PySpark then takes our session for the active one: the other is put back."""
        from pyspark.sql import SparkSession

        active = SparkSession.getActiveSession()
        try:
            return self.session.createDataFrame(rows, schema)
        finally:
            if active is not None:
                SparkSession._activeSession = active
                SparkSession._get_j_spark_session_class(active._jvm).setActiveSession(active._jsparkSession)

    def _keep(self, frame: Any, path: str) -> Expression:
        """A data frame that is computed once; a task's complaint is raised as ours."""
        try:
            kept = frame.persist()
            weakref.finalize(self, _forget, kept).atexit = False  # by then there may be no Spark to tell
            kept.count()
        except self.failures as error:
            raise tasks.find_error(error) or _unread(path) from None
        return self._register(kept)

    def _frame(self, table: Expression) -> Any:
        """An expression as a data frame of Spark's."""
        return self.session.sql(self.statement(table))

    def _register(self, frame: Any) -> Expression:
        """A data frame as a table that expressions can name."""
        self._tables += 1
        name = f"cobogo_{id(self)}_{self._tables}"
        frame.createOrReplaceTempView(name)
        return self.connection.table(name)


def _forget(frame: Any) -> None:
    """Let Spark forget what was kept, from another thread: this one may be in the middle of a question to Java, which
    has one connection for each thread. A session that has ended has forgotten it already."""

    def unpersist() -> None:
        with suppress(Exception):
            frame.unpersist()

    threading.Thread(target=unpersist, daemon=True).start()


def _session(master: str) -> Any:
    """The process's session, or a new one that logs nothing (messages quote values) and spills into a private place."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None:
        if master not in (RUNNING, running.master):
            raise PolicyError(
                tr("this process already has a Spark session, with another master"),
                where="--engine",
                remedy=tr("Give its master: {master}.", master=running.master),
                code="COBOGO-ENGINE",
            )
        return SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    logging.getLogger("SQLQueryContextLogger").disabled = True  # PySpark's own, in Python
    settings = SETTINGS | {"spark.app.name": "cobogo"}
    if master != RUNNING:
        settings["spark.master"] = master
    if master.startswith("local"):
        spill = create_scratch(Path(tempfile.gettempdir()), "cobogo-spill-")
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {
            "spark.local.dir": str(spill),
            "spark.driver.host": "localhost",
            "spark.driver.bindAddress": "127.0.0.1",  # nobody else on the network has any business here
        }
    conf = SparkConf().setAll(list(settings.items()))
    gateway = launch_gateway(conf, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL})
    session = SparkSession(SparkContext(conf=conf, gateway=gateway))
    if master.startswith("local"):
        weakref.finalize(session, remove_scratch, spill)
    return session


def _copy(session: Any) -> Any:
    """A session with the settings, views and current schema of another, in which ours can be changed."""
    from pyspark import RDD
    from pyspark.sql import SparkSession

    convert = getattr(RDD, "toDF", None)  # which PySpark lets the newest session do
    copy = SparkSession(session.sparkContext, session._jsparkSession.cloneSession())
    RDD.toDF = convert
    for key, value in SETTINGS.items():
        if copy.conf.isModifiable(key):
            copy.conf.set(key, value)
    return copy


def _uri(path: str | Path) -> str:
    """A file of this machine as Hadoop names it: as it is, with no character written in another way."""
    return f"file:{Path(path).absolute()}"


def _place(name: str) -> str:
    """The name of a table or schema as Spark writes it.

    >>> _place("house.clinic.people")
    '`house`.`clinic`.`people`'
    """
    return ".".join("`" + part.replace("`", "``") + "`" for part in name.split("."))


def _beside(name: str, other: str) -> str:
    """Another table's name in the same schema.

    >>> _beside("clinic.people", "new"), _beside("people", "new")
    ('clinic.new', 'new')
    """
    return name.rpartition(".")[0] + name.rpartition(".")[1] + other


def _are_parquet(names: Sequence[str], url: str) -> bool:
    """Whether files are Parquet, by their names: all of them or none."""
    found = {name.lower().endswith(FORMATS["parquet"].endings) for name in names}
    if len(found) > 1:
        raise DataError(
            tr("has Parquet and other files together"),
            where=url,
            remedy=tr("Name the files of one kind."),
            code="COBOGO-DATA-FILE",
        )
    return found == {True}


def _no_files(url: str) -> DataError:
    return DataError(
        tr("Spark finds no file there that it can read"),
        where=url,
        remedy=tr("Check the URL, the file system's settings and your rights."),
        code="COBOGO-DATA-FILE",
    )


def _unread(path: str) -> DataError:
    return DataError(
        tr("Spark could not read it"),
        where=path,
        remedy=tr("Check that its workers can read the file and have a Python with cobogo."),
        code="COBOGO-ENGINE",
    )


def _plain(frame: Any, path: str) -> Any:
    """A data frame whose columns every engine can write as text."""
    known = ("string", "boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "date", "timestamp",
             "timestamp_ntz")  # fmt: skip
    for name, kind in frame.dtypes:
        if kind not in known and not kind.startswith("decimal"):
            raise DataError(
                tr(
                    'the column "{name}" has a type that this engine cannot write as text: {kind}',
                    name=name,
                    kind=kind,
                ),
                where=path,
                remedy=tr("Make it text, or use DuckDB."),
                code="COBOGO-DATA-TYPE",
            )
    return frame

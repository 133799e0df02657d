"""Spark: a cluster, or all cores of this machine. Records never come to the driver; only what is counted does."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
import weakref
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

from cobogo.data.policy import Data
from cobogo.data.table.columns import unused_names
from cobogo.data.table.engine import Engine, Expression, builtin, header, too_many_counts
from cobogo.data.table.files import csv_error, parquet_error
from cobogo.errors import DataError, PolicyError
from cobogo.floor.files import create_scratch, remove_scratch
from cobogo.floor.language import tr
from cobogo.floor.language.errors import error_from_json, error_to_json

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

_MARK = "cobogo-complaint:"


class Spark(Engine):
    """A session with a master."""

    name = "Spark"
    copies_files: ClassVar[bool] = False
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
            self.session = _session(master)
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
        self.session.udf.register("cobogo_float", _float_function("double"))
        self.session.udf.register("cobogo_float32", _float_function("float"))
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
        from pyspark.sql.types import StringType, StructField, StructType

        schema = StructType([StructField(name, StringType()) for name in names])
        tasks = self.session.createDataFrame([(str(Path(file).absolute()),) for file in files], "file string")
        parsed = tasks.repartition(len(files)).mapInArrow(_parser(list(names), data), schema)
        try:
            kept = parsed.persist()
            weakref.finalize(self, _release_cache, kept).atexit = False  # by then there may be no Spark to tell
            kept.count()
        except self.failures as error:
            raise _complaint(error, path) from None
        return self._register(kept)

    def load_parquet(
        self,
        files: Sequence[str],
        path: str,
        partitions: Sequence[str],
        *,
        once: bool = False,  # noqa: ARG002
    ) -> Expression:
        """Read where it is."""
        try:
            reader = self.session.read
            if partitions:
                reader = reader.option("basePath", str(Path(files[0]).absolute().parents[len(partitions)]))
            frame = reader.parquet(*(str(Path(file).absolute()) for file in files))
        except self.failures:
            raise parquet_error(path) from None
        return self._register(_plain(frame, path))

    def load_arrow(self, table: Any) -> Expression:
        """Sent to the cluster."""
        return self._register(_plain(self.session.createDataFrame(table), tr("the table given")))

    def lookup(self, table: Any) -> Expression:
        """Sent to the cluster."""
        return self.load_arrow(table)

    def materialize(self, table: Expression) -> Expression:
        """Kept on the cluster."""
        kept = self._frame(table).persist()
        weakref.finalize(self, _release_cache, kept).atexit = False
        kept.count()
        return self._register(kept)

    def text(self, column: Expression) -> Expression:
        """Spark's own text, but for floats and for the zone of times."""
        kind = column.type()
        if kind.is_floating():
            name = "cobogo_float32" if kind.is_float32() else "cobogo_float"
            return builtin(name, kind)(column)
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
        """What was counted, too."""
        yield from self.fetch(table).to_batches()

    def tally(self, table: Expression, count: Callable[[Any], Any], size: int) -> Any:
        """Each task counts its rows; their sums come to the driver, one for each task."""
        import numpy as np

        parts = self._frame(table).mapInArrow(_tally(count, size), "counts binary").toArrow()["counts"]
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
        self._frame(self.lines(table, separator)).write.option("lineSep", "\n").text(parts.absolute().as_uri())
        with path.open("wb") as whole:
            whole.write(f"{header(table.columns, separator)}\n".encode())
            for part in sorted(parts.glob("part-*")):
                with part.open("rb") as lines:
                    shutil.copyfileobj(lines, whole, 1 << 20)
        shutil.rmtree(parts)

    def write_parquet(self, table: Expression, path: Path) -> None:
        """A directory of files, one a task."""
        self._frame(table).write.option("compression", "zstd").parquet(path.absolute().as_uri())
        for beside in path.iterdir():
            if not beside.name.endswith(".parquet") or beside.name.startswith("."):
                beside.unlink()

    def _frame(self, table: Expression) -> Any:
        """An expression as a data frame of Spark's."""
        return self.session.sql(self.statement(table))

    def _register(self, frame: Any) -> Expression:
        """A data frame as a table that expressions can name."""
        self._tables += 1
        name = f"cobogo_{id(self)}_{self._tables}"
        frame.createOrReplaceTempView(name)
        return self.connection.table(name)


def _release_cache(frame: Any) -> None:
    """Let Spark forget what was read. A session that has ended has forgotten it already."""
    with suppress(Exception):
        frame.unpersist()


def _session(master: str) -> Any:
    """The process's session, or a new one that logs nothing (messages quote values) and spills into a private place."""
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    running = SparkContext._active_spark_context
    if running is not None:
        session = SparkSession.builder.getOrCreate()
        if running.master != master:
            raise PolicyError(
                tr("this process already has a Spark session, with another master"),
                where="--engine",
                remedy=tr("Give its master: {master}.", master=running.master),
                code="COBOGO-ENGINE",
            )
    else:
        spill = create_scratch(Path(tempfile.gettempdir()), "cobogo-spill-")
        settings = SETTINGS | {"spark.app.name": "cobogo", "spark.master": master, "spark.local.dir": str(spill)}
        if master.startswith("local"):
            os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
            settings |= {
                "spark.driver.host": "localhost",
                "spark.driver.bindAddress": "127.0.0.1",  # nobody else on the network has any business here
            }
        conf = SparkConf().setAll(list(settings.items()))
        gateway = launch_gateway(conf, {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL})
        session = SparkSession(SparkContext(conf=conf, gateway=gateway))
        weakref.finalize(session, remove_scratch, spill)
    for key, value in SETTINGS.items():
        if session.conf.isModifiable(key):
            session.conf.set(key, value)
    return session


def _parser(names: list[str], data: Data) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a task does: read its files, and complain without quoting them."""

    def parse(batches: Iterator[Any]) -> Iterator[Any]:
        import duckdb

        from cobogo.data.table.duck import read_csv

        for batch in batches:
            for file in batch.column(0).to_pylist():
                try:
                    with duckdb.connect() as parser:
                        yield from parser.execute(f"SELECT * FROM {read_csv([file], names, data)}").to_arrow_reader()
                except duckdb.Error as error:
                    found = csv_error(str(error), file, data)
                    said = json.dumps(error_to_json(found))
                    raise RuntimeError(_MARK + said + _MARK) from None

    return parse


def _tally(count: Callable[[Any], Any], size: int) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """What a task does that counts: all of its batches into one sum."""

    def tally(batches: Iterator[Any]) -> Iterator[Any]:
        import numpy as np
        import pyarrow as pa

        found = np.zeros(size, dtype=np.int64)
        for batch in batches:
            found += count(batch)
        yield pa.RecordBatch.from_pydict({"counts": pa.array([found.astype("<i8").tobytes()], pa.binary())})

    return tally


def _complaint(error: Exception, path: str) -> DataError:
    """The complaint of a task, out of all that Spark says around it."""
    found = re.search(f"{_MARK}(.*?){_MARK}", str(error), re.DOTALL)
    if found is None:
        return DataError(
            tr("Spark could not read it"),
            where=path,
            remedy=tr("Check that its workers can read the file and have a Python with cobogo."),
            code="COBOGO-ENGINE",
        )
    said = error_from_json(json.loads(found[1]))
    return DataError(said.what, where=said.where, remedy=said.remedy, code=said.code)


def _float_function(kind: str) -> Any:
    """Floats as text, in Python beside each task."""
    import pandas as pd
    from pyspark.sql.functions import pandas_udf

    def as_text(values: pd.Series) -> pd.Series:
        import pyarrow as pa

        from cobogo.data.table.columns import shortest_texts

        width = pa.float32() if kind == "float" else pa.float64()
        written: pd.Series = shortest_texts(pa.array(values, type=width, from_pandas=False)).to_pandas()
        return written

    as_text.__annotations__ = {"values": pd.Series, "return": pd.Series}
    return pandas_udf(as_text, "string")


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

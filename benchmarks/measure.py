"""What a measurement is, and how it is taken. Machines are noisy: every claim is a ratio of two things measured in the
same run, and the best of a few times is what counts."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Spent:
    """What something took: seconds on the clock, seconds of all processors, and memory at its peak."""

    wall: float
    cpu: float
    megabytes: float = 0.0


@dataclass(frozen=True)
class Result:
    """One line of the table. ``ratio`` is ours over the other's where less is better: below 1 we are faster."""

    what: str
    spent: Spent
    against: str = ""
    other: Spent | None = None
    note: str = ""

    @property
    def ratio(self) -> float | None:
        """On the clock."""
        return None if self.other is None else self.spent.wall / self.other.wall

    @property
    def cpu_ratio(self) -> float | None:
        """In seconds of processors: it suffers less from whatever else the machine does."""
        return None if self.other is None or not self.other.cpu else self.spent.cpu / self.other.cpu


def of_call(work: Callable[[], Any], times: int = 3) -> Spent:
    """The best of a few calls, in this process; the first one may have to load things and does not count."""
    work()
    found = []
    for _ in range(times):
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        found.append(Spent(time.perf_counter() - wall, time.process_time() - cpu))
    return min(found, key=lambda spent: spent.wall)


def once(work: Callable[[], object]) -> Spent:
    """A call that is made once, with the threads that it starts."""
    import resource

    before, wall = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    after = resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Spent(time.perf_counter() - wall, cpu, after.ru_maxrss / 1024)


def of_process(arguments: Sequence[str], *, timeout: float = 1800) -> Spent:
    """A process from its start to its end, with its own peak of memory. Raises if it fails."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL, stderr=said)
        peak = 0.0
        while True:
            peak = max(peak, _peak(process.pid))
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            if time.perf_counter() > start + timeout:
                process.kill()
                process.wait()
                raise TimeoutError(f"took more than {timeout:.0f} s")
            time.sleep(0.005)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)  # it was waited for here, where its usage is told
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(arguments[:4])} … failed: {said.read().decode(errors='replace')[-2000:]}")
    return Spent(wall, usage.ru_utime + usage.ru_stime, peak or usage.ru_maxrss / 1024)


def _peak(process: int) -> float:
    """A process's peak of memory so far, in MB; 0 where the system does not tell. What it tells at the end of a process
    is no less than what its parent had when it began."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def in_turn(one: Callable[[], Spent], other: Callable[[], Spent], times: int = 2) -> tuple[Spent, Spent]:
    """Two things measured one after the other, again and again; the best of each."""
    found = [(one(), other()) for _ in range(times)]
    return min((a for a, _ in found), key=lambda s: s.wall), min((b for _, b in found), key=lambda s: s.wall)


def machine() -> dict[str, Any]:
    """What was measured on, and with what."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].partition(":")[2].strip() if names else model
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("cobogo", "duckdb", "numba", "numpy")},
        "load": os.getloadavg()[0],
    }


PYTHON = sys.executable

"""The memory that this process may take: the machine's, or less where somebody gave a bound.

What needs much of it asks for its share: DuckDB, which then spills to disk, and the table of distinct combinations,
which is then counted at coarser levels.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from cobogo.floor.language import tr

OURS = 400 * 2**20
"""Bytes of a process that has loaded everything and holds no data: measured on releases of 13 and of 30,000 rows."""

LEAST = 1 << 30
"""A bound below this would leave nothing to work with."""

UNITS = {"MB": 10**6, "GB": 10**9, "TB": 10**12, "MIB": 2**20, "GIB": 2**30, "TIB": 2**40}
CONTAINER = Path("/sys/fs/cgroup/memory.max")

_bounds: list[int] = []


def parse_memory(text: str) -> int:
    """Bytes, from a number and a unit.

    >>> parse_memory("4GB"), parse_memory("1.5 GiB")
    (4000000000, 1610612736)
    """
    found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,6})?)\s*([A-Za-z]+)\s*", text)
    if found is None or found[2].upper() not in UNITS:
        raise ValueError(tr("an amount of memory is a number and a unit"), tr("For example: 4GB, or 1.5GiB."))
    size = int(float(found[1]) * UNITS[found[2].upper()])
    if size < LEAST:
        raise ValueError(tr("an amount of memory below 1 GiB is not enough to work with"), tr("Give 1GiB or more."))
    return size


def bound_memory(size: int | None) -> None:
    """Take no more than so many bytes from now on; of several bounds the lowest holds."""
    if size is not None:
        _bounds[:] = [min([size, *_bounds])]


def memory_share(share: float) -> int:
    """Bytes of what is left to data after the process itself: four fifths of the machine's, unless there is a bound."""
    whole = _bounds[0] if _bounds else 0.8 * _machine()
    return int(share * max(whole - OURS, whole / 2))


def _machine() -> int:
    """Bytes of memory of this machine, or of the container; a guess where neither tells."""
    try:
        size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        size = 8 * 2**30
    with suppress(OSError, ValueError):  # no container, or "max"
        size = min(size, int(CONTAINER.read_text()))
    return size

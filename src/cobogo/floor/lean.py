"""Libraries loaded without what we do not use of them: half of a small release's time would go into loading that.

Numba looks for BLAS in SciPy, Arrow asks pandas what every list is, Ibis loads the compilers of twenty databases with
the first of them. The first two are only spared in a process of our own: in a notebook, others may rely on them.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.util import find_spec, module_from_spec
from threading import get_ident
from types import ModuleType
from typing import Any

own_process = False
"""Whether nobody else's code runs in this process: the command line says so of its own."""

COMPILERS = "ibis.backends.sql.compilers"


def load_numba() -> Any:
    """Numba; in a process of our own without linear algebra, which no kernel uses."""
    if own_process and "numba" not in sys.modules:
        linalg = import_module("numba.np.linalg")
        look_for_blas, linalg.ensure_blas = linalg.ensure_blas, _no_blas  # type: ignore[attr-defined]
        try:
            import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = look_for_blas  # type: ignore[attr-defined]
    return import_module("numba")


def _no_blas() -> None:
    raise ImportError("no kernel uses linear algebra")


def load_arrow() -> Any:
    """Arrow; in a process of our own it takes pandas for absent until one of its functions needs it."""
    arrow = import_module("pyarrow")
    if own_process and "pandas" not in sys.modules:
        with _Hidden("pandas"):
            arrow.array([0])  # Arrow looks for pandas once, and again only where it cannot do without
    return arrow


class _Hidden(MetaPathFinder):
    """Inside the block, to this thread, a package that is not loaded seems not to be installed."""

    def __init__(self, package: str) -> None:
        self._package, self._thread = package, get_ident()

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> None:  # noqa: ARG002
        """Nothing, or the error that others would raise."""
        if fullname == self._package and get_ident() == self._thread:
            raise ModuleNotFoundError(fullname)

    def __enter__(self) -> None:
        sys.meta_path.insert(0, self)

    def __exit__(self, *raised: object) -> None:
        sys.meta_path.remove(self)


def load_ibis() -> Any:
    """Ibis, with a database's compiler when it is first asked for."""
    if COMPILERS not in sys.modules:
        spec = find_spec(COMPILERS)
        if spec is not None:
            sys.modules[COMPILERS] = _Compilers(module_from_spec(spec))
            sys.modules["ibis.backends.sql"].compilers = sys.modules[COMPILERS]  # type: ignore[attr-defined]
    return import_module("ibis")


class _Compilers(ModuleType):
    """The package of Ibis's compilers: a module of it is imported when it is asked for, and all for anything else."""

    def __init__(self, package: ModuleType) -> None:
        super().__init__(package.__name__)
        vars(self).update(vars(package))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if find_spec(f"{COMPILERS}.{name}") is None:
            self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
            return vars(self)[name]
        return import_module(f"{COMPILERS}.{name}")

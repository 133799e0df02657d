"""Libraries loaded without what we do not use of them: half of a small release's time would go into loading that.

Numba looks for BLAS in SciPy, Arrow asks pandas what every list is and documents every kernel, Pydantic looks for
plugins in every package, Ibis loads the compilers of twenty databases with the first of them. All but the last are only
spared in a process of our own: in a notebook, others may rely on them.
"""

from __future__ import annotations

import gc
import os
import sys
from functools import partial
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.util import find_spec, module_from_spec
from threading import get_ident
from types import ModuleType
from typing import Any

own_process = False
"""Whether nobody else's code runs in this process: the command line says so of its own."""


COLLECTED = 50_000
"""Objects that are made before those in cycles are looked for. With Python's own 700 it looks hundreds of times while
modules are loaded, which was 7 % of a small release (measured with and without); cycles live a little longer."""


def own_the_process() -> None:
    """Say that nobody else's code runs in this process: what others may rely on need not be loaded."""
    global own_process  # noqa: PLW0603
    own_process = True
    gc.set_threshold(COLLECTED)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # it would read a file of every installed package


KERNELS = "pyarrow.compute"
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
    """Arrow; in a process of our own it takes pandas for absent until one of its functions needs it, and makes Python
    functions of its hundreds of kernels when the first of them is called."""
    arrow = import_module("pyarrow")
    if own_process and KERNELS not in sys.modules:
        vars(arrow)["compute"] = _Kernels(KERNELS)
    if own_process and "pandas" not in sys.modules:
        with _Hidden("pandas"):
            arrow.array([0])  # Arrow looks for pandas once, and again only where it cannot do without
    return arrow


class _Late(ModuleType):
    """A module under its name, whose own code is run when something is asked of it that cannot be had otherwise."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        spec = find_spec(name)
        assert spec is not None
        vars(self).update(vars(module_from_spec(spec)))
        sys.modules[name] = self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._find(name)

    def _find(self, name: str) -> Any:
        """What has a name, before the module's own code is run."""
        return self._own(name)

    def _own(self, name: str) -> Any:
        if name not in vars(self):
            self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return vars(self)[name]


class _Kernels(_Late):
    """The module of Arrow's kernels: what is compiled is there at once, and what is written in Python when called."""

    def _find(self, name: str) -> Any:
        return getattr(import_module("pyarrow._compute"), name, partial(self._call, name))

    def _call(self, name: str, *values: Any, **options: Any) -> Any:
        return self._own(name)(*values, **options)


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
        sys.modules["ibis.backends.sql"].compilers = _Compilers(COMPILERS)  # type: ignore[attr-defined]
    return import_module("ibis")


class _Compilers(_Late):
    """The package of Ibis's compilers: a module of it is imported when it is asked for, and all for anything else."""

    def _find(self, name: str) -> Any:
        return self._own(name) if find_spec(f"{COMPILERS}.{name}") is None else import_module(f"{COMPILERS}.{name}")

"""Re-identification risk: attackers, uniqueness in the population, telling combinations, special uniques, columns.

The package has the name of its main function: ``cobogo.risk(data, policy)`` is `cobogo.risk.assess.risk`. Importing a
package binds it in its parent under its own name, so that it must answer to a call itself.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Measured(ModuleType):
    def __call__(self, *args: Any, **options: Any) -> Any:
        from cobogo.risk.assess import risk

        return risk(*args, **options)


sys.modules[__name__].__class__ = _Measured

"""What pycanon measures of many small tables. Run by the interpreter of an environment of its own, never imported.

Reads a JSON list of tables without NULL from standard input: {"quasi": [columns], "category": [values], "number":
[numbers]}. Prints a list of what it measured, null where it cannot.
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from typing import Any


def main() -> None:
    import pandas
    from pycanon import anonymity

    warnings.simplefilter("ignore")
    answers = []
    for table in json.load(sys.stdin):
        quasi = [f"q{number}" for number in range(len(table["quasi"]))]
        columns = dict(zip(quasi, table["quasi"], strict=True)) | {"s": table["category"], "n": table["number"]}
        frame = pandas.DataFrame(columns)
        alpha, k = anonymity.alpha_k_anonymity(frame, quasi, ["s"])
        c, l = anonymity.recursive_c_l_diversity(frame, quasi, ["s"])
        answer: dict[str, Any] = {
            "k": anonymity.k_anonymity(frame, quasi),
            "alpha": alpha,
            "alpha k": k,
            "l": anonymity.l_diversity(frame, quasi, ["s"]),
            "entropy l": anonymity.entropy_l_diversity(frame, quasi, ["s"]),
            "recursive c": c,
            "recursive l": l,
            "t equal": anonymity.t_closeness(frame, quasi, ["s"]),
            "t ordered": anonymity.t_closeness(frame, quasi, ["n"]) if frame["n"].nunique() > 1 else None,
            "beta": anonymity.basic_beta_likeness(frame, quasi, ["s"]),
            "enhanced beta": anonymity.enhanced_beta_likeness(frame, quasi, ["s"]),
            "delta": anonymity.delta_disclosure(frame, quasi, ["s"]),
        }
        answers.append({name: _plain(value) for name, value in answer.items()})
    print(json.dumps(answers, allow_nan=False))


def _plain(value: Any) -> float | None:
    return None if value is None or math.isnan(value) else float(value)


if __name__ == "__main__":
    main()

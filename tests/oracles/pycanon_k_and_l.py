"""What pycanon measures of a CSV file. Run by the interpreter of an environment of its own, never imported by ours.

    python pycanon_k_and_l.py FILE SEPARATOR QUASI-IDENTIFIERS SENSITIVE

The last two are JSON lists of columns. Prints {"k": …, "l": …}; l is null without sensitive attributes.
"""

from __future__ import annotations

import json
import sys


def main(file: str, separator: str, quasi_identifiers: str, sensitive: str) -> None:
    import pandas
    from pycanon import anonymity

    # NULL is a value of its own; pandas would drop it from groups, so it stays the empty text.
    frame = pandas.read_csv(file, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8")
    quasi, protected = json.loads(quasi_identifiers), json.loads(sensitive)
    k = anonymity.k_anonymity(frame, quasi)
    l = anonymity.l_diversity(frame, quasi, protected) if protected else None
    print(json.dumps({"k": int(k), "l": None if l is None else int(l)}))


if __name__ == "__main__":
    main(*sys.argv[1:])

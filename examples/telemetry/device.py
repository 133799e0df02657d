"""One device, over a week: what it sends, and what its memo makes of a change of mind."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import cobogo as cb

HERE = Path(__file__).parent


def main(home: str) -> None:
    """Report the system and the home page on each day."""
    memo = Path(home) / "memo.db"
    days = ["Windows"] * 3 + ["Linux"] * 2 + ["Haiku", "Windows"]
    for day, system in enumerate(days, 1):
        client = cb.collect.Client(HERE / "os.toml", memo)  # as after a restart: everything is in the memo
        page = cb.collect.Client(HERE / "pages.toml", memo)
        try:
            sent = client.text(system)
        except cb.CobogoError as silence:
            sent = f"nothing: {silence.what}"
        print(f"day {day}  {sent}  {page.text('tapioca.example')}")
    print(f"spent on the system: ε = {client.spent:g}; on the page: ε = {page.spent:.3f}")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        with tempfile.TemporaryDirectory() as directory:
            main(directory)

"""A client in a process of its own: reports of a value, one line each, for as long as it lives."""

import sys

from cobogo.collect import Client
from support.asked import asked


def main(mechanism: str, memo: str, count: int, *values: str) -> None:
    client = Client(asked(mechanism, **{"lifetime-values": 10_000}), memo, limit=None)
    for number in range(count):
        value = values[number % len(values)] if values else f"{number}"
        print(value, client.text(value), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), *sys.argv[4:])

"""The least expected loss under d-privacy by qif's linear program, and its check. Run in an environment of its own."""

import json
import sys


def main(task: dict) -> None:
    import numpy as np
    from qif import mechanism

    prior, away = np.array(task["prior"]), np.array(task["distances"])
    cells = len(prior)
    law = mechanism.d_privacy.min_loss_given_d(
        prior, cells, lambda x, y: task["epsilon"] * away[x, y], lambda x, y: away[x, y]
    )
    print(json.dumps({"loss": float((prior[:, None] * law * away).sum())}))


if __name__ == "__main__":
    main(json.load(sys.stdin))

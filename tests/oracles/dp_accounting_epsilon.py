"""ε of compositions by dp-accounting's tight accountants. Run in an environment of its own."""

import json
import math
import sys


def epsilon(events: list, delta: float) -> float:
    from dp_accounting.pld import PLDAccountant

    accountant = PLDAccountant()
    for event in events:
        accountant.compose(event)
    return accountant.get_epsilon(delta)


def main(task: dict) -> None:
    from dp_accounting import GaussianDpEvent, LaplaceDpEvent

    laplace = [LaplaceDpEvent(1 / epsilon) for epsilon in task["laplace"]]
    gaussian = [GaussianDpEvent(1 / math.sqrt(2 * rho)) for rho in task["gaussian"]]
    asked = {"laplace": laplace, "gaussian": gaussian, "both": laplace + gaussian}
    print(json.dumps({name: epsilon(events, task["delta"]) for name, events in asked.items()}))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""ε of compositions by dp-accounting's tight accountants. Run in an environment of its own."""

import json
import math
import sys

import dp_accounting
from dp_accounting.pld import PLDAccountant

task = json.loads(sys.argv[1])
laplace = [dp_accounting.LaplaceDpEvent(1 / epsilon) for epsilon in task["laplace"]]
gaussian = [dp_accounting.GaussianDpEvent(1 / math.sqrt(2 * rho)) for rho in task["gaussian"]]


def epsilon(events: list) -> float:
    accountant = PLDAccountant()
    for event in events:
        accountant.compose(event)
    return accountant.get_epsilon(task["delta"])


print(json.dumps({"laplace": epsilon(laplace), "gaussian": epsilon(gaussian), "both": epsilon(laplace + gaussian)}))

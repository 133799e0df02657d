"""Local reports as pure-ldp and multi-freq-ldpy draw them. Run in an environment of its own.

Reads {"epsilon", "counts", "repeats", "rows", "width", "probabilities"} from its argument: how many users hold each
value, the size of sketches, and p and q of mechanisms. Prints pure-ldp's probabilities and the estimates of its servers
from the reports of its clients, over and over; and the variances that multi-freq-ldpy tells of p and q, for shares.
"""

from __future__ import annotations

import json
import random
import sys
import types
from typing import Any


def main(task: dict[str, Any]) -> None:
    left_out = "pure_ldp.frequency_oracles.rappor"  # it is not asked for here, and imports what is not declared
    sys.modules[left_out] = types.ModuleType(left_out)
    import numpy as np

    random.seed(1)
    np.random.seed(1)
    epsilon, counts = task["epsilon"], task["counts"]
    values = len(counts)
    held = [value for value, count in enumerate(counts) for _ in range(count)]
    probabilities, estimates = {}, {}
    for name, (client, server) in plain(epsilon, values).items():
        probabilities[name] = [client.p, client.q]
        estimates[name] = []
        for _ in range(task["repeats"]):
            server.reset()
            for value in held:
                server.aggregate(client.privatise(value + 1))
            estimates[name].append([float(server.estimate(v + 1, suppress_warnings=True)) for v in range(values)])
    from pure_ldp.frequency_oracles.apple_cms import CMSClient, CMSServer

    for name in ("cms", "hcms"):
        server = CMSServer(epsilon, task["rows"], task["width"], is_hadamard=name == "hcms")
        client = CMSClient(epsilon, server.get_hash_funcs(), task["width"], is_hadamard=name == "hcms")
        probabilities[name] = [1 - client.prob]
        estimates[name] = []
        for repeat in range(task["repeats"]):  # its functions are always the same: other values make up for it
            server.reset()
            for value in held:
                server.aggregate(client.privatise(f"{repeat} {value}"))
            found = [float(server.estimate(f"{repeat} {v}", suppress_warnings=True)) for v in range(values)]
            estimates[name].append(found)
    from multi_freq_ldpy.pure_frequency_oracles.Variance_PURE import VAR_Pure

    users = len(held)
    variances = {
        name: [VAR_Pure(p, q, users, count / users) for count in counts]
        for name, (p, q) in task["probabilities"].items()
    }
    print(json.dumps({"probabilities": probabilities, "estimates": estimates, "variances": variances}))


def plain(epsilon: float, values: int) -> dict[str, tuple[Any, Any]]:
    """Clients and servers of pure-ldp."""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient, DEServer
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

    return {
        "grr": (DEClient(epsilon, values), DEServer(epsilon, values)),
        "sue": (UEClient(epsilon, values), UEServer(epsilon, values)),
        "oue": (UEClient(epsilon, values, use_oue=True), UEServer(epsilon, values, use_oue=True)),
        "olh": (LHClient(epsilon, values, use_olh=True), LHServer(epsilon, values, use_olh=True)),
    }


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))

"""The commands ``cobogo perturb``, ``cobogo sample`` and ``cobogo synthesize``: each does what a policy says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cobogo.faces.cli import console, language
from cobogo.faces.cli.options import Engine, Evidence, Json, Out, PolicyFile, Quiet


def perturb(
    policy: PolicyFile,
    out: Out = None,
    evidence: Evidence = None,
    engine: Engine = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Randomize or perturb values as a policy says, write the release and verify it.

    Exit 1 when the release does not hold: noise from a seed never holds.
    """
    from cobogo.publish.transform import perturb as settle

    _run(settle, policy, out, evidence, engine, quiet, as_json)


def sample(
    policy: PolicyFile,
    out: Out = None,
    evidence: Evidence = None,
    engine: Engine = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Release a differentially private table: a random sample, made coarser, without combinations that are rare.

    Exit 1 when the release does not hold: a sample from a seed never holds.
    """
    from cobogo.publish.transform import sample as settle

    _run(settle, policy, out, evidence, engine, quiet, as_json)


def synthesize(
    policy: PolicyFile,
    out: Out = None,
    evidence: Evidence = None,
    engine: Engine = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Make synthetic records as a policy says, with differential privacy; write the release and verify it.

    Exit 1 when the curator's budget is not enough; nothing is then read or written.
    """
    from cobogo.publish.transform import synthesize as settle

    _run(settle, policy, out, evidence, engine, quiet, as_json)


def _run(
    settle: Callable[..., Any],
    policy: Path,
    out: Path | None,
    evidence: Path | None,
    engine: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    from cobogo.data.policy import Policy
    from cobogo.faces.cli.summary import destination_of, write_and_say

    rules = language.with_report_language(Policy.load(policy))
    with console.progress(quiet=quiet or as_json) as show:
        write_and_say(
            settle(rules, engine=engine, progress=show), destination_of(rules, out, evidence), show, quiet, as_json
        )

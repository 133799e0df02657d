"""Whether a draft can be run: all that can be told without a look at the data, before anybody waits for a job."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cobogo.data.policy import Policy
from cobogo.data.schema.starter import CONFIRM
from cobogo.errors import PolicyError, number_of
from cobogo.faces.workbench.draft import PolicyDraft
from cobogo.faces.workbench.session import Desk, PageSession
from cobogo.promises import models
from cobogo.promises.models.promise import build_promises
from cobogo.promises.registry import PROMISES
from cobogo.publish import anonymize as job

TABLES = {
    "perturbation": "perturb",
    "randomization": "perturb",
    "masking": "mask",
    "sampling": "sample",
    "synthesis": "synthesize",
}
"""The kind of job that a table of the policy is for."""


def jobs_of(content: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of job that a policy can be run as.

    >>> jobs_of({"privacy": {"models": [{"model": "k-anonymity", "k": 5}]}, "masking": {}})
    ('anonymize', 'mask')
    """
    asked = {one.get("model") for one in content.get("privacy", {}).get("models", [])}
    found = [kind for table, kind in TABLES.items() if table in content]
    if asked & models.MODELS.keys() and "randomization" not in content and "perturb" not in found:
        found.insert(0, "anonymize")
    return tuple(dict.fromkeys(found))


def undecided(draft: PolicyDraft) -> list[str]:
    """The columns whose roles nobody has confirmed.

    >>> undecided(PolicyDraft('[attributes]\\nage = { role = "CONFIRM sensitive" }\\nsex = { role = "sensitive" }'))
    ['age']
    """
    return [name for name, told in draft.attributes.items() if str(told.get("role", CONFIRM)).startswith(CONFIRM)]


def check_roles(draft: PolicyDraft) -> None:
    """See that somebody has confirmed every role: nothing is made of guesses."""
    guesses = undecided(draft)
    if guesses:
        raise PolicyError(
            f"{number_of(len(guesses), 'column')} with a role that nobody has confirmed",
            where="policy, attributes",
            remedy="Look at the columns, and confirm or correct what is suggested.",
        )


def check_draft(desk: Desk, session: PageSession, dataset: str) -> Policy:
    """The policy of the draft, or an error that names the place and the remedy."""
    check_roles(session.draft)
    policy = desk.service.policies.read(session.caller, dataset, session.draft.text)
    jobs = jobs_of(session.draft.content())
    if not jobs:
        raise PolicyError(
            "nothing is asked for yet",
            where="policy, privacy.models",
            remedy="Say what must hold: add a model.",
        )
    _check_files(policy, desk.service.policies.files(session.caller, dataset))
    if policy.privacy is not None:
        build_promises(policy.models, policy.sensitive, PROMISES)
    if jobs[0] == "anonymize":
        if not policy.quasi_identifiers:
            raise PolicyError(
                "there is no quasi-identifier, so there is nothing to recode",
                where="policy, attributes",
                remedy="Say of a column that others may know it.",
            )
        job.check(policy)
    return policy


def _check_files(policy: Policy, home: Path) -> None:
    """See that the files that a policy names were attached to its data set."""
    columns = policy.attributes.items()
    named = {f"policy, attributes.{name}": getattr(one.hierarchy, "csv", None) for name, one in columns}
    for number, model in enumerate(() if policy.privacy is None else policy.models):
        named[f"policy, privacy.models[{number}]"] = model.get("population")
    for where, name in named.items():
        if isinstance(name, str) and not (home / name).is_file():
            raise PolicyError(
                f"there is no file {name} with this data set", where=where, remedy="Attach it, or name another one."
            )

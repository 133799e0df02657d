"""A policy that is being written: its text is the only truth, which forms read and write; its check before a run."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cobogo.data.policy import Policy
from cobogo.data.policy.complaints import CONFIRM
from cobogo.data.policy.toml_file import parse_toml, render_toml
from cobogo.errors import PolicyError
from cobogo.floor.language import tr, trn
from cobogo.promises import models
from cobogo.promises.guarantees import PROMISES
from cobogo.promises.models.promise import build_promises
from cobogo.publish import anonymize as job

if TYPE_CHECKING:
    from cobogo.faces.workbench.session import Desk, PageSession

CORRECT = tr("Correct the text; the forms follow it.")
ORDER = (
    "data",
    "attributes",
    "privacy",
    "recoding",
    "perturbation",
    "randomization",
    "masking",
    "sampling",
    "synthesis",
    "risk",
    "output",
    "report",
    "registry",
)


class PolicyDraft:
    """The text of a policy, and ways to change parts of it.

    ``keep`` is told each new text with what was changed before it counts; where it raises an error nothing changes.

    >>> draft = PolicyDraft('[attributes]\\nage = { role = "sensitive" }')
    >>> draft.set_attribute("age", role="quasi-identifier", hierarchy={"intervals": [10, 20]})
    >>> print(draft.text)
    [attributes]
    age = { role = "quasi-identifier", hierarchy = { intervals = [10, 20] } }
    <BLANKLINE>
    """

    def __init__(self, text: str = "", keep: Callable[[str, str], object] | None = None) -> None:
        self.text = text
        self._keep = keep

    def _say(self, text: str, what: str) -> None:
        if self._keep is not None and text != self.text:
            self._keep(text, what)
        self.text = text

    def content(self) -> dict[str, Any]:
        """The text as tables; a text that is no TOML is an error that says where."""
        return copy.deepcopy(_parsed(self.text))

    def take(self, text: str) -> None:
        """Replace the text by an edited one. A text that forms could not read is refused, and the draft stays as it
        was."""
        content = PolicyDraft(text).content()
        columns = content.get("attributes", {})
        models = content.get("privacy", {}).get("models", []) if isinstance(content.get("privacy", {}), Mapping) else 0
        if not isinstance(columns, Mapping) or not all(isinstance(one, Mapping) for one in columns.values()):
            raise PolicyError(
                tr("each column must be a table, as in age = { role = … }"), where="policy, attributes", remedy=CORRECT
            )
        if not isinstance(models, list) or not all(isinstance(one, Mapping) for one in models):
            raise PolicyError(
                tr("must be a list of tables, as in [{ model = … }]"), where="policy, privacy.models", remedy=CORRECT
            )
        for name, part in content.items():
            if not isinstance(part, Mapping):
                raise PolicyError(
                    tr("must be a table, as in [{name}]", name=name), where=f"policy, {name}", remedy=CORRECT
                )
        self._say(text, "text")

    @property
    def attributes(self) -> dict[str, dict[str, Any]]:
        """The columns, each with its settings."""
        return {name: copy.deepcopy(told) for name, told in _parsed(self.text).get("attributes", {}).items()}

    @property
    def models(self) -> list[dict[str, Any]]:
        """The privacy models that are asked for."""
        return list(self.content().get("privacy", {}).get("models", []))

    @property
    def recoding(self) -> dict[str, Any]:
        """How a solution is looked for."""
        return dict(self.content().get("recoding", {}))

    def only(self, name: str) -> str:
        """The policy as if it had one column: to try its hierarchy while others are still undecided."""
        content = self.content()
        told = {"data": content.get("data", {}), "attributes": {name: content["attributes"][name]}}
        return render_policy(told)

    def set_attribute(self, name: str, **values: Any) -> None:
        """Change settings of a column; None removes a key."""
        self.set_attributes({name: values})

    def set_attributes(self, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Change settings of several columns at once."""
        content = self.content()
        columns = content.setdefault("attributes", {})
        for name, values in changes.items():
            columns[name] = _fitting({**columns.get(name, {}), **values})
        self._say(render_policy(content), " ".join(["attributes", *changes]))

    def set_models(self, models: list[dict[str, Any]]) -> None:
        """Ask for these privacy models."""
        content = self.content()
        if models:
            content["privacy"] = {**content.get("privacy", {}), "models": models}
        else:
            content.pop("privacy", None)
        self._say(render_policy(content), "models")

    def set(self, table: str, key: str, value: Any) -> None:
        """Change a key of a table; None removes it."""
        content = self.content()
        part = dict(content.get(table, {}))
        if value is None:
            part.pop(key, None)
        else:
            part[key] = value
        content[table] = part
        if not part:
            del content[table]
        self._say(render_policy(content), f"{table} {key}")


@lru_cache(maxsize=64)
def _parsed(text: str) -> dict[str, Any]:
    """A policy's tables, which nobody may change: pages ask for them many times, and those of 400 columns take long."""
    return parse_toml(text, "policy")


def _fitting(told: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a column, without those that its role does not use."""
    kept = {key: value for key, value in told.items() if value is not None}
    role = str(kept.get("role", "")).removeprefix(CONFIRM)
    if role not in ("quasi-identifier", "sensitive"):
        kept.pop("hierarchy", None)
    if role != "quasi-identifier":
        for key in ("weight", "min-level", "max-level", "aggregate"):
            kept.pop(key, None)
    return kept


def mark_unconfirmed(text: str) -> str:
    """A policy to start from: every role is marked as a guess to confirm.

    >>> print(mark_unconfirmed('[attributes]\\nage = { role = "sensitive" }'), end="")
    [attributes]
    age = { role = "CONFIRM sensitive" }
    """
    content = PolicyDraft(text).content()
    for told in content.get("attributes", {}).values():
        told["role"] = CONFIRM + str(told["role"]).removeprefix(CONFIRM)
    return render_policy(content)


def render_policy(content: Mapping[str, Any]) -> str:
    """A policy as TOML, its tables in the order of `ORDER`."""
    names = [name for name in ORDER if name in content] + [name for name in content if name not in ORDER]
    return render_toml({name: content[name] for name in names})


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


def undecided_columns(draft: PolicyDraft) -> list[str]:
    """The columns whose roles are not confirmed yet.

    >>> text = '[attributes]\\nage = { role = "CONFIRM sensitive" }\\nsex = { role = "sensitive" }'
    >>> undecided_columns(PolicyDraft(text))
    ['age']
    """
    return [name for name, told in draft.attributes.items() if str(told.get("role", CONFIRM)).startswith(CONFIRM)]


def check_roles(draft: PolicyDraft) -> None:
    """Refuse a policy with roles that are still guesses."""
    guesses = undecided_columns(draft)
    if guesses:
        raise PolicyError(
            trn(
                "the role of {n:,} column is not confirmed",
                "the roles of {n:,} columns are not confirmed",
                n=len(guesses),
            ),
            where="policy, attributes",
            remedy=tr("Go to the page Columns, and confirm or correct the suggested roles."),
        )


def check_draft(desk: Desk, session: PageSession, dataset: str) -> Policy:
    """The policy of the draft, or an error that names the place and the remedy."""
    check_roles(session.draft)
    policy = desk.service.policies.read(session.caller, dataset, session.draft.text)
    jobs = jobs_of(session.draft.content())
    if not jobs:
        raise PolicyError(
            tr("the policy has no privacy model and no other kind of job"),
            where="policy, privacy.models",
            remedy=tr("Add a privacy model, such as k-anonymity."),
        )
    _check_files(policy, desk.service.policies.files(session.caller, dataset))
    if policy.privacy is not None:
        build_promises(policy.models, policy.sensitive, PROMISES)
    if jobs[0] == "anonymize":
        if not policy.quasi_identifiers:
            raise PolicyError(
                tr("there is no quasi-identifier, so there is nothing to recode"),
                where="policy, attributes",
                remedy=tr("Give a column the role quasi-identifier on the page Columns."),
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
                tr("no file {name} is attached to this data set", name=name),
                where=where,
                remedy=tr("Attach the file to the data set, or name another one."),
            )

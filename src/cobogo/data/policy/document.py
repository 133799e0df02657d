"""The policy: everything about a job, as typed and validated values.

A policy is a TOML file or the same structure as a Python mapping. Names are those of the file, with hyphens.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import Field, PrivateAttr, ValidationError

from cobogo.data.policy.columns import column_problems
from cobogo.data.policy.complaints import did_you_mean, explain_error, list_errors
from cobogo.data.policy.masking import Masking
from cobogo.data.policy.random_releases import Perturbation, Randomization, Sampling, Synthesis
from cobogo.data.policy.tables import (
    AttributePolicy,
    Data,
    EnginePolicy,
    ModelObject,
    Output,
    Privacy,
    Recoding,
    RegistryPolicy,
    ReportPolicy,
    Responsibility,
    RiskPolicy,
    Role,
    Utility,
)
from cobogo.data.policy.toml_file import PolicyTable, read_toml, refuse_depth, render_toml
from cobogo.errors import PolicyError
from cobogo.floor.language import join, tr
from cobogo.floor.language.errors import gather_errors
from cobogo.floor.representation import brief, table
from cobogo.floor.untrusted import shorten
from cobogo.floor.urls import is_elsewhere, resolve_file


class Policy(PolicyTable):
    """A whole job: loaded from a file, validated from a mapping, or built of typed parts.

    >>> policy = Policy.of({"attributes": {"age": {"role": "quasi-identifier"}},
    ...                     "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}})
    >>> from cobogo.data.policy.construct import quasi
    >>> policy == Policy({"age": quasi()}, [{"model": "k-anonymity", "k": 2}])
    True
    >>> print(policy.to_toml(), end="")
    [attributes]
    age = { role = "quasi-identifier" }
    <BLANKLINE>
    [privacy]
    models = [
      { model = "k-anonymity", k = 2 },
    ]
    """

    data: Data = Data()
    attributes: Annotated[dict[str, AttributePolicy], Field(min_length=1)]
    privacy: Privacy | None = None
    recoding: Recoding = Recoding()
    perturbation: Perturbation | None = None
    randomization: Randomization | None = None
    masking: Masking | None = None
    sampling: Sampling | None = None
    synthesis: Synthesis | None = None
    utility: Utility | None = None
    risk: RiskPolicy = RiskPolicy()
    engine: EnginePolicy = EnginePolicy()
    output: Output = Output()
    report: ReportPolicy = ReportPolicy()
    responsibility: Responsibility = Responsibility()
    registry: RegistryPolicy | None = None

    _home: Path = PrivateAttr(default_factory=Path)
    _name: str = PrivateAttr(default="policy")
    _trusted: frozenset[str] | None = PrivateAttr(default=None)

    def __init__(
        self,
        attributes: Mapping[str, AttributePolicy | Mapping[str, Any]],
        models: Sequence[ModelObject | Mapping[str, Any]] | None = None,
        *,
        data: Data | Mapping[str, Any] | None = None,
        recoding: Recoding | Mapping[str, Any] | None = None,
        perturbation: Perturbation | Mapping[str, Any] | None = None,
        randomization: Randomization | Mapping[str, Any] | None = None,
        masking: Masking | Mapping[str, Any] | None = None,
        sampling: Sampling | Mapping[str, Any] | None = None,
        synthesis: Synthesis | Mapping[str, Any] | None = None,
        utility: Utility | Mapping[str, Any] | None = None,
        risk: RiskPolicy | Mapping[str, Any] | None = None,
        engine: EnginePolicy | Mapping[str, Any] | None = None,
        output: Output | Mapping[str, Any] | None = None,
        report: ReportPolicy | Mapping[str, Any] | None = None,
        responsibility: Responsibility | Mapping[str, Any] | None = None,
        registry: RegistryPolicy | Mapping[str, Any] | None = None,
    ) -> None:
        """Build a policy of typed parts: what each column is, the models that must hold, and the other tables of the
        file. Its paths are relative to where the program runs."""
        _refuse_words(attributes)
        tables = {name: part for name, part in locals().items() if name in type(self).model_fields and part is not None}
        if models is not None:
            tables["privacy"] = {"models": tuple(models)}
        try:
            super().__init__(**tables)
        except ValidationError as error:
            raise explain_error(error, "policy", type(self)) from None
        self._check_labels()

    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]  # a mapping is validated without it

    def __repr__(self) -> str:
        """What it is about; a hierarchy may list values, and a path a password."""
        roles = [f"{len(found)} {role}" for role in Role if (found := self.with_role(role))]
        asked = [] if self.privacy is None else [str(model.get("model")) for model in self.privacy.models]
        return brief(self, self._name, ", ".join(roles), *asked)

    def __str__(self) -> str:
        return repr(self)

    def _repr_html_(self) -> str:
        """The columns and what must hold, for a notebook: the kind of a hierarchy, and none of its values."""
        rows = [
            [name, str(one.role), one.hierarchy.key if one.hierarchy else ""] for name, one in self.attributes.items()
        ]
        header = [tr("column"), tr("role"), tr("hierarchy")]
        return table(repr(self), header, rows)

    def __eq__(self, other: object) -> bool:
        """Whether both ask for the same, wherever their files are."""
        return self.__dict__ == other.__dict__ if isinstance(other, Policy) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a TOML file; its paths are relative to it."""
        path = Path(path)
        return cls.of(read_toml(path), home=path.parent, name=str(path))

    @classmethod
    def of(
        cls,
        content: Mapping[str, Any],
        *,
        home: str | Path = ".",
        name: str = "policy",
        trusted: Iterable[str] | None = None,
    ) -> Self:
        """Validate a mapping with the structure of the file. ``name`` is what error messages call it.

        A policy of somebody who must not see the machine's files is confined: it may name plain files in ``home`` and,
        where ``trusted`` is given, these paths.
        """
        refuse_depth(content, name)
        try:
            policy = cls.model_validate(content)
        except ValidationError as error:
            problems = list_errors(error, cls)
            if trusted is None:
                problems += column_problems(content, Path(home))
            raise gather_errors(problems, name) from None
        policy._home = Path(home)
        policy._name = name
        policy._trusted = None if trusted is None else frozenset(trusted)
        policy._check_labels()
        return policy

    @classmethod
    def from_any(cls, policy: str | Path | Mapping[str, Any] | Policy) -> Policy:
        """A policy in any of the forms that functions accept: a path, a mapping, or a policy."""
        if isinstance(policy, Policy):
            return policy
        if isinstance(policy, Mapping):
            return cls.of(policy)
        if isinstance(policy, str | Path):
            return cls.load(policy)
        raise PolicyError(
            tr("a policy is a path, a mapping or a Policy. Got {name} instead", name=type(policy).__name__),
            where="policy",
            remedy=tr(
                "Give the data and then the policy; `cobogo inspect DATA --write policy.toml` makes one to begin with."
            ),
            code="COBOGO-POLICY-TYPE",
        )

    def as_dict(self) -> dict[str, Any]:
        """What was decided, with the structure of the file; what was left to a default is left out."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True, exclude_none=True)

    def to_toml(self) -> str:
        """The policy as the text of a file, which `load` reads again."""
        return render_toml(self.as_dict())

    def differences(self, other: Policy) -> dict[str, tuple[Any, Any]]:
        """The keys that two policies decide differently, each with both values; None is a key that is not there.

        >>> loose = Policy.of({"attributes": {"age": {"role": "sensitive"}}})
        >>> strict = Policy.of({"attributes": {"age": {"role": "identifier"}}, "recoding": {"suppression-limit": 0.1}})
        >>> loose.differences(strict)
        {'attributes.age.role': ('sensitive', 'identifier'), 'recoding.suppression-limit': (None, 0.1)}
        """
        mine, theirs = dict(_flatten(self.as_dict())), dict(_flatten(other.as_dict()))
        every = dict.fromkeys((*mine, *theirs))
        return {key: (mine.get(key), theirs.get(key)) for key in every if mine.get(key) != theirs.get(key)}

    @property
    def home(self) -> Path:
        """The directory that the policy's paths are relative to."""
        return self._home

    @property
    def name(self) -> str:
        """What error messages call this policy."""
        return self._name

    def resolve(self, path: str) -> Path:
        """A path of the policy, from where the program runs."""
        outside = self._trusted is not None and path not in self._trusted
        if outside and (Path(path).name != path or path == ".." or path.startswith("~")):
            raise PolicyError(
                tr("{path!r} is not a plain file name", path=path),
                where=self._name,
                remedy=tr("Attach the file to the data set, and name it without directories."),
                code="COBOGO-POLICY-VALUE",
            )
        if is_elsewhere(path):
            return Path(path)
        try:
            full = self._home / Path(path).expanduser()
            full.lstat()
        except (FileNotFoundError, NotADirectoryError):
            pass  # whoever reads it says so
        except (ValueError, RuntimeError, OSError):
            raise PolicyError(
                tr("{path} is not a path of this machine", path=shorten(path)),
                where=self._name,
                remedy=tr("Check the path."),
                code="COBOGO-POLICY-VALUE",
            ) from None
        return full

    def resolve_url(self, url: str) -> str:
        """A URL of the policy from where the program runs: a database file's path is relative to the policy, too."""
        if self._trusted is not None and url not in self._trusted:
            raise PolicyError(
                tr("may not name a database"),
                where=self._name,
                remedy=tr("Use a data set of the server instead."),
                code="COBOGO-POLICY-VALUE",
            )
        return resolve_file(url, self.resolve)

    def _check_labels(self) -> None:
        self.check_label(self.recoding.label, "recoding.label")
        self.check_label(self.utility.label if self.utility else None, "utility.label")

    def check_label(self, name: str | None, key: str) -> None:
        """A label is a column that is released unchanged: sensitive or non-sensitive."""
        fit = self.with_role(Role.SENSITIVE) + self.with_role(Role.NON_SENSITIVE)
        if name is not None and name not in fit:
            known = self.attributes.get(name)
            raise PolicyError(
                tr("the label {name!r} is not an attribute", name=name)
                if known is None
                else tr("the label {name!r} has the role {role}", name=name, role=known.role),
                where=f"{self.name}, {key}",
                remedy=join(
                    [
                        (did_you_mean(name, fit) if known is None else None) or "",
                        tr("Name a sensitive or non-sensitive attribute: a label is released unchanged."),
                    ]
                ),
                code="COBOGO-POLICY-COLUMNS",
            )

    @property
    def models(self) -> tuple[dict[str, Any], ...]:
        """The privacy models asked for; a policy that promises none is of no use to a job that asks for them."""
        if self.privacy is None:
            raise PolicyError(
                tr("required key missing"),
                where=f"{self.name}, privacy",
                remedy=tr('Say what must hold, for example: models = [{ model = "k-anonymity", k = 5 }].'),
                code="COBOGO-POLICY-MISSING",
            )
        return self.privacy.models

    def utility_with(self, changes: Mapping[str, Any]) -> Utility:
        """The table ``[utility]`` with some of its keys given otherwise."""
        known = {} if self.utility is None else self.utility.model_dump()
        try:
            asked = Utility.model_validate({**known, **changes})
        except ValidationError as error:
            raise explain_error(error, "utility", Utility) from None
        self.check_label(asked.label, "utility.label")
        return asked

    def risk_with(self, changes: Mapping[str, Any]) -> RiskPolicy:
        """The table ``[risk]`` with some of its keys given otherwise; one way to tell the population ends another."""
        told = changes.keys() & {"population", "population_size", "fraction"}
        known = {"threshold": self.risk.threshold} if told else self.risk.model_dump()
        try:
            return RiskPolicy.model_validate({**known, **changes})
        except ValidationError as error:
            raise explain_error(error, "risk", RiskPolicy) from None

    def with_role(self, role: Role) -> tuple[str, ...]:
        """The attributes of one role, in the policy's order."""
        return tuple(name for name, attribute in self.attributes.items() if attribute.role is role)

    def titled(self, name: str) -> str:
        """The name of a column, and what people call it if the policy says so, for those who read about it."""
        title = self.attributes[name].title if name in self.attributes else None
        return f"{name} ({title})" if title else name

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the policy's order."""
        return self.with_role(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive attributes, in the policy's order."""
        return self.with_role(Role.SENSITIVE)


def _refuse_words(attributes: Mapping[str, Any]) -> None:
    """A role is not a word in Python: the error of a word says which function makes one."""
    for name, part in attributes.items():
        if isinstance(part, str):
            raise PolicyError(
                tr('is the text "{text}", and must say how the column is treated', text=part),
                where=f"policy, attributes.{name}",
                remedy=tr("Write cobogo.quasi(), cobogo.sensitive(), cobogo.non_sensitive() or cobogo.identifier()."),
                code="COBOGO-POLICY-ROLE",
            )


def _flatten(content: Mapping[str, Any], place: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested tables with the dotted key of its place."""
    for key, value in content.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{place}{key}.")
        else:
            yield f"{place}{key}", value

"""What requests and answers look like: the words of the OpenAPI document."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from cobogo.faces.server.roles import KeyRole, KeyScope
from cobogo.faces.server.settings import SourceName


class ApiModel(BaseModel):
    """Unknown fields of a request are errors, as unknown keys of a policy are."""

    model_config = ConfigDict(extra="forbid")


class ProblemShown(ApiModel):
    """What was wrong, where, and what to do. ``templates`` has the sentences with their values apart, to translate."""

    detail: str
    where: str | None = None
    remedy: str | None = None
    code: str
    templates: dict[str, dict[str, Any]] = Field(default_factory=dict)


Identity = Annotated[str, Field(pattern=r"^[0-9a-f]{16}$", examples=["0123456789abcdef"])]
Text = Annotated[str, Field(max_length=1_000_000)]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class KeyWanted(ApiModel):
    """A key to be made."""

    owner: Annotated[str, Field(pattern=r"^[\w.-]{1,100}$")]
    role: KeyRole
    scopes: list[KeyScope] | None = None
    days: Annotated[float, Field(gt=0, le=3660)] | None = None


class KeyMade(ApiModel):
    """A new key, whose text is shown only now."""

    id: Identity
    key: str


class KeyShown(ApiModel):
    """A key without its secret. Times are seconds since 1970."""

    id: Identity
    owner: str
    role: KeyRole
    scopes: list[KeyScope]
    created: float
    expires: float | None
    revoked: float | None


class Who(ApiModel):
    """Whose key was used, and what it may do."""

    owner: str
    role: KeyRole
    scopes: list[KeyScope]


class Dataset(ApiModel):
    """A table that was uploaded."""

    id: Identity
    name: str
    columns: list[str]
    rows: int
    size: int
    created: float
    files: list[str]


class TableWanted(ApiModel):
    """A table of a database that the server's file names."""

    source: SourceName
    table: Name
    name: Name | None = None


class Page(ApiModel):
    """Some rows of a table, as text."""

    columns: list[str]
    rows: list[list[str | None]]
    offset: int
    total: int


class SuggestionShown(ApiModel):
    """What a column seems to be, and why."""

    columns: list[dict[str, Any]]
    policy: str


class PolicyWanted(ApiModel):
    """A policy for a data set: the text of its TOML file, without path and output."""

    dataset: Identity
    name: Name
    toml: Text


class PolicyShown(PolicyWanted):
    """A policy that is kept."""

    id: Identity
    created: float


class JobWanted(ApiModel):
    """A job to be done: a policy that is kept, or a text, on a data set."""

    kind: Literal["anonymize", "perturb", "mask", "sample", "synthesize"]
    dataset: Identity
    policy: Identity | None = None
    toml: Text | None = None


class AuditWanted(ApiModel):
    """A job that tries every attack on a release and puts what it finds into the evidence."""

    kind: Literal["audit"]
    release: Identity


class Job(ApiModel):
    """A job: how far it is, and the release that came of it, or that it audits."""

    id: Identity
    kind: str
    dataset: Identity
    state: Literal["queued", "running", "cancelling", "done", "refused", "failed", "cancelled"]
    stage: str
    done: int
    total: int
    message: str
    code: str | None
    release: Identity | None
    created: float
    finished: float | None


class JobInQueue(ApiModel):
    """A job that waits or runs, without what it is about: for whoever keeps the server running."""

    id: str
    owner: str
    kind: str
    state: str
    stage: str
    done: int
    total: int
    created: float


class ReleaseShown(ApiModel):
    """A release."""

    id: Identity
    dataset: Identity
    owner: str
    kind: str
    records: int | None
    suppressed: int | None
    created: float


class VerdictShown(ApiModel):
    """Whether a release holds what it promises, checked now from its bytes."""

    holds: bool
    details: dict[str, Any]


class LogLine(ApiModel):
    """Who did what, to what, and what came of it."""

    id: int
    at: float
    owner: str
    role: str
    key: str
    action: str
    object: str
    status: int


class Question(ApiModel):
    """A question to the curator and what may be spent on it."""

    sql: Annotated[str, Field(min_length=1, max_length=20_000)]
    epsilon: Annotated[str, Field(max_length=50)] | None = None
    rho: Annotated[str, Field(max_length=50)] | None = None
    delta: Annotated[str, Field(max_length=50)] = "0"


class AnswerShown(ApiModel):
    """An answer: rows, intervals of confidence, what was spent and what is left."""

    columns: list[str]
    rows: list[list[Any]]
    intervals: dict[str, list[Any]]
    spent: dict[str, float]
    left: Any


class Health(ApiModel):
    """Whether the server is well."""

    status: Literal["ok"]
    version: str


class CollectionWanted(ApiModel):
    """A collection to be opened: the text of its TOML file, with its lists of values in it."""

    toml: Text


class CollectionShown(ApiModel):
    """A collection, and how many reports have come in."""

    id: Identity
    name: str
    reports: int
    created: float


class Received(ApiModel):
    """How many reports were taken in."""

    reports: int


class Texts(ApiModel):
    """Values, or tokens in place of them."""

    domain: Annotated[str, Field(min_length=1, max_length=100)]
    texts: Annotated[list[Annotated[str, Field(max_length=10_000)] | None], Field(max_length=100_000)]


class Exchanged(ApiModel):
    """What stands in their place, in the same order."""

    texts: list[str | None]

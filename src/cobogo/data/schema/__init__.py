"""The schema of a table: what its columns are, what in them may point at people, and the roles to suggest."""

from cobogo.data.policy.complaints import CONFIRM
from cobogo.data.schema.detect import Finding, detect
from cobogo.data.schema.profile import CERTAIN, MOST_VALUES, ColumnKind, ColumnProfile, Type, profile
from cobogo.data.schema.starter import starter_policy
from cobogo.data.schema.suggest import Suggestion, suggest
from cobogo.data.schema.words import Clue

__all__ = [
    "CERTAIN", "CONFIRM", "MOST_VALUES", "Clue", "ColumnKind", "ColumnProfile", "Finding", "Suggestion", "Type",
    "detect", "profile", "starter_policy", "suggest",
]  # fmt: skip

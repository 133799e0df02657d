"""What tells columns of surveys: answers on a scale (Likert), and the weights of records in a sample."""

from __future__ import annotations

import re

from cobogo.data.policy import Role
from cobogo.data.schema.profile import ColumnProfile, Type
from cobogo.data.schema.words import WEIGHT, plain, words_of
from cobogo.floor.language import Text, tr

MOST_STEPS = 13
"""The values that an answer on a scale has at most: from 0 to 10, "do not know" and "no answer"."""

NO_ANSWER = frozenset({"-1", "77", "88", "97", "98", "99", "777", "888", "999"})
"""How questionnaires code that nobody answered."""

_QUESTION = re.compile(
    r"(?:p|q|v|i|it|item|questao|question|pergunta|perg|var)[ _.-]?[0-9]{1,3}(?:[ _.-]?(?:[a-z]|[0-9]{1,2}))?"
)
_STEP = re.compile(
    r"\b(?:concord|discord|satisf|insatisf|importan|nunca|rara|as vezes|frequente|sempre|provav|improvav|pessim|ruim|"
    r"regular|bo[ma]\b|otim|excelente|nada|pouc|mais ou menos|muit|agree|disagree|dissatisf|unsatisf|never|rarely|"
    r"sometimes|often|usually|always|likely|unlikely|poor|fair|good|excellent|not at all|slightly|"
    r"somewhat|very|extremely)"
)
_STEPS = 0.6  # the share of values with such a word: "neither", "do not know" have none; not tuned
_WEIGHT_NAMES = frozenset(["peso", "pesos", "weight", "weights", "wt", "wgt", "wts", "pond", "fator", "factor"])


def answer_reason(profile: ColumnProfile) -> Text | None:
    """Why a column seems to hold answers on a scale, or None."""
    texts = profile.texts
    if not 3 <= len(texts) <= MOST_STEPS or profile.sampled:
        return None
    if sum(_STEP.search(plain(text)) is not None for text in texts) >= _STEPS * len(texts):
        return tr("its values are steps of a scale, as in the answers to a survey")
    named = _QUESTION.fullmatch(plain(profile.name).strip()) is not None
    steps = [int(text) for text in texts if text.isascii() and text.isdigit() and text not in NO_ANSWER]
    if named and steps and len(steps) + len(NO_ANSWER.intersection(texts)) == len(texts) and max(steps) <= 10:
        return tr("its name is that of a question, and its values are steps of a scale")
    return None


def weight_reason(profile: ColumnProfile) -> Text | None:
    """Why a column seems to hold the weights of a sample, or None."""
    topic = profile.topic
    if topic is not None and topic.about == WEIGHT:
        return tr("its name or its label says that it weighs the records of a sample")
    if profile.kind.type is not Type.DECIMAL or not _WEIGHT_NAMES.intersection(words_of(profile.name)):
        return None
    numbers = profile.numbers
    mean = sum(number * count for number, count in numbers) / sum(count for _, count in numbers)
    if numbers[0][0] > 0 and numbers[0][0] < 1 < numbers[-1][0] and (profile.sampled or 0.9 <= mean <= 1.1):
        return tr("its values are positive and lie around 1, as the weights of a sample do")
    return None


def weight_role(profile: ColumnProfile) -> tuple[Role, Text]:
    """The role of a survey weight, which is no quasi-identifier, and why."""
    if profile.unique_share >= 0.5:
        return Role.IDENTIFIER, tr(
            "no quasi-identifier: nobody knows it of a person, and recoded weights give wrong totals. Most records "
            "have one of their own, which would point at them: left out; round it if others need it"
        )
    return Role.NON_SENSITIVE, tr(
        "no quasi-identifier: nobody knows it of a person, and recoded weights give wrong totals. Released as it is, "
        "it may tell the group of the sample that a record is from"
    )

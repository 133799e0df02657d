"""The glossary: the words of the field, each with a definition. ``cobogo explain`` finds them in any language.

The texts are here and nowhere else; a test compares ``docs/glossary.md`` and its translation with them.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from cobogo.floor.language import LANGUAGES, Speech, Text, speech, tr


@dataclass(frozen=True)
class Term:
    """A word of the glossary: its names (in brackets, the usual one first), its definition, the page that says more,
    and a line of a policy where it can be written in one."""

    names: Text
    definition: Text
    guide: str
    policy: str = ""

    def title(self, say: Speech) -> str:
        """The usual name in a language."""
        return say(self.names).strip("[]").partition("; ")[0]

    def others(self, say: Speech) -> list[str]:
        """The other names in a language."""
        return say(self.names).strip("[]").split("; ")[1:]


TERMS = (
    Term(
        tr("[microdata]"),
        tr("A table with one row for each person, visit or trip, before anything is summed up."),
        "concepts/microdata",
    ),
    Term(tr("[record]"), tr("One row of the table."), "concepts/microdata"),
    Term(
        tr("[unit]"),
        tr(
            "The column that says which records belong to the same person. Without it, each record counts as "
            "a person of its own."
        ),
        "policy",
    ),
    Term(
        tr("[role]"),
        tr(
            "What a column can reveal about a person: identifier, quasi-identifier, sensitive or "
            "non-sensitive. You decide; the program only suggests."
        ),
        "concepts/microdata",
    ),
    Term(
        tr("[identifier]"),
        tr("A column that names a person by itself, such as a name, a CPF or a record number. It is never released."),
        "concepts/microdata",
        'name = { role = "identifier" }',
    ),
    Term(
        tr("[quasi-identifier]"),
        tr(
            "A column that others may know about a person, and that names the person together with other "
            "quasi-identifiers: birth date, sex, district. It is recoded before it is released."
        ),
        "concepts/microdata",
        'city = { role = "quasi-identifier", hierarchy = { csv = "city.csv" } }',
    ),
    Term(
        tr("[sensitive attribute]"),
        tr(
            "A column whose value nobody may learn about a person, such as a diagnosis or a salary. It is "
            "released unchanged, and the models protect it."
        ),
        "concepts/microdata",
        'disease = { role = "sensitive" }',
    ),
    Term(
        tr("[non-sensitive attribute]"),
        tr("A column that neither helps to find a person nor must be protected. It is released unchanged."),
        "concepts/microdata",
        'year = { role = "non-sensitive" }',
    ),
    Term(
        tr("[population]"),
        tr(
            "All people from which the people of the table were drawn. A person who is unique in the table "
            "need not be unique in the population."
        ),
        "risk",
    ),
    Term(tr("[unique]"), tr("A person whose combination of quasi-identifiers nobody else in the table has."), "risk"),
    Term(tr("[steward]"), tr("The person who is responsible for the data and makes the release."), "server"),
    Term(tr("[recipient]"), tr("A person who receives a release."), "release"),
    Term(
        tr("[policy]"),
        tr("The TOML file that describes a whole job: data, roles, models, search and output."),
        "policy",
    ),
    Term(
        tr("[release]"),
        tr("The protected version of a table that is given away, together with what it promises."),
        "release",
    ),
    Term(
        tr("[public and evidence; public; evidence]"),
        tr(
            "The two directories of a release. `public/` may be given away. `evidence/` stays with the data "
            "holder, because it shows original values."
        ),
        "release",
    ),
    Term(
        tr("[dictionary]"),
        tr(
            "The page of a release that tells recipients what the values of each column mean. The manifest "
            "says the same for programs."
        ),
        "release",
    ),
    Term(tr("[recoding]"), tr("Making values coarser so that people look alike."), "concepts/generalization"),
    Term(
        tr("[generalization]"),
        tr("Replacing a value by a coarser, still true value: 12/03/1984 by 1984."),
        "concepts/generalization",
    ),
    Term(
        tr("[hierarchy]"),
        tr("The levels through which a value becomes coarser, up to `*`."),
        "hierarchies",
        "hierarchy = { intervals = [5, 10, 20], top = true }",
    ),
    Term(
        tr("[level]"),
        tr("A step of a hierarchy. Level 0 is the original value; the last level of most hierarchies is `*`."),
        "hierarchies",
    ),
    Term(
        tr("[suppression]"),
        tr("Leaving out a record, a value or a cell that cannot be released safely."),
        "concepts/suppression",
    ),
    Term(
        tr("[suppression limit]"),
        tr("The share of the records that may be left out."),
        "policy",
        "suppression-limit = 0.05",
    ),
    Term(
        tr("[class; equivalence class]"),
        tr("All released records with the same quasi-identifiers; in full, equivalence class."),
        "concepts/models",
    ),
    Term(
        tr("[lattice]"),
        tr(
            "All combinations of levels, one level for each quasi-identifier, ordered from fine to coarse. "
            "The search looks for its best node."
        ),
        "concepts/generalization",
    ),
    Term(tr("[metric]"), tr("A number that says how much a release lost."), "concepts/metrics"),
    Term(tr("[loss]"), tr("The share of the detail that a release lost, from 0 to 1."), "metrics"),
    Term(
        tr("[full-domain recoding]"),
        tr("Recoding in which all values of a column have the same level."),
        "algorithms-lattice",
    ),
    Term(
        tr("[local recoding]"),
        tr("Recoding in which each record has its own levels. It loses less, but one value may appear at two levels."),
        "algorithms-local",
    ),
    Term(
        tr("[microaggregation]"),
        tr("Replacing values by the mean, median or mode of a small group of similar records."),
        "algorithms-partition",
    ),
    Term(
        tr("[perturbation]"),
        tr("Changing values (noise, swapping, exchange) so that single values may be wrong and statistics stay close."),
        "concepts/perturbation",
    ),
    Term(
        tr("[randomization]"),
        tr("Exchanging sensitive values at random with known probabilities, which gives a guarantee."),
        "randomization",
    ),
    Term(tr("[synthetic data]"), tr("Invented records drawn from a model of the table."), "synthesis"),
    Term(
        tr("[masking]"),
        tr("Replacing values by fakes so that a table can be used for testing. It gives no formal guarantee."),
        "masking",
    ),
    Term(
        tr("[pseudonym]"),
        tr(
            "A code that always replaces the same value, computed with a secret key. A hash of a CPF without "
            "a key is no substitute: anyone can try all CPFs."
        ),
        "tokens",
    ),
    Term(tr("[token]"), tr("A random text that replaces a value. Only the vault can turn it back."), "howto/tokenise"),
    Term(tr("[vault]"), tr("The database that knows which token replaces which value."), "howto/tokenise"),
    Term(
        tr("[registry]"),
        tr("The encrypted record of earlier releases, against which a new release is checked."),
        "registry",
    ),
    Term(tr("[verification]"), tr("Reading the released file back and measuring every model on it."), "release"),
    Term(tr("[audit]"), tr("Trying every attack that applies to a release, with a page to sign."), "registry"),
    Term(
        tr("[privacy]"),
        tr(
            "How far others have access to a person: by what they know, by their attention, by their nearness "
            "(Gavison 1980). In a table: what can be learnt about a person by those who may read it."
        ),
        "concepts/privacy",
    ),
    Term(
        tr("[utility]"),
        tr("What a release can still be used for. More privacy costs utility; `cobogo frontier` shows how much."),
        "concepts/metrics",
    ),
    Term(tr("[privacy model]"), tr("A condition that every class of a release must satisfy."), "models"),
    Term(
        tr("[k-anonymity]"),
        tr("Every class has at least k records, so an attacker picks the right one with a probability of at most 1/k."),
        "models",
    ),
    Term(
        tr("[l-diversity]"),
        tr("Every class has at least l well-represented values of a sensitive attribute."),
        "models",
    ),
    Term(
        tr("[t-closeness]"),
        tr("In every class a sensitive attribute is distributed almost as in the whole table; t bounds the distance."),
        "models",
    ),
    Term(
        tr("[δ-presence]"),
        tr("An attacker cannot tell, with a confidence outside two bounds, that a person is in the data."),
        "models",
    ),
    Term(
        tr("[m-invariance]"),
        tr("In repeated releases, a person is always in a class with the same set of sensitive values."),
        "models",
    ),
    Term(
        tr("[guarantee]"),
        tr("What a mechanism promises, with its parameters, whatever an attacker knows."),
        "randomization",
    ),
    Term(
        tr("[differential privacy]"),
        tr("The output is almost equally probable with or without any one person."),
        "concepts/differential-privacy",
    ),
    Term(
        tr("[ε (epsilon)]"),
        tr(
            'The number that says what "almost" means in differential privacy. A smaller ε protects better '
            "and needs more noise."
        ),
        "epsilon",
    ),
    Term(tr("[δ (delta)]"), tr("The probability with which ε may be exceeded. It must be very small."), "epsilon"),
    Term(
        tr("[neighbouring tables; neighbours]"),
        tr("Two tables that differ in one person. Differential privacy compares what a mechanism does on both."),
        "concepts/differential-privacy",
    ),
    Term(
        tr("[sensitivity]"),
        tr("The largest change that one person can make to an answer. It has nothing to do with sensitive attributes."),
        "concepts/differential-privacy",
    ),
    Term(
        tr("[noise]"), tr("A random number that is added to an answer or a position."), "concepts/differential-privacy"
    ),
    Term(
        tr("[mechanism]"),
        tr("A method that draws a randomized output, with its guarantee."),
        "concepts/differential-privacy",
    ),
    Term(
        tr("[budget]"),
        tr("The privacy loss (ε, δ or ρ) that may be spent in all. When it is spent, there are no more answers."),
        "howto/set-budgets",
    ),
    Term(tr("[ledger]"), tr("The sealed record of what each answer has cost."), "curator"),
    Term(tr("[curator]"), tr("The program that keeps a table and answers questions about it with noise."), "curator"),
    Term(tr("[analyst]"), tr("A person who asks the curator, with their own budget."), "curator"),
    Term(
        tr("[bounds]"),
        tr("The declared smallest and largest value of a column. Values outside are clipped."),
        "curator",
    ),
    Term(
        tr("[attacker]"),
        tr("A person who has the release and additional knowledge, and wants to learn something about a person."),
        "threat-model",
    ),
    Term(tr("[attack]"), tr("A program that tries to find a person, a value or a presence in a release."), "attacks"),
    Term(tr("[knowledge]"), tr("A table about people that the attacker already has."), "attacks"),
    Term(tr("[re-identification]"), tr("Finding the record that belongs to a person."), "attacks"),
    Term(tr("[record linkage]"), tr("Re-identification by joining quasi-identifiers with a known table."), "attacks"),
    Term(
        tr("[null-map; wrong-map]"),
        tr(
            "The share of a release's records that match nobody in a register of its people. The wrong-map is the "
            "share that match only other people, and the k-map asks for k who match. `cobogo attack record-linkage` "
            "prints the first two."
        ),
        "attacks",
    ),
    Term(
        tr("[attribute linkage]"),
        tr(
            "Learning a person's sensitive value without finding the record: most records that may be the "
            "person's have it."
        ),
        "concepts/attacks",
    ),
    Term(
        tr("[table linkage]"),
        tr("Learning that a person is in the table, or that the person is not."),
        "concepts/attacks",
    ),
    Term(
        tr("[access control]"),
        tr("Rules about who may read what. It stops those who may not read, and not what others learn from reading."),
        "concepts/access-control",
    ),
    Term(
        tr("[multilevel database]"),
        tr(
            "A database in which data have classifications and users have clearances. From what they may read, "
            "users may infer what they may not."
        ),
        "concepts/access-control",
    ),
    Term(tr("[inference]"), tr("Learning a person's sensitive value without finding the record."), "attacks"),
    Term(
        tr("[membership]"),
        tr("The fact that a person is in the data. It may be a secret by itself, as with the patients of one clinic."),
        "attacks",
    ),
    Term(
        tr("[worst inference]"),
        tr("The share of right guesses of a sensitive value in the most revealing class."),
        "models",
    ),
    Term(
        tr("[highest risk]"),
        tr(
            "The probability of re-identification for the person at the greatest risk. With k-anonymity it is "
            "at most 1/k."
        ),
        "risk",
    ),
    Term(
        tr("[gain]"),
        tr(
            "How much an attack raises the attacker's probability: the confidence with the attack minus the "
            "baseline without it."
        ),
        "attacks",
    ),
    Term(tr("[threshold]"), tr("The confidence, gain or risk above which a person counts as found."), "attacks"),
    Term(
        tr("[prosecutor; journalist; marketer]"),
        tr(
            "Three attackers: one who knows that the person is in the table, one who does not, and one who "
            "wants as many people as possible."
        ),
        "risk",
    ),
    Term(tr("[collection]"), tr("One question to many clients, as a file that the steward publishes."), "collecting"),
    Term(tr("[collector]"), tr("The party that receives the reports."), "collecting"),
    Term(tr("[client]"), tr("The program on a person's device that randomizes the answer."), "collecting"),
    Term(
        tr("[report]"),
        tr(
            "One randomized answer or one noisy position of a client; all that leaves the device. (The report "
            "of a release is a page in its evidence.)"
        ),
        "collecting",
    ),
    Term(
        tr("[local differential privacy]"),
        tr("Differential privacy in which each person adds the noise on their own device."),
        "concepts/differential-privacy",
    ),
    Term(
        tr("[randomized response]"),
        tr("Answering truthfully with a known probability and at random otherwise."),
        "tutorials/collect",
    ),
    Term(
        tr("[memo]"),
        tr("The file in which a client keeps its permanent answers, so that repeated questions reveal nothing more."),
        "collecting",
    ),
    Term(tr("[trip]"), tr("A person's movement from one stay to the next."), "trajectories"),
    Term(
        tr("[geo-indistinguishability]"),
        tr(
            "Differential privacy for positions: nearby places give the same report with similar probability. "
            "Its ε is per metre."
        ),
        "concepts/location",
    ),
    Term(tr("[dummies]"), tr("Invented positions that are sent together with the true one."), "location-mechanisms"),
    Term(
        tr("[cloak]"), tr("A rectangle with at least k people that is sent instead of a position."), "concepts/location"
    ),
    Term(
        tr("[anonymizer]"),
        tr("The trusted server between devices and a service that makes cloaks."),
        "location-service",
    ),
    Term(tr("[mix zone]"), tr("An area without reports, after which people get new pseudonyms."), "location-service"),
    Term(
        tr("[(k, δ)-anonymity]"),
        tr("Every released trip has at least k − 1 others within δ metres at all times."),
        "trajectories",
    ),
    Term(
        tr("[personal data]"),
        tr(
            "Information about a natural person who is identified or can be identified (LGPD art. 5, I). As "
            "long as identifiers or quasi-identifiers lead to a person, the whole record is personal data."
        ),
        "risk",
    ),
    Term(
        tr("[sensitive personal data]"),
        tr(
            "Personal data on racial or ethnic origin, religion, political opinion, membership of a union or "
            "of a religious, philosophical or political organization, health or sexual life, and genetic or "
            "biometric data (LGPD art. 5, II). In a policy these are often sensitive attributes; a salary is "
            "a sensitive attribute without being on this list."
        ),
        "risk",
    ),
    Term(
        tr("[anonymized data]"),
        tr(
            "Data about a person who cannot be identified, considering the reasonable technical means "
            "available when the data are processed (LGPD art. 5, III). They are not personal data, unless the "
            "process is reversed by one's own means or can be reversed with reasonable effort (art. 12). No "
            "single model decides this: risk figures and an audit support the judgement of the controller."
        ),
        "threat-model",
    ),
    Term(
        tr("[pseudonymization]"),
        tr(
            "Treating data so that they can be linked to a person only with additional information, which the "
            "controller keeps separately in a controlled and secure environment (LGPD art. 13, § 4). "
            "Pseudonyms and tokens do this. It can be undone, so it is not anonymization."
        ),
        "tokens",
    ),
    Term(
        tr("[data subject]"),
        tr("The natural person to whom the personal data refer (LGPD art. 5, V); in Cobogó, the person of a record."),
        "concepts/microdata",
    ),
    Term(
        tr("[controller and processor]"),
        tr(
            "The controller decides about the processing of personal data (LGPD art. 5, VI); the processor "
            "processes them on the controller's behalf (VII). The data holder in these pages is usually the "
            "controller."
        ),
        "release",
    ),
    Term(
        tr("[data protection officer]"),
        tr(
            "The person whom the controller names as the channel to data subjects and to the national "
            "authority, ANPD (LGPD art. 5, VIII). The page of an audit has a place for this person's "
            "signature."
        ),
        "registry",
    ),
)
"""All words, in the order of the page."""


def find_term(name: str) -> Term | None:
    """The word of a name in any language; hyphens, capitals and accents do not matter.

    >>> [find_term(name).title(speech("en")) for name in ("Hierarquia", "quasi identifier", "epsilon", "supressao")]
    ['hierarchy', 'quasi-identifier', 'ε (epsilon)', 'suppression']
    """
    return _index().get(_plain(name))


def term_names() -> list[str]:
    """Every name in every language, to find the nearest one."""
    return list(_index())


@cache
def _index() -> dict[str, Term]:
    found: dict[str, Term] = {}
    for language in LANGUAGES:
        for term in TERMS:
            for name in speech(language)(term.names).strip("[]").split("; "):
                outside, _, inside = name.partition(" (")
                for one in (name, outside, inside.rstrip(")")):
                    found.setdefault(_plain(one), term)
    found.pop("", None)
    return found


def _plain(name: str) -> str:
    """A name without what people leave out."""
    letters = unicodedata.normalize("NFKD", name.casefold())
    return re.sub(r"[\s_-]+", " ", "".join(sign for sign in letters if not unicodedata.combining(sign))).strip()

"""What several pages call the same things."""

from __future__ import annotations

from cobogo.floor.language import Speech, tr
from cobogo.publish.recode.algorithms import ALGORITHMS

KIND_WHY = {
    "anonymize": tr(
        "Values are generalized, and records that are still too rare are suppressed, until the models hold."
    ),
    "perturb": tr("Values are changed at random: statistics stay close, but single values may be wrong."),
    "mask": tr("Identifying values are replaced by invented ones: for test data, not for publishing."),
    "sample": tr("A random part of the records, generalized, without the rows that only few people share."),
    "synthesize": tr("New records are drawn. They belong to no real person and have similar statistics."),
    "audit": tr("Every attack that applies is tried on a release."),
}

KIND = {
    "anonymize": tr("recoding"),
    "perturb": tr("perturbation"),
    "mask": tr("masking"),
    "sample": tr("private sample"),
    "synthesize": tr("synthetic data"),
    "audit": tr("audit"),
}

JOB_STATE = {
    "queued": tr("Waiting"),
    "running": tr("Running"),
    "cancelling": tr("Stopping"),
    "done": tr("Done"),
    "refused": tr("Refused"),
    "failed": tr("Failed"),
    "cancelled": tr("Cancelled"),
}

MAP_KNOB = {
    "epsilon": tr("ε per metre"),
    "k": tr("k"),
    "radius": tr("Radius, m"),
    "relevance": tr("Relevance"),
    "how": tr("How"),
    "test_share": tr("Share of ε for the test"),
    "window": tr("Earlier reports considered"),
    "judge": tr("Prediction checked against"),
    "reciprocal": tr("Same cloak for all people in it"),
    "tolerance": tr("Tolerance, m"),
    "dt": tr("Longest wait, s"),
}

MAP_ATTACK = {
    "tracking": tr("Tracking"),
    "short-observation": tr("One report at a time"),
    "long-observation": tr("Most visited place"),
    "same-origin": tr("Origin of the trips"),
    "home-and-work": tr("Home"),
    "presence-absence": tr("Presence at a busy place"),
    "identification": tr("Who is it?"),
    "aggregated-presence": tr("Who meets whom?"),
    "centre-of-cloak": tr("Centre of the cloak"),
    "intersection-of-cloaks": tr("Intersection of the cloaks"),
}

MAP_NAME = {
    "planar-laplace": tr("Planar Laplace"),
    "remapped-laplace": tr("Planar Laplace, remapped"),
    "optimal": tr("Optimal"),
    "grid-exponential": tr("Exponential on a grid"),
    "elastic": tr("Elastic"),
    "predictive": tr("Predictive"),
    "adaptive": tr("Adaptive"),
    "several": tr("Several places at once"),
    "centroid": tr("Centre of a person's places"),
    "disc": tr("Disc"),
    "keyed-transform": tr("Rotated map"),
    "indirect": tr("Nearest public place"),
    "dummies": tr("Dummies"),
    "eclipse": tr("Eclipse"),
    "cached-dummies": tr("Dummies for a cache"),
    "quad-tree": tr("Cloak: quad-tree"),
    "casper": tr("Cloak: Casper"),
    "hilbert": tr("Cloak: Hilbert's order"),
    "nearest-neighbours": tr("Cloak: nearest neighbours"),
    "clique": tr("Cloak: clique"),
    "crowd-positions": tr("Positions of k people"),
}

MAP_CHOICE = {
    "enlarge": tr("a larger disc"),
    "reduce": tr("a smaller disc"),
    "shift": tr("a shifted disc"),
    "uniform": tr("anywhere"),
    "dls": tr("as probable as the true position"),
    "enhanced-dls": tr("as probable, and far apart"),
    "truth": tr("the true position"),
    "reports": tr("reports"),
    "true": tr("yes"),
    "false": tr("no"),
}

RECODING = {
    "full-domain": tr("one level for a whole column"),
    "subtree": tr("all values of a group go up together"),
    "sibling": tr("a value goes up alone, to its group"),
    "value": tr("a value is kept everywhere, or nowhere"),
    "cell": tr("each record has its own levels"),
}

CHOICE = {
    ".": tr("Point: 1.5"),
    ",": tr("Comma ,"),
    ";": tr("Semicolon ;"),
    "\t": tr("Tab"),
    "|": tr("Bar |"),
    "right": tr("the last ones"),
    "left": tr("the first ones"),
    "utf-8": tr("UTF-8"),
    "latin-1": tr("Latin-1"),
    "municipality": tr("Municipalities of Brazil (IBGE)"),
    "cep": tr("Postal codes of Brazil (CEP)"),
    "icd-10": tr("Diagnoses (ICD-10)"),
    "distinct": tr("number of different values"),
    "entropy": tr("entropy: rare values count little"),
    "recursive": tr("recursive: limits the most frequent value"),
    "equal": tr("all values equally far apart"),
    "ordered": tr("by their order"),
    "hierarchical": tr("by the hierarchy"),
    "basic": tr("basic"),
    "enhanced": tr("enhanced: no value becomes certain"),
    "absolute": tr("at most ε apart"),
    "relative": tr("at most ε times the value apart"),
    "poisson": tr("Poisson"),
    "zero-truncated-poisson": tr("Poisson without zero"),
    "any": tr("anyone's"),
    "table": tr("that of the table"),
}

RUN_REPAIR = {
    "columns": tr("Go to the columns"),
    "privacy": tr("Change the policy"),
}

ROLE = {
    "identifier": tr("Identifier: names a person by itself; not released"),
    "quasi-identifier": tr("Quasi-identifier: others may know it; generalized"),
    "sensitive": tr("Sensitive: an attacker must not learn it"),
    "non-sensitive": tr("Non-sensitive: released unchanged"),
}

COLLECT = {
    "name": tr("Name for people"),
    "question": tr("Question for programs"),
    "low": tr("Least"),
    "high": tr("Greatest"),
    "share": tr("Smallest share to detect, %"),
    "error": tr("Largest standard error of the mean"),
    "needed": tr("Clients needed"),
    "smallest": tr("Smallest share detected"),
    "off": tr("Standard error"),
    "bytes": tr("Bytes per report"),
    "value": tr("Value"),
    "mechanism": tr("Mechanism"),
    "part": tr("Share"),
    "interval": tr("95 %"),
    "clients-estimated": tr("Clients"),
    "there": tr("Detected"),
}

LOOKED = {
    "original": tr("Original"),
    "after": tr("Released data"),
    "anonymize": tr("Anonymized"),
    "perturb": tr("Perturbed"),
    "mask": tr("Masked"),
    "sample": tr("Sampled"),
    "synthesize": tr("Synthetic"),
}

STEP = {
    "data": tr("Data"),
    "columns": tr("Columns"),
    "hierarchies": tr("Hierarchies"),
    "privacy": tr("Privacy"),
    "running": tr("Run"),
    "exploring": tr("Explore"),
    "utility": tr("Utility"),
    "risk": tr("Risk and attacks"),
    "releases": tr("Releases"),
    "asking": tr("Ask"),
    "collecting": tr("Collect"),
    "mapping": tr("Map"),
    "administering": tr("Administration"),
}


def algorithm_name(name: str, say: Speech) -> str:
    """What an algorithm is called, and beside it its name in a policy where that is another word.

    >>> from cobogo.floor.language import speech
    >>> [algorithm_name(name, speech("pt-BR")) for name in ("optimal", "mdav", "unknown")]
    ['ótimo (optimal)', 'MDAV', 'unknown']
    """
    title = say(ALGORITHMS.card(name).title) if name in ALGORITHMS else name
    return title if title.casefold() == name.casefold() else f"{title} ({name})"

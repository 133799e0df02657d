"""What several pages call the same things."""

from __future__ import annotations

from cobogo.floor.language import tr

KIND_WHY = {
    "anonymize": tr("Values become coarser, and records that stand out are left out, until the models hold."),
    "perturb": tr("Values are changed by chance: statistics stay close, single values are no longer true."),
    "mask": tr("Identifying values are replaced by others: for test data, not for publishing."),
    "sample": tr("A random part of the records, made coarser, without rows that few share."),
    "synthesize": tr("New records are drawn that are nobody's and behave like the real ones."),
    "audit": tr("A release is tried with every attack that fits."),
}

KIND = {
    "anonymize": tr("recoding"),
    "perturb": tr("perturbation"),
    "mask": tr("masking"),
    "sample": tr("private sample"),
    "synthesize": tr("synthetic data"),
    "audit": tr("audit"),
}

MAP_KNOB = {
    "epsilon": tr("ε a metre"),
    "k": tr("k"),
    "radius": tr("Radius, m"),
    "relevance": tr("Relevance"),
    "how": tr("How"),
    "test_share": tr("Share of ε for the test"),
    "window": tr("Reports looked back at"),
    "judge": tr("Judged by"),
    "reciprocal": tr("Shared by all in it"),
    "tolerance": tr("Tolerance, m"),
    "dt": tr("Patience, s"),
}

MAP_ATTACK = {
    "tracking": tr("Tracking"),
    "short-observation": tr("One report at a time"),
    "long-observation": tr("Most visited place"),
    "home-and-work": tr("Home"),
    "presence-absence": tr("Presence at a busy place"),
    "identification": tr("Who is it?"),
    "aggregated-presence": tr("Who meets whom?"),
    "centre-of-cloak": tr("Middle of the cloak"),
    "intersection-of-cloaks": tr("What all cloaks share"),
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
    "centroid": tr("Centre of one's places"),
    "disc": tr("Disc"),
    "keyed-transform": tr("Turned map"),
    "indirect": tr("Nearest public place"),
    "dummies": tr("Dummies"),
    "quad-tree": tr("Cloak: quad-tree"),
    "casper": tr("Cloak: Casper"),
    "hilbert": tr("Cloak: Hilbert's order"),
    "nearest-neighbours": tr("Cloak: nearest neighbours"),
    "clique": tr("Cloak: clique"),
}

MAP_CHOICE = {
    "enlarge": tr("a larger disc"),
    "reduce": tr("a smaller disc"),
    "shift": tr("a shifted disc"),
    "uniform": tr("anywhere"),
    "dls": tr("as likely as the truth"),
    "enhanced-dls": tr("as likely, and apart"),
    "truth": tr("the truth"),
    "reports": tr("reports"),
    "true": tr("yes"),
    "false": tr("no"),
}

CHOICE = {
    ".": tr("Point: 1.5"),
    ",": tr("Comma ,"),
    ";": tr("Semicolon ;"),
    "\t": tr("Tab"),
    "|": tr("Bar |"),
    "right": tr("right"),
    "left": tr("left"),
    "utf-8": tr("UTF-8"),
    "latin-1": tr("Latin-1"),
    "distinct": tr("different values are counted"),
    "entropy": tr("rare values count little"),
    "recursive": tr("the most frequent one is held down"),
    "equal": tr("all equally"),
    "ordered": tr("by their order"),
    "hierarchical": tr("by their hierarchy"),
    "basic": tr("basic"),
    "enhanced": tr("enhanced: nothing becomes certain"),
    "absolute": tr("within ε"),
    "relative": tr("within ε times the value"),
    "poisson": tr("Poisson"),
    "zero-truncated-poisson": tr("Poisson without zero"),
    "any": tr("anybody's"),
    "table": tr("that of the table"),
}

RUN_REPAIR = {
    "columns": tr("Look at the columns"),
    "privacy": tr("Change the policy"),
}

ROLE = {
    "identifier": tr("Identifier: points at a person; left out of the release"),
    "quasi-identifier": tr("Quasi-identifier: others may know it; made coarser"),
    "sensitive": tr("Sensitive: must not be told of anybody"),
    "non-sensitive": tr("Non-sensitive: released as it is"),
}

COLLECT = {
    "name": tr("Name, for people"),
    "question": tr("Question, for programs"),
    "low": tr("Least"),
    "high": tr("Greatest"),
    "share": tr("Smallest share to be seen, %"),
    "error": tr("Standard error that the mean may have"),
    "needed": tr("Clients needed"),
    "smallest": tr("Smallest share seen"),
    "off": tr("Standard error"),
    "bytes": tr("Bytes a report"),
    "value": tr("Value"),
    "mechanism": tr("Mechanism"),
    "part": tr("Share"),
    "interval": tr("95 %"),
    "clients-estimated": tr("Clients"),
    "there": tr("There"),
}

LOOKED = {
    "original": tr("Original"),
    "after": tr("Release"),
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
}

"""Whose docstring tells of what a policy names by a word alone."""

from __future__ import annotations

from collections.abc import Mapping

PERTURBATIONS: Mapping[str, str] = {
    "noise": "cobogo.publish.perturb.steps:add_noise",
    "swap": "cobogo.publish.perturb.steps:swap",
    "pram": "cobogo.publish.perturb.steps:randomize",
}

RANDOMIZATIONS: Mapping[str, str] = {
    "uniform": "cobogo.promises.operators.uniform:Uniform",
    "warner": "cobogo.promises.operators.matrix:warner",
    "gamma-diagonal": "cobogo.promises.operators.uniform:gamma_diagonal",
    "fine-grain": "cobogo.publish.randomize.optimal.fine_grain:linear_programme",
    "value-dependent": "cobogo.publish.randomize.optimal.fine_grain:value_dependent",
    "small-domain": "cobogo.publish.randomize.optimal.small_domain:partitioned",
    "alpha-beta": "cobogo.publish.randomize.alpha_beta:AlphaBeta",
    "perturbed-generalization": "cobogo.publish.randomize.generalized:Generalized",
}

MASKS: Mapping[str, str] = {
    "fake": "cobogo.publish.mask.fakes:fake",
    "list": "cobogo.publish.mask.fakes:Listed",
    "shuffle": "cobogo.publish.mask.operators:Shuffled",
    "blur": "cobogo.publish.mask.numbers:blurred",
    "days": "cobogo.publish.mask.dates:shifts",
    "null": "cobogo.publish.mask.texts:nothing",
    "truncate": "cobogo.publish.mask.texts:cut",
    "mask": "cobogo.publish.mask.texts:masked",
    "pseudonym": "cobogo.publish.mask.encryption:pseudonyms",
    "encrypt": "cobogo.publish.mask.encryption:encrypted",
    "token": "cobogo.publish.mask.vault.vault:Vault",
}

SYNTHESES: Mapping[str, str] = {
    "mst": "cobogo.publish.synthesize.mst:fit",
    "aim": "cobogo.publish.synthesize.aim:fit",
    "privbayes": "cobogo.publish.synthesize.privbayes:fit",
    "independent-without-guarantee": "cobogo.publish.synthesize.baselines:independent",
    "copula-without-guarantee": "cobogo.publish.synthesize.baselines:copula",
}

RELEASES: Mapping[str, str] = {
    "private-sample": "cobogo.publish.sample.parameters:parameters",
    "frequency-list": "cobogo.publish.frequency_list.mechanism:FrequencyList",
}
"""What the commands ``cobogo sample`` and ``cobogo answer frequency-list`` do."""

TRAJECTORIES: Mapping[str, str] = {
    "k-delta-anonymity": "cobogo.locate.trips.kdelta:KDelta",
    "trip-synthesis": "cobogo.locate.trips.synthesis:TripSynthesis",
    "dp-where": "cobogo.locate.mobility.fit:where",
}
"""What the commands ``cobogo locate anonymize``, ``synthesize`` and ``where`` do."""

ZONES: Mapping[str, str] = {"mix-zone": "cobogo.locate.crowds.mix_zones:MixZone"}

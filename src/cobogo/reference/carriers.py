"""Whose docstring tells of what a policy names by a word alone."""

from __future__ import annotations

from collections.abc import Mapping

PERTURBATIONS: Mapping[str, str] = {
    "noise": "cobogo.perturb.perturbation.steps:add_noise",
    "swap": "cobogo.perturb.perturbation.steps:swap",
    "pram": "cobogo.perturb.perturbation.steps:randomize",
}

RANDOMIZATIONS: Mapping[str, str] = {
    "uniform": "cobogo.perturb.operators.uniform:Uniform",
    "warner": "cobogo.perturb.operators.matrix:warner",
    "gamma-diagonal": "cobogo.perturb.operators.uniform:gamma_diagonal",
    "fine-grain": "cobogo.perturb.optimal.fine_grain:linear_programme",
    "value-dependent": "cobogo.perturb.optimal.fine_grain:value_dependent",
    "small-domain": "cobogo.perturb.optimal.small_domain:partitioned",
    "alpha-beta": "cobogo.perturb.randomization.alpha_beta:AlphaBeta",
    "perturbed-generalization": "cobogo.perturb.randomization.generalized:Generalized",
}

MASKS: Mapping[str, str] = {
    "fake": "cobogo.mask.fakes:fake",
    "list": "cobogo.mask.fakes:Listed",
    "shuffle": "cobogo.mask.operators:Shuffled",
    "blur": "cobogo.mask.numbers:blurred",
    "days": "cobogo.mask.dates:shifts",
    "null": "cobogo.mask.texts:nothing",
    "truncate": "cobogo.mask.texts:cut",
    "mask": "cobogo.mask.texts:masked",
    "pseudonym": "cobogo.mask.encryption:pseudonyms",
    "encrypt": "cobogo.mask.encryption:encrypted",
    "token": "cobogo.mask.vault.vault:Vault",
}

SYNTHESES: Mapping[str, str] = {
    "mst": "cobogo.synth.mst:fit",
    "aim": "cobogo.synth.aim:fit",
    "privbayes": "cobogo.synth.privbayes:fit",
    "independent-without-guarantee": "cobogo.synth.baselines:independent",
    "copula-without-guarantee": "cobogo.synth.baselines:copula",
}

RELEASES: Mapping[str, str] = {
    "private-sample": "cobogo.sample.parameters:parameters",
    "frequency-list": "cobogo.dp.frequency_list.mechanism:FrequencyList",
}
"""What the commands ``cobogo sample`` and ``cobogo dp frequency-list`` do."""

TRAJECTORIES: Mapping[str, str] = {
    "k-delta-anonymity": "cobogo.location.trajectories.kdelta:KDelta",
    "trip-synthesis": "cobogo.location.trajectories.synthesis:Synthesis",
    "dp-where": "cobogo.location.where.job:where",
}
"""What the commands ``cobogo location anonymize``, ``synthesize`` and ``where`` do."""

ZONES: Mapping[str, str] = {"mix-zone": "cobogo.location.mixzones:MixZone"}

"""The words of the report of a perturbation, in each language."""

from __future__ import annotations

ENGLISH = {
    "perturbed.headline": "one attribute perturbed|{n} attributes perturbed",
    "perturbed.guarantee": "Formal guarantee",
    "perturbed.none": "none",
    "perturbed.why": "Perturbation makes linking less certain. It bounds nothing: attack the release before giving "
    "it away.",
    "perturbed.moments": "Means and deviations",
    "perturbed.moments.lead": "Of the numbers, before and after. Additive noise adds to deviations; correlated noise "
    "and swapping keep both.",
    "perturbed.correlations": "Correlations",
    "perturbed.correlations.lead": "Of pairs of numbers. Noise on each by itself, and swapping, weaken them.",
    "perturbed.frequencies": "Frequencies",
    "perturbed.frequencies.lead": "How far the shares of an attribute's values moved: the part of the records that "
    "would have to change for them to be as before.",
    "perturbed.pram": "Exchange by chance",
    "perturbed.pram.lead": "The part of the values that stays as it was, as expected, and the largest ratio of the "
    "probabilities of two originals of one released value; none where a released value rules originals "
    "out, or rules undo some exchanges.",
    "perturbed.swapped": "Swapping",
    "perturbed.swapped.lead": "The part of the records that found a partner. The others are released as they are.",
    "perturbed.column.attribute": "attribute",
    "perturbed.column.other": "and",
    "perturbed.column.mean.before": "mean before",
    "perturbed.column.mean.after": "mean after",
    "perturbed.column.deviation.before": "deviation before",
    "perturbed.column.deviation.after": "deviation after",
    "perturbed.column.correlation.before": "correlation before",
    "perturbed.column.correlation.after": "correlation after",
    "perturbed.column.values.before": "values before",
    "perturbed.column.values.after": "values after",
    "perturbed.column.moved": "moved",
    "perturbed.column.kept": "kept",
    "perturbed.column.amplification": "ratio",
    "perturbed.column.exchanged": "exchanged",
    "perturbed.plot": "{attribute}: before and after",
    "perturbed.plot.what": "Share of the records with each of the most frequent values",
    "perturbed.before": "before",
    "perturbed.after": "after",
}

PORTUGUESE = {
    "perturbed.headline": "um atributo perturbado|{n} atributos perturbados",
    "perturbed.guarantee": "Garantia formal",
    "perturbed.none": "nenhuma",
    "perturbed.why": "A perturbação torna a ligação menos certa. Ela não limita nada: ataque a versão publicável "
    "antes de entregá-la.",
    "perturbed.moments": "Médias e desvios",
    "perturbed.moments.lead": "Dos números, antes e depois. O ruído aditivo aumenta os desvios; o ruído "
    "correlacionado e a troca conservam ambos.",
    "perturbed.correlations": "Correlações",
    "perturbed.correlations.lead": "De pares de números. O ruído em cada um por si, e a troca, as enfraquecem.",
    "perturbed.frequencies": "Frequências",
    "perturbed.frequencies.lead": "Quanto as proporções dos valores de um atributo se moveram: a parte dos registros "
    "que teria de mudar para que fossem como antes.",
    "perturbed.pram": "Troca por sorteio",
    "perturbed.pram.lead": "A parte dos valores que fica como era, em média, e a maior razão entre as probabilidades "
    "de dois originais de um mesmo valor publicado; nenhuma onde um valor publicado exclui originais "
    "ou regras desfazem trocas.",
    "perturbed.swapped": "Troca entre registros",
    "perturbed.swapped.lead": "A parte dos registros que encontrou um par. Os outros são publicados como são.",
    "perturbed.column.attribute": "atributo",
    "perturbed.column.other": "e",
    "perturbed.column.mean.before": "média antes",
    "perturbed.column.mean.after": "média depois",
    "perturbed.column.deviation.before": "desvio antes",
    "perturbed.column.deviation.after": "desvio depois",
    "perturbed.column.correlation.before": "correlação antes",
    "perturbed.column.correlation.after": "correlação depois",
    "perturbed.column.values.before": "valores antes",
    "perturbed.column.values.after": "valores depois",
    "perturbed.column.moved": "moveu-se",
    "perturbed.column.kept": "mantido",
    "perturbed.column.amplification": "razão",
    "perturbed.column.exchanged": "trocados",
    "perturbed.plot": "{attribute}: antes e depois",
    "perturbed.plot.what": "Proporção dos registros com cada um dos valores mais frequentes",
    "perturbed.before": "antes",
    "perturbed.after": "depois",
}

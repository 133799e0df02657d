"""The words of the report of a release that is not a recoding, in each language."""

from __future__ import annotations

ENGLISH = {
    "transformed.holds": "Every guarantee was recomputed from the parameters, and the file fits them.",
    "transformed.unpromised": "The file is such as was made. No formal guarantee was asked for, and none is given.",
    "transformed.fails": "The release does not hold what it promises: do not give it away.",
    "transformed.models": "A guarantee bounds what whoever sees a released value learns of the original one. It "
    "follows from how values were drawn, not from the values.",
    "transformed.added": "added",
    "transformed.collected": "as collected",
    "masking.headline": "columns masked: {columns}; test data, with no formal guarantee",
    "masking.columns": "What was masked",
    "masking.lead": "How each column was changed, its distinct values before and after, and how many of those released "
    "are also among the original ones (of any record).",
    "masking.column": "column",
    "masking.how": "how",
    "masking.before": "values before",
    "masking.after": "values after",
    "masking.both": "in both",
    "stage.report": "reporting",
}

PORTUGUESE = {
    "transformed.holds": "Cada garantia foi recalculada a partir dos parâmetros, e o arquivo condiz com eles.",
    "transformed.unpromised": "O arquivo é como foi feito. Nenhuma garantia formal foi pedida, e nenhuma é dada.",
    "transformed.fails": "A versão publicável não cumpre o que promete: não a entregue.",
    "transformed.models": "Uma garantia limita o que quem vê um valor publicado descobre sobre o original. Ela vem de "
    "como os valores foram sorteados, não dos valores.",
    "transformed.added": "acrescentada",
    "transformed.collected": "como coletado",
    "masking.headline": "colunas mascaradas: {columns}; dados de teste, sem garantia formal",
    "masking.columns": "O que foi mascarado",
    "masking.lead": "Como cada coluna foi mudada, seus valores distintos antes e depois, e quantos dos publicados "
    "estão também entre os originais (de qualquer registro).",
    "masking.column": "coluna",
    "masking.how": "como",
    "masking.before": "valores antes",
    "masking.after": "valores depois",
    "masking.both": "em ambos",
    "stage.report": "preparando o relatório",
}

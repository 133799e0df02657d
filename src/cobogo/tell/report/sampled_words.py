"""The words of the report of a differentially private sample, in each language."""

from __future__ import annotations

ENGLISH = {
    "sample.headline": "{n} row of {records} records, drawn with ε = {epsilon}|{n} rows of {records} records, drawn "
    "with ε = {epsilon}",
    "sample.columns": "What became of each column",
    "sample.lead": "The level that it was made coarser to, its values there, and the total variation between its "
    "frequencies in the original, as coarse, and in the release.",
    "sample.name": "column",
    "sample.level": "level",
    "sample.values": "values",
    "sample.distance": "distance",
    "sample.column": "{name} before and after",
    "sample.plot": "Shares of the records, of the original made as coarse and of the release.",
    "sample.before": "original",
    "sample.after": "release",
    "sample.k": "rows of which fewer were drawn are left out",
    "sample.share": "of the records were drawn, on average",
    "sample.kept": "released",
    "sample.kept.why": "of the original's records",
}

PORTUGUESE = {
    "sample.headline": "{n} linha de {records} registros, sorteada com ε = {epsilon}|{n} linhas de {records} "
    "registros, sorteadas com ε = {epsilon}",
    "sample.columns": "O que houve com cada coluna",
    "sample.lead": "O nível a que foi generalizada, seus valores nele, e a variação total entre suas frequências no "
    "original, igualmente generalizado, e na versão publicável.",
    "sample.name": "coluna",
    "sample.level": "nível",
    "sample.values": "valores",
    "sample.distance": "distância",
    "sample.column": "{name} antes e depois",
    "sample.plot": "Proporção dos registros, do original igualmente generalizado e da versão publicável.",
    "sample.before": "original",
    "sample.after": "publicável",
    "sample.k": "linhas sorteadas menos vezes que isso ficam de fora",
    "sample.share": "dos registros foram sorteados, em média",
    "sample.kept": "publicados",
    "sample.kept.why": "dos registros do original",
}

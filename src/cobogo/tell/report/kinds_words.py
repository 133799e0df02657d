"""The words of the comparison of kinds of release, in each language."""

from __future__ import annotations

ENGLISH = {
    "kinds.title": "Kinds of release, side by side",
    "kinds.fact": "Least lost ({lost}) where these attackers find nothing beyond chance: {kind}, {given}",
    "kinds.fact.none": "In every release these attackers find more than chance explains",
    "kinds.what": "Releases of the same records. To the right: what was lost. Upwards: how much more attackers find "
    "of people in the data than of others.",
    "kinds.across": "lost: mean total variation of the frequencies of pairs of attributes",
    "kinds.up": "found: success of the best attack against people in the data, beyond that against others",
    "kinds.chance": "chance alone explains this much",
    "kinds.lead": "{members} records were released in different ways; {others} records of other people were not. "
    "Every release is measured alike, with what it lets one estimate, and attacked alike.",
    "kinds.table": "Every release",
    "kinds.table.why": "Attacks: success against people in the data, and in brackets against others. Only the "
    "difference tells of anybody.",
    "kinds.kind": "kind",
    "kinds.given": "asked",
    "kinds.records": "records",
    "kinds.one-way": "one-way distance",
    "kinds.two-way": "two-way distance",
    "kinds.query-error": "error of counts",
    "kinds.accuracy": "accuracy of a classifier",
    "kinds.re-identification": "re-identification",
    "kinds.membership": "membership",
    "kinds.inference": "inference",
    "kinds.promises": "Why the axes are not the promises",
    "kinds.promises.why": "k, p and ε are not three scales of one thing. Each promises something else, to somebody "
    "else, against somebody else. The chart shows what three attackers did, not what any could do: a low point is no "
    "promise, and a release with a small ε that these attackers cannot read keeps its promise against those who have "
    "not been thought of.",
    "kinds.original": "original",
    "kinds.original.promise": "Nothing.",
    "kinds.recoding": "k-anonymous",
    "kinds.recoding.promise": "Whoever knows the quasi-identifiers and nothing else cannot tell a person’s record "
    "from k − 1 others. Nothing is said of sensitive values, of who is in the table, of other knowledge, or of a "
    "second release.",
    "kinds.randomization": "randomized",
    "kinds.randomization.promise": "A sensitive value is kept with probability p, else drawn evenly: what anybody "
    "believes of it changes by a bounded factor. Quasi-identifiers are released as they are, so that everybody can "
    "be found in the table; what was found may be untrue.",
    "kinds.sampling": "private sample",
    "kinds.sampling.promise": "(ε, δ)-differential privacy: whether a record was in the data changes the chances of "
    "any release by e^ε at most. Rows are true and coarse; rare ones are missing.",
    "kinds.synthesis": "private synthetic data",
    "kinds.synthesis.promise": "(ε, δ)-differential privacy, by noise on some frequencies: no row is anybody’s. A "
    "row that looks like somebody’s was made by chance, which is why attackers “find” as many others as members.",
    "kinds.local": "local reports",
    "kinds.local.promise": "ε-differential privacy towards the collector as well: nobody ever had the records. The "
    "same ε costs far more use here, since noise is on every answer and not on the sum.",
    "kinds.skipped": "{kind}: left out, {why}.",
    "kinds.note": "Measured on the true data: it stays with the data holder.",
}

PORTUGUESE = {
    "kinds.title": "Tipos de publicação, lado a lado",
    "kinds.fact": "Menor perda ({lost}) sem que estes atacantes achem algo além do acaso: {kind}, {given}",
    "kinds.fact.none": "Em todas as versões estes atacantes acham mais do que o acaso explica",
    "kinds.what": "Versões dos mesmos registros. À direita: o que se perdeu. Acima: quanto a mais os atacantes "
    "encontram de quem está nos dados do que de outros.",
    "kinds.across": "perda: variação total média das frequências de pares de atributos",
    "kinds.up": "achado: sucesso do melhor ataque contra quem está nos dados, além do que tem contra outros",
    "kinds.chance": "até aqui o acaso explica",
    "kinds.lead": "{members} registros foram publicados de formas diferentes; {others} registros de outras pessoas, "
    "não. Cada versão é medida da mesma forma, pelo que deixa estimar, e atacada da mesma forma.",
    "kinds.table": "Todas as versões",
    "kinds.table.why": "Ataques: sucesso contra quem está nos dados e, entre parênteses, contra outros. Só a "
    "diferença revela algo sobre alguém.",
    "kinds.kind": "tipo",
    "kinds.given": "pedido",
    "kinds.records": "registros",
    "kinds.one-way": "distância de um atributo",
    "kinds.two-way": "distância de pares",
    "kinds.query-error": "erro de contagens",
    "kinds.accuracy": "acerto de um classificador",
    "kinds.re-identification": "reidentificação",
    "kinds.membership": "pertinência",
    "kinds.inference": "inferência",
    "kinds.promises": "Por que os eixos não são as promessas",
    "kinds.promises.why": "k, p e ε não são três escalas da mesma coisa. Cada um promete outra coisa, a outra "
    "pessoa, contra outra pessoa. O gráfico mostra o que três atacantes fizeram, não o que qualquer um poderia "
    "fazer: um ponto baixo não é promessa, e uma versão com ε pequeno que esses atacantes não conseguem ler cumpre o "
    "prometido também contra aqueles em que ninguém pensou.",
    "kinds.original": "original",
    "kinds.original.promise": "Nada.",
    "kinds.recoding": "k-anônima",
    "kinds.recoding.promise": "Quem conhece os semi-identificadores e nada mais não distingue o registro de uma "
    "pessoa de outros k − 1. Nada se diz dos valores sensíveis, de quem está na tabela, de outros conhecimentos nem "
    "de uma segunda publicação.",
    "kinds.randomization": "aleatorizada",
    "kinds.randomization.promise": "Um valor sensível é mantido com probabilidade p, ou sorteado entre todos: o que "
    "se crê dele muda por um fator limitado. Os semi-identificadores saem como são, de modo que todos podem ser "
    "achados na tabela; o que se acha pode não ser verdade.",
    "kinds.sampling": "amostra privada",
    "kinds.sampling.promise": "Privacidade diferencial (ε, δ): a presença de um registro muda as chances de qualquer "
    "publicação por no máximo e^ε. As linhas são verdadeiras e genéricas; as raras faltam.",
    "kinds.synthesis": "dados sintéticos privados",
    "kinds.synthesis.promise": "Privacidade diferencial (ε, δ), por ruído em algumas frequências: nenhuma linha é de "
    "ninguém. Uma linha parecida com a de alguém nasceu do acaso, e por isso os atacantes “acham” outros tanto "
    "quanto membros.",
    "kinds.local": "respostas locais",
    "kinds.local.promise": "Privacidade diferencial com ε também diante de quem coleta: ninguém jamais teve os "
    "registros. O mesmo ε custa aqui muito mais utilidade, pois o ruído está em cada resposta e não na soma.",
    "kinds.skipped": "{kind}: de fora, {why}.",
    "kinds.note": "Medido nos dados verdadeiros: fica com quem os guarda.",
}

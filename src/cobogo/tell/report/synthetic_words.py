"""The words of the report of synthetic data, in each language."""

from __future__ import annotations

ENGLISH = {
    "model.differential-privacy": "differential privacy",
    "model.differential-privacy.means": "Whatever anybody sees of this release is at most e^ε times as likely with a "
    "person in the data as without, except with probability δ.",
    "model.zero-concentrated-differential-privacy": "zero-concentrated differential privacy",
    "model.zero-concentrated-differential-privacy.means": "What is seen with a person in the data and without differs "
    "by a Rényi divergence of at most ρ·α, for every order α.",
    "synthetic.headline": "synthetic records by {method}, with differential privacy",
    "synthetic.headline.none": "synthetic records by {method}: NO GUARANTEE",
    "synthetic.guarantee": "Formal guarantee",
    "synthetic.none": "NONE",
    "synthetic.none.why": "The model was fitted to exact counts. Its records may tell of single people: attack them "
    "before giving them away, and better do not give them away at all.",
    "synthetic.record": "For whoever is one record of the data.",
    "synthetic.person": "For people, with up to {rows} records each.",
    "synthetic.rho.why": "Zero-concentrated; that is ε = {epsilon} for δ = {delta}.",
    "synthetic.ones": "Single attributes",
    "synthetic.ones.why": "Mean total variation: the share of the records that would have to change for an attribute "
    "to be distributed as in the original.",
    "synthetic.pairs": "Pairs of attributes",
    "synthetic.pairs.why": "The same of pairs, of which all classifiers and cross tables are made.",
    "synthetic.queries": "Counting queries",
    "synthetic.queries.why": "Mean error of {queries} random counts over ranges and single values of up to three "
    "attributes, as a share of the records.",
    "synthetic.attributes": "Attributes",
    "synthetic.attributes.lead": "How far each attribute's distribution is from the original's. All figures of this "
    "page are measured on the true data: they are not protected, and stay here.",
    "synthetic.worst": "Pairs that are farthest apart",
    "synthetic.worst.lead": "The distance of the joint distributions, and how strongly the two are associated "
    "(Cramér's V) in the original and in the release.",
    "synthetic.accuracy": "What classifiers learn",
    "synthetic.accuracy.lead": "Trained to predict {label} on the synthetic records, and on original ones; tested on "
    "{held_out} of the original. Always guessing the most frequent label is right for {baseline}.",
    "synthetic.steps": "Where the cost went",
    "synthetic.steps.lead": "Every look at the data, in order. The standard deviation of the noise is in records.",
    "synthetic.step.gaussian": "counted with noise",
    "synthetic.step.exponential": "chosen",
    "synthetic.all": "(all records)",
    "synthetic.beyond": "Values that nobody declared",
    "synthetic.beyond.lead": "Records of the original whose value is none of the domain: they counted as NULL. Left "
    "out altogether: {left_out}.",
    "synthetic.column.attribute": "attribute",
    "synthetic.column.distance": "distance",
    "synthetic.column.pair": "attributes",
    "synthetic.column.before": "association before",
    "synthetic.column.after": "association after",
    "synthetic.column.classifier": "classifier",
    "synthetic.column.original": "trained on originals",
    "synthetic.column.synthetic": "trained on synthetic",
    "synthetic.column.step": "step",
    "synthetic.column.attributes": "attributes",
    "synthetic.column.scale": "noise",
    "synthetic.column.share": "share of ρ",
    "synthetic.column.records": "records",
    "synthetic.plot.ones": "How far each attribute is off",
    "synthetic.plot.ones.what": "Total variation between original and synthetic records",
    "synthetic.plot.pairs": "How far pairs of attributes are off",
    "synthetic.plot.pairs.what": "Total variation of joint distributions, the farthest first",
    "synthetic.plot.values": "{attribute}: original and synthetic",
    "synthetic.plot.values.what": "Share of the records with each value",
    "synthetic.plot.original": "original",
    "synthetic.plot.synthetic": "synthetic",
}

PORTUGUESE = {
    "model.differential-privacy": "privacidade diferencial",
    "model.differential-privacy.means": "O que quer que se veja desta versão publicável é no máximo e^ε vezes mais "
    "provável com uma pessoa nos dados do que sem ela, exceto com probabilidade δ.",
    "model.zero-concentrated-differential-privacy": "privacidade diferencial concentrada em zero",
    "model.zero-concentrated-differential-privacy.means": "O que se vê com uma pessoa nos dados e sem ela difere por "
    "uma divergência de Rényi de no máximo ρ·α, para cada ordem α.",
    "synthetic.headline": "registros sintéticos por {method}, com privacidade diferencial",
    "synthetic.headline.none": "registros sintéticos por {method}: NENHUMA GARANTIA",
    "synthetic.guarantee": "Garantia formal",
    "synthetic.none": "NENHUMA",
    "synthetic.none.why": "O modelo foi ajustado a contagens exatas. Seus registros podem falar de pessoas: ataque-os "
    "antes de entregá-los, e melhor nem os entregue.",
    "synthetic.record": "Para quem é um registro dos dados.",
    "synthetic.person": "Para pessoas, com até {rows} registros cada uma.",
    "synthetic.rho.why": "Concentrada em zero; isso é ε = {epsilon} para δ = {delta}.",
    "synthetic.ones": "Atributos sozinhos",
    "synthetic.ones.why": "Variação total média: a parte dos registros que teria de mudar para que um atributo se "
    "distribuísse como no original.",
    "synthetic.pairs": "Pares de atributos",
    "synthetic.pairs.why": "O mesmo para pares, de que todos os classificadores e tabelas cruzadas são feitos.",
    "synthetic.queries": "Consultas de contagem",
    "synthetic.queries.why": "Erro médio de {queries} contagens ao acaso sobre faixas e valores de até três atributos, "
    "como parte dos registros.",
    "synthetic.attributes": "Atributos",
    "synthetic.attributes.lead": "Quanto a distribuição de cada atributo dista da original. Todos os números desta "
    "página são medidos nos dados verdadeiros: não estão protegidos, e ficam aqui.",
    "synthetic.worst": "Pares mais distantes",
    "synthetic.worst.lead": "A distância das distribuições conjuntas, e quão fortemente os dois se associam (V de "
    "Cramér) no original e na versão publicável.",
    "synthetic.accuracy": "O que os classificadores aprendem",
    "synthetic.accuracy.lead": "Treinados para prever {label} com os registros sintéticos, e com originais; testados "
    "em {held_out} do original. Adivinhar sempre o rótulo mais frequente acerta {baseline}.",
    "synthetic.steps": "Para onde foi o custo",
    "synthetic.steps.lead": "Cada olhar aos dados, em ordem. O desvio padrão do ruído está em registros.",
    "synthetic.step.gaussian": "contado com ruído",
    "synthetic.step.exponential": "escolhido",
    "synthetic.all": "(todos os registros)",
    "synthetic.beyond": "Valores que ninguém declarou",
    "synthetic.beyond.lead": "Registros do original cujo valor não está no domínio: contaram como NULL. Deixados de "
    "fora: {left_out}.",
    "synthetic.column.attribute": "atributo",
    "synthetic.column.distance": "distância",
    "synthetic.column.pair": "atributos",
    "synthetic.column.before": "associação antes",
    "synthetic.column.after": "associação depois",
    "synthetic.column.classifier": "classificador",
    "synthetic.column.original": "treinado com originais",
    "synthetic.column.synthetic": "treinado com sintéticos",
    "synthetic.column.step": "passo",
    "synthetic.column.attributes": "atributos",
    "synthetic.column.scale": "ruído",
    "synthetic.column.share": "parte de ρ",
    "synthetic.column.records": "registros",
    "synthetic.plot.ones": "Quanto cada atributo se afasta",
    "synthetic.plot.ones.what": "Variação total entre registros originais e sintéticos",
    "synthetic.plot.pairs": "Quanto os pares de atributos se afastam",
    "synthetic.plot.pairs.what": "Variação total das distribuições conjuntas, os mais distantes primeiro",
    "synthetic.plot.values": "{attribute}: original e sintético",
    "synthetic.plot.values.what": "Proporção dos registros com cada valor",
    "synthetic.plot.original": "original",
    "synthetic.plot.synthetic": "sintético",
}

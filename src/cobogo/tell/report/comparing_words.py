"""The words of a comparison, in each language."""

from __future__ import annotations

ENGLISH = {
    "compare.title": "What each algorithm makes of it",
    "compare.lead": "One table, one policy, several algorithms. “{metric}” says what each release loses ({better} is "
    "better); the rest is what it costs and what an attacker could still learn.",
    "compare.what": "One row for each algorithm; each column has a scale of its own",
    "compare.fact": "“{algorithm}” is best by “{metric}”: {value}",
    "compare.fact.same": "All algorithms come to the same “{metric}”: {value}",
    "compare.fact.none": "No algorithm found a release that satisfies the policy",
    "compare.algorithm": "algorithm",
    "compare.time": "search time",
    "compare.table": "Every algorithm",
    "compare.proven": "proven to be the best full-domain recoding by this metric",
    "compare.notes": "What they say of their results",
}

PORTUGUESE = {
    "compare.title": "O que cada algoritmo faz dos dados",
    "compare.lead": "Uma tabela, uma política, vários algoritmos. “{metric}” diz o que cada versão publicável perde "
    "({better} é melhor); o resto é o que ela custa e o que quem ataca ainda pode descobrir.",
    "compare.what": "Uma linha para cada algoritmo; cada coluna tem a sua própria escala",
    "compare.fact": "“{algorithm}” é o melhor segundo “{metric}”: {value}",
    "compare.fact.same": "Todos os algoritmos chegam ao mesmo valor de “{metric}”: {value}",
    "compare.fact.none": "Nenhum algoritmo encontrou uma solução que satisfaça a política",
    "compare.algorithm": "algoritmo",
    "compare.time": "tempo de busca",
    "compare.table": "Todos os algoritmos",
    "compare.proven": "está provado que é a melhor recodificação de domínio completo segundo esta métrica",
    "compare.notes": "O que eles dizem dos seus resultados",
}

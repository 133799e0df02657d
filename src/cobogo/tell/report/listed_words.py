"""The words of the report of a frequency list, in each language."""

from __future__ import annotations

ENGLISH = {
    "list.headline": "a list of {counts} counts, drawn with ε = {epsilon}",
    "list.title": "The list that was drawn, beside the true one",
    "list.lead": "The true column stays with the data holder: what is given away is the released one.",
    "list.what": "what",
    "list.true": "true",
    "list.released": "released",
    "list.accounts": "records (accounts)",
    "list.items": "different items",
    "list.counts": "different counts",
    "list.rank": "count of the item of rank {n}",
    "list.heads": "How much the most frequent items cover",
    "list.heads.what": "The share of all records that have one of the first 1, 10, 100, … items.",
    "list.distance": "L1 distance",
    "list.distance.why": "by how much the two sorted lists differ, in all",
    "list.relative": "of all records",
    "list.relative.why": "the same as a share",
    "list.scale": "√(N/ε)",
    "list.scale.why": "what no such mechanism can be better than, but for a constant",
}

PORTUGUESE = {
    "list.headline": "uma lista de {counts} contagens, sorteada com ε = {epsilon}",
    "list.title": "A lista sorteada, ao lado da verdadeira",
    "list.lead": "A coluna verdadeira fica com quem guarda os dados: o que se entrega é a publicada.",
    "list.what": "o quê",
    "list.true": "verdadeira",
    "list.released": "publicada",
    "list.accounts": "registros (contas)",
    "list.items": "itens diferentes",
    "list.counts": "contagens diferentes",
    "list.rank": "contagem do item na posição {n}",
    "list.heads": "Quanto os itens mais frequentes cobrem",
    "list.heads.what": "A parte de todos os registros que têm um dos primeiros 1, 10, 100, … itens.",
    "list.distance": "distância L1",
    "list.distance.why": "quanto as duas listas ordenadas diferem, ao todo",
    "list.relative": "de todos os registros",
    "list.relative.why": "o mesmo como proporção",
    "list.scale": "√(N/ε)",
    "list.scale.why": "abaixo disso nenhum mecanismo assim chega, a menos de uma constante",
}

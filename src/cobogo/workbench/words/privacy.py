"""The page of privacy."""

ENGLISH = {
    "privacy.what": "What must hold for every record that is released.",
    "privacy.remove": "Remove",
    "privacy.limit": "Share of records that may be left out",
    "privacy.metric": "What to lose least of",
    "privacy.policy": "The policy",
    "privacy.download": "Download the policy",
    "privacy.check": "Check",
    "privacy.fine": "This is a policy.",
    "model.k-anonymity": "Nobody can be told from at least k − 1 others by what is known of them.",
    "model.l-diversity": "Each such group holds at least l different sensitive values.",
    "model.t-closeness": "The sensitive values of each group are about as frequent as in the whole table.",
}

PORTUGUESE = {
    "privacy.what": "O que deve valer para cada registro publicado.",
    "privacy.remove": "Remover",
    "privacy.limit": "Parcela dos registros que pode ficar de fora",
    "privacy.metric": "O que perder o mínimo possível",
    "privacy.policy": "A política",
    "privacy.download": "Baixar a política",
    "privacy.check": "Conferir",
    "privacy.fine": "Esta é uma política válida.",
    "model.k-anonymity": "Ninguém se distingue de pelo menos k − 1 outros pelo que se sabe deles.",
    "model.l-diversity": "Cada grupo assim tem pelo menos l valores sensíveis diferentes.",
    "model.t-closeness": "Os valores sensíveis de cada grupo são quase tão frequentes quanto na tabela toda.",
}

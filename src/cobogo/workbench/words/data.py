"""The page of data."""

ENGLISH = {
    "data.drop": "Drop a CSV or Parquet file here, or choose one",
    "data.what": "The file stays on this server. Nothing leaves it until you download a release.",
    "data.mine": "Your data sets",
    "data.none": "Nothing was uploaded yet.",
    "data.rows": "{rows} rows, {columns} columns",
    "data.use": "Use",
    "data.delete": "Delete",
    "data.preview": "First rows",
    "data.next": "Next",
    "data.previous": "Previous",
    "data.range": "Rows {first} to {last} of {total}",
    "data.first": "Choose a data set first.",
}

PORTUGUESE = {
    "data.drop": "Solte aqui um arquivo CSV ou Parquet, ou escolha um",
    "data.what": "O arquivo fica neste servidor. Nada sai dele até que você baixe uma publicação.",
    "data.mine": "Seus conjuntos de dados",
    "data.none": "Nada foi enviado ainda.",
    "data.rows": "{rows} linhas, {columns} colunas",
    "data.use": "Usar",
    "data.delete": "Apagar",
    "data.preview": "Primeiras linhas",
    "data.next": "Próximas",
    "data.previous": "Anteriores",
    "data.range": "Linhas {first} a {last} de {total}",
    "data.first": "Escolha primeiro um conjunto de dados.",
}

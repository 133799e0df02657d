"""The page of runs."""

ENGLISH = {
    "run.go": "Run",
    "run.cancel": "Cancel",
    "run.queued": "Waiting",
    "run.running": "Working",
    "run.cancelling": "Stopping",
    "run.done": "Done",
    "run.refused": "No",
    "run.failed": "Failed",
    "run.cancelled": "Cancelled",
    "run.see": "See the release",
    "run.nothing": "Nothing is running.",
}

PORTUGUESE = {
    "run.go": "Executar",
    "run.cancel": "Cancelar",
    "run.queued": "Na fila",
    "run.running": "Trabalhando",
    "run.cancelling": "Parando",
    "run.done": "Pronto",
    "run.refused": "Não",
    "run.failed": "Falhou",
    "run.cancelled": "Cancelado",
    "run.see": "Ver a publicação",
    "run.nothing": "Nada está em execução.",
}

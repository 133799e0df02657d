"""The page of releases."""

ENGLISH = {
    "release.none": "There is no release yet.",
    "release.public": "Download public (to give away)",
    "release.evidence": "Download evidence (to keep)",
    "release.report": "Report",
    "release.holds": "The release holds what it promises.",
    "release.fails": "The release does not hold what it promises.",
    "release.verify": "Verify again",
    "release.records": "{records} records released, {suppressed} left out",
}

PORTUGUESE = {
    "release.none": "Ainda não há publicação.",
    "release.public": "Baixar public (para entregar)",
    "release.evidence": "Baixar evidence (para guardar)",
    "release.report": "Relatório",
    "release.holds": "A publicação cumpre o que promete.",
    "release.fails": "A publicação não cumpre o que promete.",
    "release.verify": "Verificar de novo",
    "release.records": "{records} registros publicados, {suppressed} deixados de fora",
}

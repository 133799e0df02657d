"""What the pages about a finished release have in common."""

ENGLISH = {
    "looked.release": "The release that is looked at",
    "looked.stays": "What you see here tells of the original data. It stays in the house: do not pass on pictures "
    "of it.",
    "looked.original": "Original",
    "looked.after": "Release",
    "looked.working": "Counting …",
    "looked.anonymize": "Anonymized",
    "looked.perturb": "Perturbed",
    "looked.mask": "Masked",
    "looked.sample": "Sampled",
    "looked.synthesize": "Synthetic",
}

PORTUGUESE = {
    "looked.release": "A publicação em exame",
    "looked.stays": "O que você vê aqui fala dos dados originais. Fica na casa: não passe imagens adiante.",
    "looked.original": "Original",
    "looked.after": "Publicação",
    "looked.working": "Contando …",
    "looked.anonymize": "Anonimizada",
    "looked.perturb": "Perturbada",
    "looked.mask": "Mascarada",
    "looked.sample": "Amostrada",
    "looked.synthesize": "Sintética",
}

"""What several pages call the same things."""

from __future__ import annotations

from cobogo.floor.language import tr

KEY_WHY = {
    "records": tr("in the original table"),
    "released": tr("{share} of the records"),
    "suppressed": tr("{share} of the records, whose classes could not satisfy the models"),
    "unsuppressed": tr("nothing had to be left out"),
    "withheld": tr("records that show * for “{attribute}”; who knows the column’s totals guesses right in {inference}"),
    "classes": tr("groups of records that look alike; {average} records each on average"),
    "risk": tr("chance of pointing at the right record of the most exposed person"),
    "inference": tr("chance of guessing “{attribute}” right in the most revealing class"),
}

KEY = {
    "records": tr("records"),
    "released": tr("released"),
    "suppressed": tr("suppressed"),
    "unsuppressed": tr("suppressed"),
    "withheld": tr("values withheld"),
    "classes": tr("classes"),
    "risk": tr("highest risk"),
    "inference": tr("worst inference"),
}

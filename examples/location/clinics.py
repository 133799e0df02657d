"""Four requests near clinics: what the service believes of Bob, without protection and with."""

from __future__ import annotations

from cobogo.floor.randomness import Seeded
from cobogo.studies.fortaleza.clinics import PRIOR, VISITS, beliefs


def main() -> None:
    """Tell the story. It is made up from a seed, so that it is the same each time."""
    days = ("Monday", "Tuesday", "Wednesday", "Thursday")
    for day, hour, place in VISITS:
        print(f"{days[day]:<10} {hour:>2}:00   Bob asks for the nearest bus stop, at: {place}")
    print(f"\nBefore that the service believed with {100 * PRIOR:g} % that he goes from clinic to clinic. Now:\n")
    print(f"{'what it was sent':<28}{'under one name':>16}{'under no name':>16}")
    for protection, (linked, unlinked) in beliefs(Seeded(7)).items():
        print(f"{protection:<28}{100 * linked:>14.1f} %{100 * unlinked:>14.1f} %")


if __name__ == "__main__":
    main()

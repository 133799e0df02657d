"""``make bench``: run every benchmark (or those that are named), print the ratios, keep them as JSON beside."""

from __future__ import annotations

import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.cloaks import cloaks
from benchmarks.collecting import collecting
from benchmarks.commands import starts, whole
from benchmarks.curator import answers, medians, small_question
from benchmarks.curator import beside_peers as answers_beside_peers
from benchmarks.decoding import decoding, many_candidates
from benchmarks.engines import engines
from benchmarks.free_text import free_text
from benchmarks.frequency_lists import lists
from benchmarks.ingesting import ingesting
from benchmarks.location_attacks import attacks
from benchmarks.measure import Result, machine
from benchmarks.noise import noise
from benchmarks.pages import pages
from benchmarks.peer_tasks import beside_peers
from benchmarks.reviews import reviews
from benchmarks.scale import scale
from benchmarks.searches import by_every_metric, on_adult, on_large_lattices
from benchmarks.synthetic import synthetic
from benchmarks.vault import vault
from benchmarks.where import mobility

RESULTS = Path(__file__).parent / "results"
ALL = {
    "adult": on_adult,
    "starts": starts,
    "whole": whole,
    "reviews": reviews,
    "metrics": by_every_metric,
    "engines": engines,
    "lattices": on_large_lattices,
    "vault": vault,
    "free-text": free_text,
    "pages": pages,
    "peers": beside_peers,
    "curator": answers,
    "medians": medians,
    "small-question": small_question,
    "curator-peers": answers_beside_peers,
    "collecting": collecting,
    "decoding": decoding,
    "candidates": many_candidates,
    "ingesting": ingesting,
    "noise": noise,
    "synthetic": synthetic,
    "frequency-lists": lists,
    "cloaks": cloaks,
    "where": mobility,
    "location-attacks": attacks,
    "scale": scale,
}


def main(names: list[str]) -> None:
    """Run, print as it goes, keep."""
    unknown = sorted(set(names) - set(ALL))
    if unknown:
        sys.exit(f"there is no benchmark {', '.join(unknown)}: {', '.join(ALL)}")
    print(f"{'what':<62}{'seconds':>9}  {'against':<14}{'seconds':>9}{'ratio':>9}{'of CPU':>9}  note", flush=True)
    found = []
    with tempfile.TemporaryDirectory() as name:
        for benchmark in names or ALL:
            for result in ALL[benchmark](Path(name)):
                found.append(result)
                print(line(result), flush=True)
    RESULTS.mkdir(exist_ok=True)
    content = {"machine": machine(), "results": [_as_dict(result) for result in found]}
    (RESULTS / "latest.json").write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def line(result: Result) -> str:
    """A line of the table."""
    other = "" if result.other is None else f"{result.other.wall:.2f}"
    ratio, of_cpu = ("" if r is None else f"{r:.3g}" for r in (result.ratio, result.cpu_ratio))
    numbers = f"{result.spent.wall:>9.3f}  {result.against:<14}{other:>9}{ratio:>9}{of_cpu:>9}"
    return f"{result.what:<62}{numbers}  {result.note}"


def _as_dict(result: Result) -> dict[str, object]:
    return {**asdict(result), "ratio": result.ratio, "cpu_ratio": result.cpu_ratio}


if __name__ == "__main__":
    main(sys.argv[1:])

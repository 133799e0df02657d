"""Collections exchanged with Google's RAPPOR programs: a directory of its files, and a collection from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cobogo.collect.aggregate import Aggregate
from cobogo.collect.collection import TABLE, Collection
from cobogo.collect.rappor.google import counts_text, map_text, parameters_text, read_map, read_parameters
from cobogo.collect.rappor.protocol import Rappor, RapporCollection
from cobogo.errors import OutputError, PolicyError
from cobogo.floor.files import stage_file
from cobogo.floor.language import tr

FILES = ("params.csv", "map.csv", "counts.csv")


def write_exchange(collection: Collection, total: Aggregate | None, directory: Path) -> list[str]:
    """Write the files that Google's decoder reads, and name them: the parameters, the map where there are candidates,
    the counts where an aggregate is given."""
    protocol = _google_protocol(collection)
    texts = {"params.csv": parameters_text(protocol.parameters)}
    if protocol.candidates:
        texts["map.csv"] = map_text(protocol.candidates, protocol.parameters)
    if total is not None:
        texts["counts.csv"] = counts_text(total.counts)
    taken = next((name for name in FILES if (directory / name).exists()), None)
    if taken is not None:
        raise OutputError(tr("is there already"), where=str(directory / taken), remedy=tr("Choose another --out."))
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        with stage_file(directory / name) as stage:
            stage.write_text(text, encoding="utf-8")
    return list(texts)


def read_exchange(
    parameters: Path, question: str, hashing: str, candidates: Path | None = None
) -> tuple[str, Collection]:
    """The description of a collection with Google's parameters, and with the strings of its map as candidates: its
    text, and the collection itself."""
    keys = {"mechanism": "rappor", "hashing": hashing, **read_parameters(parameters)}
    content: dict[str, Any] = {
        "name": question,
        "question": question,
        **{key: _number(value) for key, value in keys.items()},
    }
    found = Collection.of({TABLE: content}, name=str(parameters))
    if candidates is not None:
        content["candidates"] = list(read_map(candidates, _google_protocol(found).parameters))
        found = Collection.of({TABLE: content}, name=str(parameters))
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in content.items()]
    return f"[{TABLE}]\n" + "\n".join(lines) + "\n", found


def _google_protocol(collection: Collection) -> Rappor:
    if not isinstance(collection, RapporCollection) or collection.hashing == "cobogo":
        raise PolicyError(
            tr("only a collection by rappor with the hashing of Google's clients can be exchanged"),
            where=f"{collection.where}.hashing",
            remedy=tr('Write hashing = "google": its clients then report with it from the start.'),
        )
    protocol = collection.protocol
    assert isinstance(protocol, Rappor)
    return protocol


def _number(text: str) -> str | int | float:
    """A number where the text is one."""
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text

"""What studies share: trials, and files."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from cobogo.floor.files import holds_only, stage_directory
from cobogo.floor.language import Speech, speech
from cobogo.floor.representation import brief


@dataclass(frozen=True, kw_only=True, repr=False)
class Trial:
    """One thing that a study tried: its name, its parameters, and why it failed, if it did."""

    name: str = ""
    given: Mapping[str, Any] = field(default_factory=dict)
    why: str | None = None
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        given = [f"{name} = {value}" for name, value in self.given.items()]
        return brief(self, self.name, *given, None if self.solved else "no solution")

    @property
    def solved(self) -> bool:
        """Whether it did not fail."""
        return self.why is None


class Study(ABC):
    """The results of a study, which are written as figures, a picture and a page of one name."""

    stem: ClassVar[str]

    def __repr__(self) -> str:
        return brief(self, *self.summary())

    def _repr_html_(self) -> str:
        """The picture, for a notebook; no value of the data."""
        with TemporaryDirectory() as scratch:
            svg = self.draw(Path(scratch) / f"{self.stem}.png", say=speech("en"))
        return f'<div style="max-width:60em"><strong>{escape(repr(self))}</strong>{svg}</div>'

    @abstractmethod
    def summary(self) -> tuple[str, ...]:
        """The results in a few words each, for their representation; no value of the data."""

    @abstractmethod
    def as_dict(self) -> dict[str, Any]:
        """What the JSON file holds."""

    @abstractmethod
    def draw(self, path: Path, *, say: Speech) -> str:
        """Write the picture into a file, and for the page."""

    @abstractmethod
    def render(self, svg: str, *, say: Speech) -> str:
        """The page, with the picture in it."""

    @classmethod
    def files(cls) -> tuple[str, ...]:
        """The names of its files, the figures first."""
        return tuple(f"{cls.stem}.{ending}" for ending in ("json", "png", "html"))

    def write(self, directory: str | Path, *, language: str = "en") -> None:
        """Write figures, picture and page, in place of an earlier study of the same kind, at once."""
        with stage_directory(Path(directory), replaceable=holds_only(self.files())) as stage:
            self.write_files(stage, language=language)

    def write_files(self, directory: Path, *, language: str, pictures: str = ".") -> None:
        """Write the files into a directory, the picture into one of its own below it."""
        say = speech(language)
        write_json(self.as_dict(), directory / f"{self.stem}.json")
        picture = directory / pictures / f"{self.stem}.png"
        picture.parent.mkdir(exist_ok=True)
        page = self.render(self.draw(picture, say=say), say=say)
        (directory / f"{self.stem}.html").write_text(page, encoding="utf-8", newline="\n")


def write_json(content: Mapping[str, Any], path: Path) -> None:
    """Write figures as all studies do."""
    text = json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def timestamp() -> str:
    """The present time, as studies date themselves."""
    return datetime.now().astimezone().isoformat(timespec="seconds")

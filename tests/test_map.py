"""The maps for those who build are true: what they name is in the tree, and no room is missing."""

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.paths import ROOT

SOURCE = ROOT / "src" / "cobogo"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
MAPS = [
    file for file in (CONTRIBUTING, ROOT / "docs" / "architecture.md", ROOT / "tests" / "README.md") if file.exists()
]
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
OF_A_RELEASE = {"public/", "evidence/"}
PATH = re.compile(r"[\w.-]+(/[\w.-]+)*(/|\.(py|md|toml|csv|json|html))|\.venv/\S+")


def packages(place: Path) -> list[str]:
    """The packages that lie directly in a directory."""
    return sorted(file.parent.name for file in place.glob("*/__init__.py"))


def rows() -> dict[str, list[str]]:
    """The rooms of CONTRIBUTING's table, each with the rooms inside it that its line names."""
    lines = [line for line in CONTRIBUTING.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    found = [re.findall(r"`(\w+)/`", line) for line in lines]
    return {room: inside for room, *inside in (names for names in found if names)}


def named(file: Path) -> list[str]:
    """What a page names as code, outside of blocks."""
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`\n]+)`", text)


def exists(path: str, beside: Path) -> bool:
    """Whether a path is in the tree: seen from the package, the repository, or the page that names it."""
    return any((start / path).exists() for start in (SOURCE, ROOT, beside))


def test_every_room_is_on_the_map() -> None:
    assert sorted(rows()) == packages(SOURCE)


@pytest.mark.parametrize("room", rows())
def test_the_map_names_only_rooms_that_are_there(room: str) -> None:
    assert set(rows()[room]) <= set(packages(SOURCE / room))


@pytest.mark.parametrize("file", MAPS, ids=lambda file: str(file.relative_to(ROOT)))
def test_every_path_and_module_of_a_map_is_in_the_tree(file: Path) -> None:
    inside = {f"{name}/" for names in rows().values() for name in names} | OF_A_RELEASE
    paths = [name for name in named(file) if PATH.fullmatch(name) and name not in inside]
    assert paths
    assert [path for path in paths if not exists(path, file.parent)] == []
    modules = [name for name in named(file) if re.fullmatch(r"cobogo(\.\w+)+", name)]
    assert [name for name in modules if not _is_there(name)] == []


def test_the_tree_is_the_tree() -> None:
    """The drawing names every room, and every room within a room."""
    drawn = re.findall(r"^  (\w+)/ +(.*)$", ARCHITECTURE.split("```")[1], re.MULTILINE)
    assert sorted(room for room, _ in drawn) == packages(SOURCE)
    files = re.findall(r"^  (\w+\.py) ", ARCHITECTURE.split("```")[1], re.MULTILINE)
    assert sorted([*files, "__init__.py"]) == sorted(file.name for file in SOURCE.glob("*.py"))
    for room, line in drawn:
        assert set(packages(SOURCE / room)) <= set(re.findall(r"(\w+)/", line)), room
        assert [name for name in re.findall(r"(\w+)/", line) if not (SOURCE / room / name).is_dir()] == [], room


@pytest.mark.parametrize("file", [CONTRIBUTING, ROOT / "docs" / "architecture.md"], ids=lambda file: file.name)
def test_the_arrow_is_the_one_that_is_enforced(file: Path) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = next(one["layers"] for one in contracts if one["type"] == "layers" and one.get("containers") == ["cobogo"])
    assert f"`{' → '.join(layers).replace(' | ', ' · ')}`" in file.read_text(encoding="utf-8")


def test_there_are_five_walks_and_a_short_glossary() -> None:
    walks = ARCHITECTURE.split("## Five walks")[1].split("## Decisions")[0]
    assert len(re.findall(r"^### ", walks, re.MULTILINE)) == 5
    words = re.findall(r"^\| ([\w-]+(?: [\w-]+)*) \|", ARCHITECTURE.split("## Glossary")[1], re.MULTILINE)[1:]
    assert words == sorted(words)
    assert len(words) <= 60


def test_every_marker_is_explained() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["pytest"]["ini_options"]
    explained = re.findall(r"^\| `(\w+)` \|", (ROOT / "tests" / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(explained) == sorted(marker.partition(":")[0] for marker in settings["markers"])


def _is_there(name: str) -> bool:
    """Whether a dotted name is a module, or a name of one."""
    try:
        if find_spec(name):
            return True
    except ModuleNotFoundError:
        pass
    module, _, last = name.rpartition(".")
    return hasattr(import_module(module), last)


def methods_of_subclasses() -> Iterator[tuple[str, str]]:
    """The methods of classes with a base of ours, with their class; not those that a decorator registers somewhere."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in SOURCE.rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    ours = {node.name for node in classes}
    for node in classes:
        if any(re.search(r"\w+$", ast.unparse(base).partition("[")[0])[0] in ours for base in node.bases):
            bodies = [one for one in node.body if isinstance(one, ast.FunctionDef) and not one.decorator_list]
            yield from ((node.name, one.name) for one in bodies if not one.name.startswith("__"))


def names_used() -> set[str]:
    """Every name that the source takes from an object, and every one that the documentation shows."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in SOURCE.rglob("*.py")]
    used = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    pages = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "docs").glob("*.md"))
    return used | set(re.findall(r"\w+", pages))


def test_what_a_class_overrides_is_called() -> None:
    """An override whose base was renamed is called by nobody, and no type checker sees it."""
    of_others = {"_repr_html_", "list_commands", "format_help"}  # notebooks and Click call these
    used = names_used()
    assert {(kind, name) for kind, name in methods_of_subclasses() if name not in used | of_others} == set()

"""The documentation says everything there is, and what it says is true: examples are run, tables are rebuilt."""

import contextlib
import re
import shutil
import tomllib
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from pydantic import BaseModel

import cobogo
from cobogo.data.hierarchy.build import build
from cobogo.data.policy import (
    BUILDERS,
    OPERATORS,
    AttributePolicy,
    Data,
    DomainSpec,
    EnginePolicy,
    HierarchySpec,
    Masking,
    Output,
    Perturbation,
    Policy,
    Privacy,
    Randomization,
    Recoding,
    RegistryPolicy,
    ReportPolicy,
    Responsibility,
    RiskPolicy,
    Sampling,
    Synthesis,
    Utility,
)
from cobogo.data.policy.toml_file import toml
from cobogo.examine import metrics
from cobogo.faces.cli.main import PANELS
from cobogo.locate.attacks import ATTACKS as OF_LOCATIONS
from cobogo.locate.mechanisms import MECHANISMS as OF_LOCATION
from cobogo.promises import models
from cobogo.promises.guarantees import GUARANTEES
from cobogo.promises.models.promise import build_promises
from cobogo.publish.anonymize import ALGORITHMS
from cobogo.publish.randomize.make import METHODS
from cobogo.publish.synthesize import METHODS as SYNTHESES
from cobogo.publish.synthesize.domains import declared_domains
from cobogo.studies.guide.run import FEWEST_ROWS
from cobogo.tell.reference.documents import PAGES as MAP
from cobogo.tell.reference.schema import policy_schema
from cobogo.tell.reference.sections import pages as sections
from support.pages import COMMAND, DOCS, HOSPITAL, blocks, follow, outside_blocks, page, rows, run, section
from support.paths import ROOT

pytestmark = pytest.mark.slow

PAGES = sorted(DOCS.rglob("*.md"))
TEXTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("examples/*/README.md")), *PAGES]
TABLES = {
    "[data]": Data, "[attributes]": AttributePolicy, "[privacy]": Privacy, "[recoding]": Recoding,
    "[perturbation]": Perturbation, "[randomization]": Randomization, "[masking]": Masking, "[sampling]": Sampling,
    "[synthesis]": Synthesis, "domains": DomainSpec,
    "[utility]": Utility, "[risk]": RiskPolicy, "[output]": Output, "[report]": ReportPolicy,
    "[responsibility]": Responsibility, "[engine]": EnginePolicy, "[registry]": RegistryPolicy,
    "hierarchy": HierarchySpec, **BUILDERS,
}  # fmt: skip
"""The headings of the policy page, and what each must explain."""

README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands(group: Any, before: str = "") -> dict[str, Any]:
    """Every command by its full name, those within others among them."""
    found = {f"{before}{name}": command for name, command in group.commands.items()}
    inner = [commands(command, f"{name} ") for name, command in found.items() if hasattr(command, "commands")]
    return {key: command for part in (found, *inner) for key, command in part.items()}


COMMANDS = commands(COMMAND)


# What must be mentioned


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_documented(name: str) -> None:
    parameters = COMMANDS[name].params
    options = {option for parameter in parameters for option in parameter.opts if option.startswith("--")} - {"--help"}
    documented = rows(section(page("commands"), f"cobogo {name}"))
    assert {option for option in documented if option.startswith("--")} == options


def test_every_option_of_the_command_itself_is_documented() -> None:
    options = [option for parameter in COMMAND.params for option in parameter.opts]
    assert options
    assert [option for option in options if f"{option}`" not in page("commands")] == []


def test_commands_are_documented_in_the_order_of_the_help() -> None:
    titles = re.findall(r"^(##|###) (.*)$", outside_blocks(page("commands")), re.MULTILINE)
    assert [title for depth, title in titles if depth == "##"] == list(PANELS)
    assert [title for depth, title in titles if depth == "###"] == [
        f"cobogo {name}" for panel in PANELS.values() for name in panel
    ]


def test_the_fewest_rows_of_the_demo_are_documented() -> None:
    assert f"{FEWEST_ROWS} at least" in section(page("commands"), "cobogo demo")


@pytest.mark.parametrize("title", TABLES)
def test_every_policy_key_is_documented_with_its_default(title: str) -> None:
    part: type[BaseModel] = TABLES[title]
    documented = rows(section(page("policy"), title))
    shared = set() if part is HierarchySpec else set(HierarchySpec.model_fields) & set(part.model_fields)
    expected = {
        field.alias or name: "required" if field.is_required() else _shown(field.default)
        for name, field in part.model_fields.items()
        if name not in shared or not issubclass(part, HierarchySpec)
    }
    assert {key: row[2] for key, row in documented.items() if not key.startswith('"')} == expected


@pytest.mark.parametrize("name", OPERATORS)
def test_every_way_to_mask_is_documented_with_its_keys(name: str) -> None:
    documented = rows(section(page("masking"), name))
    part = OPERATORS[name]
    expected = {
        field.alias or key: "required" if field.is_required() else _shown(field.default)
        for key, field in part.model_fields.items()
    }
    assert {key: row[2] for key, row in documented.items()} == expected


@pytest.mark.parametrize("name", COMMAND.commands["vault"].commands)
def test_every_command_of_the_vault_is_documented(name: str) -> None:
    parameters = COMMAND.commands["vault"].commands[name].params
    options = {option for parameter in parameters for option in parameter.opts if option.startswith("--")} - {"--help"}
    documented = rows(section(page("commands"), f"cobogo vault {name}"))
    assert {option for option in documented if option.startswith("--")} == options


def _shown(default: Any) -> str:
    return "none" if default is None else f"`{toml(default)}`"


def test_every_table_of_the_policy_has_a_heading() -> None:
    assert {f"[{name}]" for name in Policy.model_fields} <= TABLES.keys()


@pytest.mark.parametrize("name", models.MODELS)
def test_every_model_is_documented_with_its_parameters(name: str) -> None:
    documented = rows(section(page("models"), name))
    parameters = {field.name.replace("_", "-"): field for field in fields(models.MODELS[name])}  # type: ignore[arg-type]
    assert documented.keys() == parameters.keys()
    for key, field in parameters.items():
        if field.default is not MISSING:
            assert documented[key][2] == _shown(field.default)


@pytest.mark.parametrize("name", metrics.METRICS)
def test_every_metric_is_documented(name: str) -> None:
    text = page("metrics")
    assert section(text, name).strip()
    better = "higher" if metrics.METRICS[name].maximize else "lower"
    assert re.search(rf"\| `{name}` \| {better} \|", text)


@pytest.mark.parametrize("name", GUARANTEES)
def test_every_guarantee_is_documented_with_its_parameters(name: str) -> None:
    documented = rows(section(page("randomization"), name))
    parameters = {field.name.replace("_", "-"): field for field in fields(GUARANTEES[name])}  # type: ignore[arg-type]
    assert documented.keys() == parameters.keys()
    for key, field in parameters.items():
        if field.default is not MISSING:
            assert documented[key][2] == _shown(field.default)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_of_randomization_is_documented(name: str) -> None:
    assert section(page("randomization"), name).strip()


@pytest.mark.parametrize("name", SYNTHESES)
def test_every_method_of_synthesis_is_documented(name: str) -> None:
    assert section(page("synthesis"), name).strip()


@pytest.mark.parametrize("name", OF_LOCATION)
def test_every_location_mechanism_is_documented_with_its_options(name: str) -> None:
    documented = rows(section(page("location-mechanisms"), name))
    options = {field.name: field for field in fields(OF_LOCATION[name])}
    assert documented.keys() == options.keys()
    for key, field in options.items():
        if field.default is not MISSING:
            shown = f'"{field.default}"' if isinstance(field.default, str) else str(field.default)
            assert documented[key][2].split("`")[1] == shown


def test_the_page_about_location_mechanisms(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {}
    for block in blocks(page("location-mechanisms"), "python"):
        exec(block, names)
    assert capsys.readouterr().out.splitlines()[1] == "474"
    assert len(names["report"].points) == 1


@pytest.mark.parametrize("name", ["location-attacks", "trajectories", "flows"])
def test_examples_about_locations_run(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page(name), "python"):
        exec(block, {})
    assert capsys.readouterr().out


@pytest.mark.parametrize("name", OF_LOCATIONS)
def test_every_attack_on_locations_is_documented(name: str) -> None:
    documented = rows(section(page("location-attacks"), "The attacks"))
    assert len(documented[name]) == 4


def test_every_builder_is_shown() -> None:
    assert all(section(page("hierarchies"), name) for name in BUILDERS)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_algorithm_is_documented(name: str) -> None:
    assert any(f"`{name}`" in file.read_text(encoding="utf-8") for file in PAGES)


def test_every_public_name_is_documented() -> None:
    text = page("python")
    names = [name for name in cobogo.__all__ if not name.startswith("_")]
    assert [name for name in names if f"## {name}\n" not in text] == []


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## {cobogo.__version__}\n" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


# What is said must be true


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_policies_are_policies(file: Path) -> None:
    for text in blocks(file.read_text(encoding="utf-8"), "toml"):
        content = tomllib.loads(text)
        if text.startswith("# complete\n"):
            policy = Policy.of(content)
            if policy.synthesis is not None:
                assert declared_domains(policy, [*policy.quasi_identifiers, *policy.sensitive])
                continue
            if policy.randomization is not None:
                assert build_promises(policy.models, policy.sensitive, GUARANTEES)
                continue
            assert models.build(policy.models, policy.sensitive)
            assert metrics.find_metric(policy.recoding.metric)


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_editors_accept_the_policies(file: Path) -> None:
    """The JSON Schema that editors check with allows every policy, and every part of one, that the pages show."""
    schema = policy_schema()
    partial = jsonschema.Draft202012Validator(schema | {"required": []})
    for text in blocks(file.read_text(encoding="utf-8"), "toml"):
        content = tomllib.loads(text)
        if content and set(content) <= set(schema["properties"]):
            assert [error.message for error in partial.iter_errors(content)] == []


def hierarchy_examples() -> list[tuple[str, list[list[str]]]]:
    """Each line of the policy on the page about hierarchies, with the table that follows it."""
    text = page("hierarchies")
    found = re.findall(r"^```toml\n(.*?)^```\n\n((?:^\|[^\n]*\n)+)", text, re.MULTILINE | re.DOTALL)
    return [
        (line, [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()[2:]])
        for line, table in found
    ]


@pytest.mark.parametrize(("line", "table"), hierarchy_examples())
def test_hierarchies_are_as_shown(line: str, table: list[list[str]], tmp_path: Path) -> None:
    (tmp_path / "occupation.csv").write_text(blocks(page("hierarchies"), "csv")[0], encoding="utf-8")
    content = {"attributes": tomllib.loads(line), "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}}
    policy = Policy.of(content, home=tmp_path)
    (name,) = policy.attributes
    expected = [[None if cell == "NULL" else cell for cell in row] for row in table]
    hierarchy = build(name, policy.attributes[name].hierarchy, [row[0] for row in expected], policy=policy)
    levels = range(hierarchy.height + 1)
    assert [[hierarchy.generalize(row[0], level) for level in levels] for row in expected] == expected


def test_every_builder_has_an_example_that_is_checked() -> None:
    shown = {key for line, _ in hierarchy_examples() for key in BUILDERS if re.search(rf"\{{ {key} = ", line)}
    assert shown == BUILDERS.keys()


def test_the_kinds_of_recoding_are_as_shown() -> None:
    """The profession, and what each kind releases for it."""
    import pyarrow as pa

    text = section(page("algorithms-lattice"), "Four kinds of recoding")
    lines = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in text.splitlines() if line[:2] == "| "]
    people = [line for line in lines if len(line) == 5][1:]
    header, *kinds = [line for line in lines if len(line) == 8]
    jobs, sexes = [], []
    for job, _, _, men, women in people:
        jobs += [job] * (int(men) + int(women))
        sexes += ["m"] * int(men) + ["f"] * int(women)
    tree: dict[str, dict[str, list[str]]] = {"Any": {}}
    for job, branch, *_ in people:
        tree["Any"].setdefault(branch, []).append(job)
    algorithms = {"full-domain": "optimal", "subtree": "bottom-up", "sibling": "bottom-up", "cell": "local"}
    assert {row[0].split(",")[0].strip("`") for row in kinds} == algorithms.keys()
    for name, *expected in kinds:
        kind, _, who = name.replace("`", "").partition(", ")
        release = cobogo.anonymize(
            pa.table({"job": jobs, "sex": sexes, "was": jobs}),
            {
                "attributes": {
                    "job": {"role": "quasi-identifier", "hierarchy": {"tree": tree}},
                    "sex": {"role": "quasi-identifier", "max-level": 0},
                    "was": {"role": "non-sensitive"},
                },
                "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
                "recoding": {"algorithm": algorithms[kind], "kind": kind},
            },
        )
        wanted = {"men": ["m"], "women": ["f"]}.get(who, ["m", "f"])
        rows_there = [row for row in release.to_arrow().to_pylist() if row["sex"] in wanted]
        assert {(row["was"], row["job"]) for row in rows_there} == set(zip(header[1:], expected, strict=True))


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the files of the README's example, to work in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "patients.csv").write_text(blocks(README, "csv")[0], encoding="utf-8")
    (tmp_path / "policy.toml").write_text(blocks(README, "toml")[0], encoding="utf-8")
    return tmp_path


def test_the_example_of_the_readme(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    follow(README, capsys)
    header, *released = (example / "release/public/release.csv").read_text(encoding="utf-8").splitlines()
    assert [header, *sorted(released)] == blocks(README, "csv")[1].splitlines()
    assert cobogo.verify("release")
    (example / "release/public/release.csv").write_text(
        "\r\n".join([header, *released, ""]), encoding="utf-8", newline=""
    )
    code, said, _ = run(capsys, "verify", "release")
    assert code == 1
    assert f"$ cobogo verify release\n{said}" in blocks(page("errors"), "console")


def test_the_page_about_risk(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert example
    text = page("risk")
    follow(text, capsys)
    (block,) = blocks(text, "python")
    capsys.readouterr()
    exec(block, {})
    assert capsys.readouterr().out.strip() == block.splitlines()[-1].split("  # ")[1]
    children = cobogo.risk(HOSPITAL / "patients.csv", HOSPITAL / "improved.toml", combinations=3).combinations
    singled = {frozenset(one.attributes): one.uniques for one in children}
    assert singled[frozenset({"cep", "sex", "birth"})] == 204
    assert singled[frozenset({"sex", "birth"})] == 196
    assert "all 204 children; date of birth and sex\nalone, 196 of them" in text


def test_python_of_the_readme_and_of_its_page(example: Path) -> None:
    text = page("python")
    assert blocks(README, "python")[0].split("#")[0] == blocks(text, "python")[0].split("#")[0]
    names: dict[str, Any] = {"mapping": tomllib.loads(blocks(README, "toml")[0])}
    for block in blocks(text, "python"):
        if "..." not in block and "policy=None" not in block:  # a signature
            with contextlib.redirect_stdout(None):
                exec(block, names)
    assert names["release"].levels == {"age": 1, "city": 0}
    assert cobogo.verify("out")


def test_the_quick_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(HOSPITAL / "patients.csv", tmp_path)
    before, after = page("quickstart").split("## 2.")
    follow(before, capsys)
    policy = tmp_path / "policy.toml"
    guesses = re.findall(r'^(\w+) = \{ role = "CONFIRM', policy.read_text(encoding="utf-8"), re.MULTILINE)
    assert "Here it is only " + " and ".join(f"`{name}`" for name in guesses) in after
    policy.write_text(policy.read_text(encoding="utf-8").replace("CONFIRM ", ""), encoding="utf-8")
    follow(after, capsys)


def test_the_hospital(tmp_path: Path) -> None:
    here = tmp_path / "hospital"
    shutil.copytree(HOSPITAL, here, ignore=shutil.ignore_patterns("release"))
    release = cobogo.anonymize(here / "improved.toml")
    assert release.write(here / "release")
    assert cobogo.verify(here / "release", policy=here / "improved.toml")
    builders = {type(attribute.hierarchy) for attribute in release.policy.attributes.values() if attribute.hierarchy}
    assert len(builders) == 7
    text = (HOSPITAL / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"^\| (\w+) \|.*\| (.*) \| (.*) \|$", outside_blocks(text), re.MULTILINE)[1:]
    for name, value, released in shown:
        assert release.plan.recodings.get(name, {value: value})[value] == released
    assert release.suppressed == 11
    assert (
        f"{release.solution.nodes:,} nodes, {release.solution.checked:,} checked, best full-domain recoding, proven"
        in page("search")
    )
    policy = (here / "improved.toml").read_text(encoding="utf-8")
    (here / "improved.toml").write_text(re.sub("^max-level.*$", "", policy, flags=re.MULTILINE), encoding="utf-8")
    unbound = cobogo.anonymize(here / "improved.toml")
    assert f"({unbound.metrics['loss']:.2f} instead of {release.metrics['loss']:.2f})" in text
    assert (unbound.levels["birth"], unbound.levels["place"]) == (3, 2)


# (what to change in which policy, on which page its message stands)
MISTAKES = [
    (r"^path = ", "pth = ", "errors"),
    (r"^sex.*$", "", "errors"),
    (r"^path = .*$", 'path = "patients.csv"\nseparator = ";"', "errors"),
    (r'"identifier"', '"CONFIRM identifier"', "errors"),
    (r"k-anonymity", "k-anonimity", "errors"),
    (r"patients\.csv", "pacients.csv", "errors"),
    (r"%d/%m/%Y", "%d-%m-%Y", "errors"),
    (r"patients\.csv", "short.csv", "errors"),
    (r"patients\.csv\"", 'lat.csv"\nencoding = "utf-8"', "errors"),
    (r"^sex.*$", 'sex = { role = "quasi-identifier", hierarchy = { tree = { any = ["M"] } } }', "errors"),
]


@pytest.mark.parametrize(("old", "new", "where"), MISTAKES)
def test_messages_are_as_shown(
    old: str, new: str, where: str, example: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = (example / "patients.csv").read_text(encoding="utf-8")
    (example / "lat.csv").write_bytes(table.encode("latin-1"))
    (example / "short.csv").write_text("name,birth,sex,place,disease\nAna,12/03/1984,F,Centro/Sobral\n")
    policy = example / "policy.toml"
    policy.write_text(re.sub(old, new, policy.read_text(encoding="utf-8"), flags=re.MULTILINE), encoding="utf-8")
    code, _, said = run(capsys, "anonymize", "policy.toml", "--out", "release")
    assert code == 2
    assert said in blocks(page(where), "text")
    code, _, said = run(capsys, "--lang", "pt-BR", "anonymize", "policy.toml", "--out", "release")
    assert code == 2
    assert said in blocks(page(f"pt/{where}"), "text")


def test_other_messages_are_as_shown(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "anonymize", "policy.toml")[2] in blocks(page("errors"), "text")
    (example / "mine").mkdir()
    (example / "mine/thesis.doc").write_text("precious")
    said = run(capsys, "anonymize", "policy.toml", "--out", "mine")[2]
    assert said.replace(str(example / "mine"), "release") in blocks(page("errors"), "text")


def test_the_message_about_no_solution(example: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = (
        (HOSPITAL / "improved.toml")
        .read_text(encoding="utf-8")
        .replace("suppression-limit = 0.1 ", "suppression-limit = 0.01 ")
    )
    policy = re.sub(r"^.*l-diversity.*\n", "", policy.replace("max-level = 2", "max-level = 1"), flags=re.MULTILINE)
    (example / "policy.toml").write_text(policy, encoding="utf-8")
    for file in HOSPITAL.glob("*.csv"):
        shutil.copy(file, example)
    code, _, said = run(capsys, "anonymize", "policy.toml")
    assert code == 1
    assert said in blocks(page("search"), "text")


# What must not be there


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_links_lead_somewhere(file: Path) -> None:
    text = outside_blocks(file.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        assert not target.startswith(("http:", "https:", "/")), target
        linked = (file.parent / path) if path else file
        if linked.name in MAP.values():  # made from its rows, while the site is built
            continue
        if linked.parent.name == "reference":  # made from docstrings, while the site is built
            assert linked.stem in ("index", *sections()), target
            continue
        assert linked.exists(), target
        if anchor:
            titles = re.findall(r"^#+ (.*)$", outside_blocks(linked.read_text(encoding="utf-8")), re.MULTILINE)
            assert anchor in [_anchor(title) for title in titles], target


def _anchor(title: str) -> str:
    if named := re.search(r"\{ #([\w-]+) \}$", title):
        return named[1]
    return re.sub(r"[^\w\s-]", "", title.lower()).strip().replace(" ", "-")


@pytest.mark.parametrize("file", TEXTS, ids=lambda file: str(file.relative_to(ROOT)))
def test_nothing_of_the_writer_s_machine(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"https?://\S*(pypi|pythonhosted|anaconda|conda|npmjs|artifactory|simple/)", text)
    assert not re.search(r"(?<![\w.])(/home/|/root/|/work/|/tmp/|/Users/|[A-Z]:\\)", text)


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"^ +- (?:.*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    made = [*MAP.values(), *(f"reference/{name}.md" for name in ("index", *sections()))]  # while the site is built
    assert sorted(listed) == sorted([*made, *(file.relative_to(DOCS).as_posix() for file in PAGES)])

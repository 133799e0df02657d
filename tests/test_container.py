"""The files for containers: what they copy exists, what they run is a command of this version, nothing is root's."""

import json
import re
import shlex
from typing import Any

import pytest

from cobogo.faces.server.settings import ServerSettings
from support.pages import run
from support.paths import ROOT

yaml = pytest.importorskip("yaml", reason="PyYAML comes with mkdocs: pip install '.[docs]'")
HERE = ROOT / "container"
DOCKERFILE = (HERE / "Dockerfile").read_text(encoding="utf-8")
INSTRUCTIONS = [
    (line.split(maxsplit=1)[0], line.split(maxsplit=1)[1])
    for line in re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*\n", "", DOCKERFILE)).splitlines()
    if line.strip()
]
KNOWN = {"FROM", "WORKDIR", "RUN", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "HEALTHCHECK", "CMD"}


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((HERE / "compose.yaml").read_text(encoding="utf-8")))


def commands() -> list[list[str]]:
    """Every ``cobogo …`` of the three files, comments included, as words."""
    last = [json.loads(text) for name, text in INSTRUCTIONS if name == "CMD"]
    told = (HERE / "compose.yaml").read_text(encoding="utf-8").splitlines()
    return last + [shlex.split(line.partition(" run --rm cobogo ")[2]) for line in told if " run --rm cobogo " in line]


def test_every_instruction_is_known_and_bases_have_a_version() -> None:
    assert {name for name, _ in INSTRUCTIONS} <= KNOWN
    for base in [text.split()[0] for name, text in INSTRUCTIONS if name == "FROM"]:
        assert re.fullmatch(r"[a-z]+:\d[\w.-]*", base)


def test_what_is_copied_exists_and_is_let_in() -> None:
    let_in = {line[1:] for line in (HERE / "Dockerfile.dockerignore").read_text().splitlines() if line.startswith("!")}
    for _, text in [one for one in INSTRUCTIONS if one[0] == "COPY" and "--from" not in one[1]]:
        *sources, _ = text.split()
        for source in sources:
            assert (ROOT / source).exists()
            assert source in let_in


def test_the_container_runs_as_a_user_and_holds_no_secret() -> None:
    assert [text for name, text in INSTRUCTIONS if name == "USER"] == ["cobogo"]
    for file in HERE.iterdir():
        assert not re.search(r"(?i)password|secret|token|cobogo_[a-z0-9]{8}", file.read_text(encoding="utf-8"))


def test_every_command_is_one_of_this_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(commands()) == 2
    for program, command, *words in commands():
        code, said, _ = run(capsys, command, "--help")
        assert (program, code) == ("cobogo", 0)
        assert {word for word in words if word.startswith("-")} <= set(said.split())


def test_the_server_s_file_is_read_and_believes_the_proxy_alone() -> None:
    settings = ServerSettings.load(HERE / "server.toml")
    settings.check_exposure(keys=True)
    services = compose()["services"]
    proxy = services["proxy"]["networks"]["inside"]["ipv4_address"]
    assert settings.trusted_proxies == (proxy,)
    assert services["proxy"]["command"][-1] == f"{services['cobogo']['networks']['inside']['ipv4_address']}:8340"
    assert "ports" not in services["cobogo"]
    assert services["cobogo"]["volumes"] == [f"state:{settings.state}"]

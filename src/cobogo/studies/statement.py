"""A statement: one page about a release for the person who signs it, and an impact report (LGPD art. 38, GDPR art. 35).

Both are drawn from the release and its evidence. What no program knows (purpose, legal basis, recipients) comes from
the policy's table ``[responsibility]``; what is missing there is a line to fill in by hand. Neither is legal advice.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

import cobogo
from cobogo.data.policy import AttributePolicy, Policy, Role
from cobogo.data.policy.tables import Responsibility
from cobogo.errors import InputError, OutputError
from cobogo.floor.files import stage_directory
from cobogo.floor.language import Speech, speech, tr
from cobogo.floor.representation import brief
from cobogo.publish.recode.algorithms import ALGORITHMS
from cobogo.release import evidence as evidences
from cobogo.release import manifest as manifests
from cobogo.release.dictionary import recall_meaning
from cobogo.release.manifest import ColumnEntry, Manifest
from cobogo.studies.study import timestamp
from cobogo.tell.report.exposure import inferred
from cobogo.tell.report.html import describe_model
from cobogo.tell.report.labels import ROLE
from cobogo.tell.report.page import Field, PageSection, page, pairs, paragraph, table, verdict_box

PAGES = ("statement", "impact")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
"""Programs that can print a page; the first that is there is taken."""

BLANK = "________________"
NOWHERE: Mapping[str, str | None] = {}

STYLE = """header p { text-align: left; }
.sign td { height: 2.6rem; width: 60%; border-bottom: 1px solid var(--ink); }
.sign th { vertical-align: bottom; }
section { margin-bottom: 1.4rem; }
@media print {
  @page { size: A4; margin: 12mm 15mm; }
  html { font-size: 10.5px; }
  section { margin-bottom: .9rem; }
  th, td { padding-top: .25rem; padding-bottom: .25rem; }
  .sign td { height: 3.6rem; }
}
"""


@dataclass(frozen=True, eq=False, repr=False)
class Statement:
    """What is known of a release: its manifest, its report, its audit if there is one, and what the policy declares."""

    release: Path
    manifest: Manifest
    manifest_sha256: str
    policy: Policy | None
    report: Mapping[str, Any]
    audit: Mapping[str, Any]
    source: Mapping[str, Any]  # name, SHA-256 and records of the input
    created: str

    @property
    def responsibility(self) -> Responsibility:
        """What the policy declares of who is responsible, and why the data are shared."""
        return Responsibility() if self.policy is None else self.policy.responsibility

    @property
    def highest_risk(self) -> float | None:
        """The highest probability that a record is found."""
        found = self.report.get("risk", {}).get("after", {}).get("highest")
        return None if found is None else float(found)

    @property
    def inferences(self) -> dict[str, tuple[float, float]]:
        """The sensitive attributes that can be inferred, with the probability, and what anybody guesses."""
        return {
            name: (found["after"], found.get("baseline", 0.0))
            for name, found in self.report.get("inference", {}).items()
            if inferred(after=found["after"], baseline=found.get("baseline", 0.0))
        }

    def render(self, name: str, *, language: str) -> str:
        """One of the `PAGES`."""
        say = speech(language)
        if name == "statement":
            return page(say, say("Statement on a release"), _statement(self, say), **_frame(self, say))
        return page(say, say("Data protection impact report"), _impact(self, say), **_frame(self, say))

    def __repr__(self) -> str:
        audited = "audited" if self.audit else "not audited"
        risk = None if self.highest_risk is None else f"highest risk {self.highest_risk:.3g}"
        return brief(self, f"{self.manifest.data.records:,} records", risk, f"{len(self.inferences)} inferred", audited)

    def write(self, *, language: str = "en", pdf: bool = False) -> list[Path]:
        """Put the pages into the evidence, and into its list of files, in one step; with ``pdf`` also as PDF."""
        browser = _browser() if pdf else None
        names = [f"{name}.html" for name in PAGES] + ([f"{name}.pdf" for name in PAGES] if pdf else [])
        with stage_directory(self.release, replaceable=evidences.is_output) as stage:
            shutil.copytree(self.release, stage, dirs_exist_ok=True)
            for name in PAGES:
                file = stage / "evidence" / f"{name}.html"
                file.write_text(self.render(name, language=language), encoding="utf-8", newline="\n")
                if browser is not None:
                    _print(browser, file)
            evidences.amend(stage / "evidence", names)
        return [self.release / "evidence" / name for name in names]


def statement(release: str | Path, *, source: Mapping[str, str | None] = NOWHERE) -> Statement:
    """What a release directory and its evidence say, for the page to sign and the impact report. Writes nothing.

    ``source``: name and SHA-256 of the input, where the policy names no file; otherwise the hash is of the file as it
    is now.
    """
    place = Path(release)
    file = place / "evidence" / evidences.NAME
    if not file.is_file():
        raise OutputError(
            tr("has no evidence"),
            where=str(place),
            remedy=tr("Give the directory that `cobogo anonymize --out` wrote, with public/ and evidence/ in it."),
        )
    kept = json.loads(file.read_bytes())
    policy = Policy.of(kept["policy"], home=kept["home"], name=str(file)) if "policy" in kept else None
    public = place / "public"
    return Statement(
        release=place,
        manifest=manifests.load(public),
        manifest_sha256=manifests.sha256(public / manifests.NAME),
        policy=policy,
        report=_read(place / "evidence" / "report.json"),
        audit=_read(place / "evidence" / "audit.json"),
        source={**_source(policy, kept, public), **source},
        created=timestamp(),
    )


def _read(file: Path) -> dict[str, Any]:
    return dict(json.loads(file.read_bytes())) if file.is_file() else {}


def _source(policy: Policy | None, kept: Mapping[str, Any], public: Path) -> dict[str, Any]:
    """The input by its name and hash, where it is a file that is still there; never by its content. ``changed``: it
    was written after the release."""
    found = {"records": kept.get("input", {}).get("records")}
    if policy is None or policy.data.path is None or policy.data.table is not None:
        return found
    file = policy.resolve(policy.data.path)
    if not file.is_file():
        return found | {"name": file.name}
    changed = file.stat().st_mtime > (public / manifests.NAME).stat().st_mtime
    return found | {"name": file.name, "sha256": manifests.sha256(file), "changed": changed}


def _browser() -> str:
    found = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if found is None:
        raise InputError(
            tr("no browser was found to print the pages with"),
            where="--pdf",
            remedy=tr("Install Chromium, or open the HTML pages in your browser and print them to PDF."),
        )
    return found


def _print(browser: str, file: Path) -> None:
    """Print a page to a PDF file beside it."""
    options = [
        "--headless",
        "--disable-gpu",
        "--no-sandbox",
        "--disable-background-networking",
        "--no-pdf-header-footer",
    ]
    target = file.with_suffix(".pdf")
    done = subprocess.run(
        [browser, *options, f"--print-to-pdf={target}", file.as_uri()], capture_output=True, timeout=120, check=False
    )
    if done.returncode or not target.is_file():
        raise OutputError(
            tr("the browser could not print the page"),
            where=file.name,
            remedy=tr("Open the HTML page in a browser and print it to PDF."),
        )


def _frame(found: Statement, say: Speech) -> dict[str, Any]:
    return {
        "created": found.created,
        "source": found.release.name,
        "banner": (
            say("Keep this page with the evidence."),
            say("It shows no values of the data. It is not legal advice: the controller answers for what it says."),
        ),
        "style": STYLE,
    }


def _statement(found: Statement, say: Speech) -> list[PageSection | None]:
    """One page: who, what, why, what is promised, what is left, and where to sign."""
    return [
        PageSection(parts=[_verdict(found, say)]),
        PageSection(say("Who is responsible, and why"), parts=[pairs(_declared(found, say))]),
        PageSection(say("What is released"), parts=[pairs(_subject(found, say))]),
        PageSection(say("What is promised, measured on the released file"), parts=[_models(found, say)]),
        PageSection(say("What remains"), parts=[paragraph(one, "") for one in _remaining(found, say)]),
        PageSection(say("Signed"), parts=[_signatures(found, say)]),
    ]


def _impact(found: Statement, say: Speech) -> list[PageSection | None]:
    """The parts that LGPD art. 38 and GDPR art. 35(7) ask for, each with the figures of the evidence."""
    return [
        PageSection(
            say("About this report"),
            parts=[
                paragraph(
                    say(
                        "It follows what LGPD art. 38 (RIPD) and GDPR art. 35(7) ask an impact report to contain. "
                        "Figures come from the evidence of the release; lines to fill in are the controller's."
                    ),
                    "",
                )
            ],
        ),
        PageSection(
            say("1. Description of the processing"),
            say("LGPD art. 38, sole paragraph: the types of data; GDPR art. 35(7)(a)."),
            [pairs([*_declared(found, say), *_subject(found, say)]), _columns(found, say)],
        ),
        PageSection(
            say("2. Necessity and proportionality"),
            say("GDPR art. 35(7)(b): why these data, and not fewer."),
            [paragraph(one, "") for one in _proportion(found, say)],
        ),
        PageSection(
            say("3. Method and safeguards"),
            say("LGPD art. 38: the methodology and the guarantees of security; GDPR art. 35(7)(d)."),
            [_models(found, say), *(paragraph(one, "") for one in _safeguards(found, say))],
        ),
        PageSection(
            say("4. Risks to the people in the data"),
            say("GDPR art. 35(7)(c); for WP 216: singling out, linkability, inference."),
            [_risks(found, say), *(paragraph(one, "") for one in _remaining(found, say))],
        ),
        PageSection(
            say("5. The controller's assessment"),
            say("LGPD art. 38: the controller's analysis of measures, safeguards and mitigation."),
            [pairs([(say("assessment"), BLANK), (say("measures still to be taken"), BLANK)])],
        ),
        PageSection(say("Signed"), parts=[_signatures(found, say)]),
    ]


def _verdict(found: Statement, say: Speech) -> Markup:
    """Whether the promises hold, and whether something is left that they allow."""
    models = found.report.get("models", ())
    holds = bool(models) and all(model.get("satisfied", True) for model in models)
    title = say(
        tr("The release promises no model: nothing was measured that protects people")
        if not models
        else tr("A promised model does not hold")
        if not holds
        else tr("Every promised model holds on the released file, and yet an attack finds people")
        if found.audit.get("verdict") == "exposed"
        else tr("Every promised model holds on the released file")
    )
    holds = holds and found.audit.get("verdict") != "exposed"
    caution = bool(found.inferences) or found.audit.get("verdict") != "nobody"
    mark = "✗" if not holds else "!" if caution else "✓"
    sentences = (
        [say("What the models allow is below, under “What remains”: read it before you sign.")] if caution else []
    )
    return verdict_box(title, sentences, mark=mark, holds=holds, caution=caution)


def _declared(found: Statement, say: Speech) -> list[tuple[str, str]]:
    told = found.responsibility
    return [
        (say("controller"), told.controller or BLANK),
        (say("data protection officer"), told.officer or BLANK),
        (say("purpose"), told.purpose or BLANK),
        (say("legal basis"), told.legal_basis or BLANK),
        (say("recipients"), ", ".join(told.recipients) or BLANK),
        (say("kept until"), told.retention or BLANK),
    ]


def _subject(found: Statement, say: Speech) -> list[tuple[str, str]]:
    source, records = found.source, found.source.get("records")
    input_ = " · ".join(
        part
        for part in (
            source.get("name") or "",
            "" if records is None else say.plural("{n} record", "{n} records", n=records),
            f"SHA-256 {source['sha256']}" if source.get("sha256") else "",
            say("the file was changed after the release: the hash is not that of what was released")
            if source.get("changed")
            else "",
        )
        if part
    )
    return [
        (say("input"), input_ or BLANK),
        (say("release"), say.plural("{n} record", "{n} records", n=found.manifest.data.records)),
        (say("SHA-256 of its manifest"), found.manifest_sha256),
        (say("written by"), f"Cobogó {found.report.get('version', cobogo.__version__)}"),
    ]


def _columns(found: Statement, say: Speech) -> Markup:
    """The columns, those that were left out included, with what is released of each."""
    released = {column.name: column for column in found.manifest.columns}
    attributes = {} if found.policy is None else found.policy.attributes
    roles = {name: one.role for name, one in attributes.items()}
    rows = [
        [
            name if found.policy is None else found.policy.titled(name),
            say(ROLE.get(str(role), str(role))),
            say(_meaning(released[name], attributes.get(name)))
            if name in released and role is not Role.IDENTIFIER
            else say("not released"),
        ]
        for name, role in (roles or {name: column.role for name, column in released.items()}).items()
    ]
    return table([Field(say("column"), "row data"), Field(say("role")), Field(say("what is released"), "why")], rows)


def _meaning(column: ColumnEntry, attribute: AttributePolicy | None) -> str:
    """What a released column's values mean, to be said in any language where the policy is known."""
    return column.meaning if attribute is None else recall_meaning(column.meaning, attribute, column.level)


def _models(found: Statement, say: Speech) -> Markup:
    rows = [
        [describe_model(model, say), say.show(model.get("measured")), "✓" if model.get("satisfied", True) else "✗"]
        for model in found.report.get("models", ())
    ]
    if not rows:
        return paragraph(say("The release promises no model."), "")
    return table([Field(say("model"), "row"), Field(say("measured"), "num"), Field(say("satisfied"))], rows)


def _risks(found: Statement, say: Speech) -> Markup:
    """Each risk before and after, where it was measured."""
    risk, inference = found.report.get("risk", {}), found.report.get("inference", {})
    before, after = risk.get("before", {}), risk.get("after", {})
    rows = [
        [say("re-identification: the highest risk of a person"), before.get("highest"), after.get("highest")],
        [say("re-identification: the average risk"), before.get("average"), after.get("average")],
        *(
            [say("inference of “{attribute}”: the surest guess", attribute=name), one["before"], one["after"]]
            for name, one in inference.items()
        ),
    ]
    fields = [Field(say("risk"), "row"), Field(say("before"), "num"), Field(say("after"), "num")]
    return table(fields, [[name, say.percent(was), say.percent(now)] for name, was, now in rows if now is not None])


def _remaining(found: Statement, say: Speech) -> list[str]:
    """What an attacker can still do, in sentences; what was not tried is said, and never taken for an all-clear."""
    told = []
    if found.highest_risk is not None:
        told.append(
            say(
                "Re-identification: an attacker who knows a person’s quasi-identifiers finds the record with "
                "probability {share} at most.",
                share=say.percent(found.highest_risk),
            )
        )
    for name, (share, baseline) in found.inferences.items():
        told.append(
            say(
                "Inference: “{attribute}” of somebody can be guessed with probability {share}; anybody guesses it with "
                "{baseline}.",
                attribute=name if found.policy is None else found.policy.titled(name),
                share=say.percent(share),
                baseline=say.percent(baseline),
            )
        )
    if not found.inferences and found.report.get("inference"):
        told.append(say("Inference: in no class is a sensitive value more probable than not and than anybody knows."))
    told += [say(note) for note in found.report.get("notes", ())]
    told.append(_audited(found, say))
    told.append(say("Not covered: tables that Cobogó was not given, and what is true of a whole group of people."))
    return told


def _audited(found: Statement, say: Speech) -> str:
    if not found.audit:
        return say("Attacks: not tried. `cobogo audit` tries those that apply.")
    if found.audit["verdict"] == "nobody":
        return say("Attacks: none of those that apply finds a person.")
    if found.audit["verdict"] == "open":
        return say("Attacks: some that apply could not be tried, so there is no verdict.")
    people = found.audit["people"]
    return say(
        "Attacks: {record} people re-identified, a value of {value} people inferred, {presence} found to be in the "
        "data. The audit says how, and what helps.",
        record=people.get("record", 0),
        value=people.get("value", 0),
        presence=people.get("presence", 0),
    )


def _proportion(found: Statement, say: Speech) -> list[str]:
    detail: Mapping[str, float] = found.report.get("detail", {})
    left_out = [] if found.policy is None else list(found.policy.with_role(Role.IDENTIFIER))
    told = [say("Columns that identify people and are not released: {names}.", names=", ".join(left_out) or "–")]
    if detail:
        shares = ", ".join(f"{name} {say.percent(share)}" for name, share in detail.items())
        told.append(say("Detail that the released columns keep: {shares}.", shares=shares))
    told.append(say("Why each released column is needed for the purpose: {blank}", blank=BLANK))
    return told


def _safeguards(found: Statement, say: Speech) -> list[str]:
    search = found.report.get("search", {})
    told = []
    if "algorithm" in search:
        name = search["algorithm"]
        told.append(say("The recoding was found by the algorithm {name}.", name=name))
        told += [say(ALGORITHMS.card(name).plain)] if name in ALGORITHMS else []
    suppressed = found.report.get("suppressed")
    if suppressed:
        told.append(say.plural("{n} record was left out.", "{n} records were left out.", n=suppressed))
    hit: Mapping[str, int] = found.report.get("suppressed_groups", {})
    if hit:
        names = ", ".join(f"{name} ({number})" for name, number in hit.items())
        told.append(
            say("Groups that lost more records than chance explains: {names}. The report names them.", names=names)
        )
    told.append(
        say(
            "The models were measured again on the written file; recipients can repeat it with `cobogo verify`. "
            "Evidence is kept apart from what is given away."
        )
    )
    return told


def _signatures(found: Statement, say: Speech) -> Markup:
    names: Sequence[str] = found.responsibility.signatories or ("",)
    rows = [[name or say("name"), ""] for name in names] + [[say("place and date"), ""], [say("signature"), ""]]
    return table([Field("", "row"), Field("")], rows, kind="sign")

"""The roles and hierarchies that are suggested."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cobogo.data.hierarchy.build import build
from cobogo.data.policy import Policy, Role
from cobogo.data.schema import ColumnProfile, Suggestion, detect, suggest
from cobogo.data.schema.profile import profile
from support.schema_columns import ADULT, GUIDE, PEOPLE, column, cpf

pytestmark = pytest.mark.slow

QUASI, SENSITIVE, IDENTIFIER = Role.QUASI_IDENTIFIER, Role.SENSITIVE, Role.IDENTIFIER


def test_the_columns_of_the_guide() -> None:
    said = {name: suggest(column(name, cells)) for name, cells in GUIDE.items()}
    assert [suggestion.role for suggestion in said.values()] == [IDENTIFIER, IDENTIFIER, QUASI, QUASI, SENSITIVE]
    assert all(suggestion.certain for suggestion in said.values())
    assert said["localidade"].hierarchy == {"path": "/", "top": True}
    years = ["%m/%Y", "%Y", "5-years", "decade"]
    assert said["data_nascimento"].hierarchy == {"dates": "%d/%m/%Y", "levels": years, "top": True}


def test_the_columns_of_adult() -> None:
    said = {name: suggest(column(name, cells * 30)) for name, cells in ADULT.items()}
    assert {name for name, suggestion in said.items() if suggestion.role is SENSITIVE} == {"race", "salary-class"}
    assert all(suggestion.role in (QUASI, SENSITIVE) and suggestion.certain for suggestion in said.values())
    assert said["age"].hierarchy == {"intervals": [5, 10, 20], "top": True}
    assert all(suggestion.hierarchy is None for name, suggestion in said.items() if name != "age")


@pytest.mark.parametrize(
    ("role", "names"),
    [
        (SENSITIVE, "diagnostico Diagnosis CID10 salário income religião raca_cor partido_politico orientação_sexual "
                    "dias_inadimplencia nota_final violencia_domestica "
                    "óbito CID_PRINCIPAL causa_obito medicação motivo_alta apgar deceased "
                    "test_result HIV tipo_sanguineo sindicato genotype capital-gain identidade_genero"),
        (QUASI, "idade Sexo gender UF city município bairro profissão occupation escolaridade estado_civil "
                "nationality naturalidade nome_municipio codigo_municipio convênio plano_saúde insurer CNES leito ward "
                "admission_date length_of_stay"),
        (IDENTIFIER, "cpf e-mail Telefone passport RG nome_completo endereço foto placa Motorista matricula "
                     "cartao_sus prontuário CNS AIH carteirinha encounter_id"),
    ],
)  # fmt: skip
def test_names_in_both_languages(role: Role, names: str) -> None:
    for name in names.split():
        suggestion = suggest(column(name, [f"v{i % 8}" for i in range(60)] + [f"w{i}" for i in range(40)]))
        assert (name, suggestion.role) == (name, role)


@pytest.mark.parametrize("name", ["capacidade", "page", "status", "manager", "sexta", "quantidade", "total"])
def test_a_word_inside_another_says_nothing(name: str) -> None:
    suggestion = suggest(column(name, ["a", "b"] * 30))
    assert suggestion.role is QUASI
    assert not suggestion.certain
    assert "in doubt" in suggestion.reason


def test_values_that_name_people_outweigh_a_harmless_name() -> None:
    assert suggest(column("sexo", [cpf(123_456_000 + i) for i in range(50)])).role is IDENTIFIER
    assert (
        suggest(column("local", [f"{name} {i}@x.org".replace(" ", "") for i, name in enumerate(PEOPLE)])).role
        is IDENTIFIER
    )


def test_a_date_is_a_quasi_identifier_whatever_it_is_the_date_of() -> None:
    suggestion = suggest(column("data_diagnostico", ["31/12/2020", "01/01/2021"] * 20))
    assert suggestion.role is QUASI
    assert suggestion.hierarchy is not None


def test_free_text_is_left_out_for_review() -> None:
    notes = [f"patient number {i} came with a cough and left without it" for i in range(50)]
    assert suggest(column("diagnosis", notes)).role is IDENTIFIER
    assert suggest(column("x", [f"word{i} other" for i in range(50)])).role is IDENTIFIER


def test_remarks_that_repeat_are_left_out_too() -> None:
    remarks = ["sister of Ana in the other class", "was moved", "good pupil"] * 20
    for name, role in (("Observações", IDENTIFIER), ("notes", IDENTIFIER), ("x", QUASI)):
        assert suggest(column(name, remarks)).role is role
        assert not suggest(column(name, remarks)).certain
    assert suggest(column("obs", ["fever", "cough"] * 20)).role is QUASI


def test_a_label_speaks_where_the_name_is_doubtful() -> None:
    weights = [f"0.{n:03}" for n in range(100, 200)]
    plain = column("PESO", weights)
    assert "body" in suggest(plain).reason
    assert "of a sample" in suggest(replace(plain, title="Peso amostral")).reason
    vote = replace(column("V7", ["A", "B"] * 20), title="Em quem votou no 1º turno")
    assert suggest(vote).role is SENSITIVE
    assert suggest(replace(column("UF", ["CE", "RN"] * 20), title="Renda")).role is QUASI


def test_blanks_around_values_are_left_out_by_the_starter() -> None:
    births = suggest(column("nascimento", ["31/12/1990  ", "01/02/1985  "]))
    assert births.normalize == ("trim",)
    assert births.hierarchy is not None
    assert suggest(column("nascimento", ["31/12/1990"])).normalize == ()


def test_a_sensitive_column_that_is_mostly_empty_is_said_to_be_so() -> None:
    for empty, said in ((60, True), (10, False)):
        found = suggest(column("deficiencia", ["deaf", "blind"] * 10 + [None] * empty))
        assert (found.role is SENSITIVE, 'missing = "value"' in found.reason) == (True, said)


def test_codes_have_no_intervals() -> None:
    cells = [str(n) for n in range(11, 40)] * 4
    assert suggest(column("ENTREV", cells)).hierarchy is not None
    for coded in (column("cod_setor", cells), replace(column("ENTREV", cells), title="Código do entrevistador")):
        assert suggest(coded).hierarchy is None


def test_a_few_dates_that_do_not_exist_leave_the_others_their_hierarchy() -> None:
    births = [f"{1 + n % 28:02}/{1 + n % 12:02}/{1940 + n % 60}" for n in range(300)]
    odd = ["31/02/1950", "00/00/0000", "1950", *births]
    found = suggest(column("DT_NASC", odd))
    assert found.hierarchy is not None
    assert found.hierarchy["lenient"]
    policy = Policy.of({"attributes": {"x": {"role": "quasi-identifier", "hierarchy": found.hierarchy}},
                        "privacy": {"models": [{"model": "k-anonymity", "k": 2}]}})  # fmt: skip
    assert build("x", policy.attributes["x"].hierarchy, odd, policy=policy).leaf_counts[-1].tolist() == [
        3 + len(set(births))
    ]
    assert suggest(column("DT_NASC", ["31/02/1950"] * 30 + births)).hierarchy is None  # one in ten is no slip


@pytest.mark.parametrize("cells", [[None] * 30, []])
def test_an_empty_column_is_left_out_until_somebody_looks(cells: list[str | None]) -> None:
    suggestion = suggest(column("x", cells))
    assert suggestion.role is IDENTIFIER
    assert not suggestion.certain
    assert suggest(column("sexo", cells)).role is QUASI


def test_a_column_that_says_the_same_of_everybody() -> None:
    assert suggest(column("system", ["SIVEP"] * 50)).role is Role.NON_SENSITIVE
    sick = suggest(column("hiv", ["positive"] * 50))
    assert sick.role is SENSITIVE
    assert not sick.certain  # no model can protect it: the user must decide


def test_one_row() -> None:
    for name, cells in {**GUIDE, **ADULT}.items():
        expected = suggest(column(name, cells * 2)).role
        assert suggest(column(name, cells[:1])).role is expected
    assert not suggest(column("x", ["y"])).certain


@pytest.mark.parametrize(
    ("name", "cells", "hierarchy"),
    [
        ("cep", ["60160-230", "60020-270"], {"codes": "cep"}),
        ("cep", [f"60{i:03d}-230" for i in range(40)] + ["78900-000"], {"codes": "cep", "lenient": True}),
        ("cep", ["60160-230", "78900-000"], {"mask": "right", "keep": 1}),  # half of them are no postal codes
        ("zip", ["10001", "02139"], {"mask": "right", "keep": 1}),
        ("ibge", ["2304400", "2312908"], {"codes": "municipality"}),
        ("cod_mun_res", ["2304400", "2312908"] * 20 + ["9999999"], {"codes": "municipality", "lenient": True}),
        ("municipio", ["230440", "231290"], {"codes": "municipality"}),
        ("ibge", ["2304401", "2312901"], {"mask": "right", "keep": 1}),  # wrong check digits
        ("postcode", ["SW1A 1AA", "M1 1AE"], None),
        (
            "visit",
            ["2020-01-31 10:00:00"],
            {"dates": "%Y-%m-%d %H:%M:%S", "levels": ["%Y-%m-%d", "%Y-%m", "quarter", "%Y"]},
        ),
        ("visit", ["2001-01-31", "2020-01-31"], {"dates": "%Y-%m-%d", "levels": ["%Y-%m", "%Y", "5-years", "decade"]}),
        ("birth", ["31/01/45"], {"dates": "%d/%m/%y", "levels": ["%m/%y", "%y"]}),
        ("birth", ["12/1990"], {"dates": "%m/%Y", "levels": ["%Y", "5-years", "decade"]}),
        ("hours", [str(i) for i in range(1, 100)] * 3, {"intervals": [5, 10, 20]}),
        ("x", [f"{i},5" for i in range(20)] * 3, {"intervals": [1, 2, 4], "decimal": ","}),
        ("x", ["1", "2", "3"] * 20, None),
        ("idade_dias", [str(i * 50) for i in range(500)], {"intervals": [2000, 4000, 8000]}),
        ("latitude", [f"-3.{i}" for i in range(10, 40)], {"intervals": [0.01, 0.1, 1], "decimal": "."}),
        ("cidade", ["Fortaleza, CE", "Sobral, CE", "Recife, PE"], {"path": ", "}),
        ("localidade", ["CE/Fortaleza", "CE/Sobral"], None),  # the coarsest comes first: dropping it would not help
        ("localidade", ["Fortaleza/CE", "Sobral"], None),
        ("idade", [f" {i}" for i in range(50)], {"intervals": [5, 10, 20]}),
        (
            "entrada",
            ["12 mar 2019", "1 fev 2020"],
            {"dates": "%d %b %Y", "levels": ["month", "quarter", "%Y"]},
        ),
        ("birth", ["12-Mar-45"], {"dates": "%d-%b-%y", "levels": ["%m/%y", "%y"]}),
        ("visit", ["2020-01-31 00:00:00+00"], {"dates": "%Y-%m-%d", "levels": ["%Y-%m", "quarter", "%Y"]}),
    ],
)
def test_hierarchies(name: str, cells: list[str | None], hierarchy: dict[str, object] | None) -> None:
    expected = {**hierarchy, "top": True} if hierarchy else None
    suggestion = suggest(column(name, cells))
    assert suggestion.role is QUASI
    assert suggestion.hierarchy == expected


def test_diagnoses_have_the_chapters_of_their_classification() -> None:
    for name, cells, codes in (("CID", ["A09.1", "J189", "I10X"], True), ("diagnostico", ["flu", "cold"], False)):
        suggestion = suggest(column(name, cells * 20))
        assert suggestion.role is SENSITIVE
        assert suggestion.hierarchy == ({"codes": "icd-10", "top": True} if codes else None)
    assert suggest(column("x", ["A09.1", "J189"] * 20)).hierarchy is None  # the name says nothing


def test_one_fortune_does_not_set_the_scale() -> None:
    prices = [str(100 + i) for i in range(200)] * 2
    assert suggest(column("x", prices)).hierarchy == suggest(column("x", [*prices, "99999999"])).hierarchy


CELLS = st.one_of(
    st.lists(st.integers(-(10**17), 10**17).map(str)),
    st.lists(st.decimals(allow_nan=False, allow_infinity=False).map(str)),
    st.lists(st.decimals(-1000, 1000, places=2).map(lambda n: str(n).replace(".", ","))),
    st.lists(st.datetimes().map(lambda moment: moment.isoformat(sep=" "))),
    st.lists(st.dates().map(lambda day: day.strftime("%d/%m/%Y"))),
    st.lists(st.from_regex(r"[0-9]{5}-[0-9]{3}", fullmatch=True)),
    st.lists(st.from_regex(r"[A-C]{1,2}/[x-z]/CE", fullmatch=True)),
    st.lists(st.text(min_size=1)),
    st.lists(st.sampled_from(["NA", "3", "7", "-", "12", "40", "41", "5.5"])),
)
NAMES = st.sampled_from(["x", "idade", "cep", "localidade", "nascimento", "latitude", "renda", "id", "nome"])


@settings(deadline=None)
@given(NAMES, CELLS)
def test_a_suggested_hierarchy_can_be_built_on_the_values(name: str, cells: list[str]) -> None:
    seen = column(name, cells)
    hierarchy = suggest(seen).hierarchy
    assert hierarchy is None or suggest(seen).role is QUASI
    policy = Policy.of(
        {
            "data": {"missing": ["", *seen.placeholders]},
            "attributes": {name: {"role": "quasi-identifier", "hierarchy": hierarchy}},
            "privacy": {"models": [{"model": "k-anonymity", "k": 2}]},
        }
    )
    trimmed = [" ".join(cell.split()) if suggest(seen).normalize else cell for cell in cells]
    values = [None if cell in ("", *seen.placeholders) else cell for cell in dict.fromkeys(trimmed)]
    built = build(name, policy.attributes[name].hierarchy, values, policy=policy)
    assert hierarchy is None or len(built.labels[-1]) <= 1


@settings(deadline=None)
@given(st.decimals(Decimal("1e-6"), Decimal(10) ** 14), st.booleans())
def test_widths_nest(spread: Decimal, whole: bool) -> None:
    cells = [str(round(spread * i)) if whole else f"{spread * i / 20:f}" for i in range(21)]
    hierarchy = suggest(column("x", cells)).hierarchy or {}
    widths = [Decimal(repr(width)) for width in hierarchy.get("intervals", [])]
    assert all(large % small == 0 and large > small > 0 for small, large in pairwise(widths))


def test_a_few_places_without_a_district_leave_the_others_their_path() -> None:
    places = [f"bairro {n}/Fortaleza/CE" for n in range(40)]
    assert suggest(column("localidade", [*places, "Sobral/CE"])).hierarchy == {
        "path": "/",
        "lenient": True,
        "top": True,
    }
    assert suggest(column("localidade", places)).hierarchy == {"path": "/", "top": True}
    assert suggest(column("localidade", [*places, *(f"{n}/CE" for n in range(20))])).hierarchy is None
    few = [*places[:5] * 20, "Sobral/CE", "CE"]  # a slip in fifty records is one whatever the number of places
    assert suggest(column("localidade", few)).hierarchy == {"path": "/", "lenient": True, "top": True}


# Words that no phrase of ours is made of, and figures longer than any count in a reason.
UNSPOKEN = st.text("ßþðæøœžčřłąęλμπσφψ@/-", min_size=3, max_size=20) | st.integers(10**6, 10**18).map(str)


def reasons(seen: ColumnProfile, suggestion: Suggestion) -> list[str]:
    return [suggestion.reason, *(finding.reason for finding in detect(seen))]


@settings(deadline=None)
@given(NAMES, st.lists(UNSPOKEN, min_size=1, max_size=60))
def test_no_reason_quotes_a_value(name: str, cells: list[str]) -> None:
    seen = column(name, cells)
    assert not any(cell in reason for cell in cells for reason in reasons(seen, suggest(seen)))


@pytest.mark.parametrize("name", [*GUIDE, *ADULT])
def test_no_reason_quotes_a_value_of_the_examples(name: str) -> None:
    cells = {**GUIDE, **ADULT}[name]
    seen = column(name, cells)
    assert not any(cell in reason for cell in cells if len(cell) > 3 for reason in reasons(seen, suggest(seen)))


@pytest.mark.parametrize(("time", "form"), [("00:00:00", "%Y-%m-%d"), ("09:30:00", "%Y-%m-%d %H:%M:%S")])
def test_times_that_are_all_midnight_are_days(time: str, form: str) -> None:
    found = suggest(column("seen", [f"2020-01-{day:02} {time}" for day in range(1, 29)]))
    assert found.hierarchy is not None
    assert found.hierarchy["dates"] == form


def test_small_quirks_of_values_are_seen() -> None:
    sexes = suggest(profile("sexo", 90, 0, 3, 0, [("F", 40), ("M", 40), ("f", 10)]))
    assert sexes.normalize == ("case",)
    codes = suggest(profile("lotado_em", 90, 0, 2, 0, [("2304400", 50), ("2303709", 40)]))
    assert codes.hierarchy == {"codes": "municipality", "top": True}
    assert suggest(profile("lotado_em", 90, 0, 2, 0, [("2304400", 50), ("9999999", 40)])).hierarchy is None
    assert suggest(profile("pais", 90, 0, 1, 0, [("Brasil", 90)])).role == "non-sensitive"
    assert "numbers alone" in suggest(profile("idade", 90, 0, 2, 0, [("7 anos", 50), ("1 ano", 40)])).reason
    assert (
        suggest(profile("Peso do morador selecionado", 90, 0, 2, 0, [("1.5", 50), ("2.5", 40)])).role == "non-sensitive"
    )

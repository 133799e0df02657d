"""Made-up notes of a health post, in Portuguese and English, with what in them points at people.

No note is about anybody: names, numbers and dates are drawn at random, and put into sentences that were written for
this. They measure how much of what points at people a program finds in free text.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from cobogo.examples.words import BRAZIL, GENERIC, word_list


class Note(NamedTuple):
    """A text, and its parts that point at a person: from, to, and of which kind."""

    text: str
    mentions: tuple[tuple[int, int, str], ...]


RARE = (
    "Uéverlaine Zanquetta", "Jucicleide Brunhara", "Oderlânia Kowalczuk", "Deusimar Takemoto",
    "Wandergleison Pacobahyba", "Iracildes Munhoz", "Adamastor Peçanha", "Gracilda Bertoncello",
    "Valdicélio Scarpellini", "Nilcéia Yamashiro", "Zenóbia Quintanilha", "Edmílton Wasilewski", "Aurelina Fagotto",
    "Osmarina Stoiciu", "Leocádio Abdalla",
    "Thandiwe Nkosi", "Siobhan O’Rourke", "Kwame Adjei", "Ingeborg Lindqvist", "Priyanka Raghunathan",
)  # fmt: skip
"""Names that few people bear: in no list of common names."""

_PORTUGUESE = (
    "Paciente {name} refere tosse seca há 5 dias, nega febre. PA 120x80, FC 78.",
    "Contato com a mãe, {name}, pelo telefone {phone}. Orientada a retornar em {date}.",
    "{name}, nascida em {date}, CPF {cpf}, comparece com dor abdominal.",
    "Retorno em 15 dias. Exames enviados para {email}.",
    "Cartão SUS {cns}. Em uso de losartana 50 mg 2x ao dia.",
    "Reside no CEP {cep}, com o marido {name} e dois filhos.",
    "Atendido por Dr. {name} no Hospital Santa Maria; glicemia 112 mg/dL, PA 12/8.",
    "Sr. {name} relata queda da própria altura em {date}. Sem perda de consciência.",
    "Usuário agressivo. Vizinha {name} acompanha. Ligar para {phone}.",
    "Sem queixas. Peso 72,5 kg, altura 1,68 m, IMC 25,7. Dieta orientada.",
    "Sinal de Babinski ausente, Romberg negativo. Sorologia para doença de Chagas pedida em 2 vias.",
    "Manchas de cor rosa no braço. Encaminho ao Hospital Geral de Fortaleza, setor de Dermatologia.",
    "Visita na Rua Silva Jardim, 120, casa de {given}. Programa Saúde da Família, equipe 3.",
    "Falei com {given} no zap {phone}, mandou foto do exame pelo {email}.",
    "Dona {given} chegou chorando, diz que {given} não toma o remédio desde {date}.",
    "Encaminhado ao CAPS de Fortaleza. Acompanhante: {name} ({phone}).",
)
_ENGLISH = (
    "Patient {name} reports a dry cough for 5 days, no fever. BP 120/80, HR 78.",
    "Spoke with her mother, {name}, at {phone}. To come back on {date}.",
    "{name} was born on {date} and lives with two children.",
    "Results were sent to {email}. Next visit in 15 days.",
    "Mr. {name} fell at home on {date}. No loss of consciousness.",
    "No complaints. Weight 72.5 kg, height 1.68 m.",
    "Parkinson disease suspected. Referred to the Memory Clinic; Romberg test negative.",
    "Her son {given} called from {phone} and asked for Mr. {name}.",
)


def generate_notes(count: int, *, seed: int = 2020, written: str = "usual") -> list[Note]:
    """So many notes. ``written``: usual; or all of them in capitals or in lower case, as people in a hurry write.

    >>> generate_notes(1)[0].text
    'Wesley Tavares, nascida em 27/07, CPF 648540099-28, comparece com dor abdominal.'
    >>> {kind for note in generate_notes(200) for *_, kind in note.mentions} == {*KINDS}
    True
    """
    draw = random.Random(seed)
    return [_write(draw, _WRITTEN[written]) for _ in range(count)]


_WRITTEN: dict[str, Callable[[str], str]] = {"usual": str, "capitals": str.upper, "lower": str.lower}


def _write(draw: random.Random, change: Callable[[str], str]) -> Note:
    english = _chance(draw, 1 / 3)
    sentences = _ENGLISH if english else _PORTUGUESE
    text, mentions = "", []
    for piece in re.split(r"(\{\w+\})", _pick(draw, sentences)):
        slot = piece[1:-1] if piece.startswith("{") else ""
        kind, value = _fill(draw, slot, GENERIC if english else BRAZIL) if slot else ("", piece)
        if slot:
            mentions.append((len(text), len(text) + len(value), kind))
        text += change(value)
    return Note(text, tuple(mentions))


def _fill(draw: random.Random, slot: str, place: str) -> tuple[str, str]:
    """The kind of what fills a place, and a value: of three names one is rare."""
    if slot == "name" and _chance(draw, 1 / 3):
        return "rare name", _pick(draw, RARE)
    if slot == "name":
        return "name", f"{_pick(draw, word_list('given-name', place))} {_pick(draw, word_list('surname', place))}"
    if slot == "given":
        return "name", _pick(draw, word_list("given-name", place))
    day, month, year = 1 + _number(draw, 28), 1 + _number(draw, 12), 1930 + _number(draw, 95)
    text = _pick(draw, _FORMS[slot]).format(day=day, month=month, year=year, name=_pick(draw, _MONTHS[place]))
    return slot, re.sub("#", lambda _: str(_number(draw, 10)), text)


_MONTHS = {BRAZIL: ("janeiro", "março", "julho", "dezembro"), GENERIC: ("January", "March", "July", "December")}
_FORMS = {
    "cpf": ("###.###.###-##", "#########-##", "###########", "### ### ### ##"),
    "cns": ("7## #### #### ####", "7##############"),
    "phone": ("(85) 9####-####", "85 9####-####", "9####-####", "3###-####", "+55 88 9########", "9 #### ####"),
    "email": ("m.souza##@exemplo.org", "contato##@saude.exemplo.com.br", "contato## arroba exemplo.org"),
    "date": (
        "{day:02d}/{month:02d}/{year}",
        "{day}/{month}/{year}",
        "{day:02d}/{month:02d}",
        "{day} de {name} de {year}",
        "{day}.{month}.{year}",
        "{name} {year}",
    ),
    "cep": ("60###-###", "62.###-###"),
}
"""How each kind is written; # is a digit. Check digits are not right, so that a number belongs to nobody."""

KINDS = ("name", "rare name", *_FORMS)


def _number(draw: random.Random, below: int) -> int:
    return int(draw.random() * below)  # random() is what Python promises to keep; randrange is not


def _chance(draw: random.Random, share: float) -> bool:
    return draw.random() < share


def _pick(draw: random.Random, values: Sequence[str]) -> str:
    return values[_number(draw, len(values))]
